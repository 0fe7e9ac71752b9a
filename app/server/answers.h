#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/answers_json.h"
#include "app/server/uploads.h"
#include "commonplace/detect/ask.h"
#include "commonplace/library/machine/machine_labels.h"
#include "commonplace/library/stored/evaluations.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/library/tags/decision_log.h"
#include "commonplace/library/tags/decisions.h"
#include "commonplace/library/tags/tag_tree.h"
#include "commonplace/relate/ask.h"
#include "commonplace/relate/overview.h"
#include "commonplace/search/ask.h"
#include "commonplace/search/topics.h"
#include "commonplace/suggest/ask.h"
#include "commonplace/suggest/audit.h"
#include "commonplace/suggest/core/suggester_quality.h"
#include "commonplace/upkeep/merge_candidates.h"

namespace commonplace::server {

/// What only the server answers. schemas.cpp has the name of each in openapi.json and in the page.

struct HealthAnswer {
  std::string status;
  std::string version;
};
template <class Visit>
void visit_fields(const HealthAnswer& answer, Visit&& visit) {
  visit("status", answer.status, "ok");
  visit("version", answer.version, "of the program");
}

struct LibraryAnswer {
  std::string name;
  std::string version;
  bool read_only = false;
  bool import = false;
  bool upload = false;
  std::int64_t collections = 0;
  std::int64_t items = 0;
  std::int64_t models = 0;
  std::string basemap;
};
template <class Visit>
void visit_fields(const LibraryAnswer& answer, Visit&& visit) {
  visit("name", answer.name, "of the library");
  visit("version", answer.version, "of the program");
  visit("read_only", answer.read_only, "nothing can be changed");
  visit("import", answer.import, "files of the server can be added");
  visit("upload", answer.upload, "files can be sent");
  visit("collections", answer.collections, "how many");
  visit("items", answer.items, "in all of them");
  visit("models", answer.models, "how many");
  visit("basemap", answer.basemap, "the file of map tiles that lies in it, if there is one");
}

struct TagCount {
  std::string tag;
  std::int64_t items = 0;
};
template <class Visit>
void visit_fields(const TagCount& each, Visit&& visit) {
  visit("tag", each.tag, "its name");
  visit("items", each.items, "that have it");
}

struct TagsAnswer {
  std::string collection;
  std::int64_t total = 0;
  std::vector<TagCount> tags;
};
template <class Visit>
void visit_fields(const TagsAnswer& answer, Visit&& visit) {
  visit("collection", answer.collection, "of the tags");
  visit("total", answer.total, "tags that begin so");
  visit("tags", answer.tags, "most used first");
}

struct VocabularyAnswer {
  std::int64_t total = 0;
  std::vector<TagNode> tags;
};
template <class Visit>
void visit_fields(const VocabularyAnswer& answer, Visit&& visit) {
  visit("total", answer.total, "tags that are meant");
  visit("tags", answer.tags, "in the order of the tree");
}

struct MergeCandidatesAnswer {
  std::vector<MergeCandidate> candidates;
};
template <class Visit>
void visit_fields(const MergeCandidatesAnswer& answer, Visit&& visit) {
  visit("candidates", answer.candidates, "surest first");
}

struct CompleteAnswer {
  std::vector<TagCount> completions;
};
template <class Visit>
void visit_fields(const CompleteAnswer& answer, Visit&& visit) {
  visit("completions", answer.completions, "most used first");
}

/// A model, and the collection that it is of.
struct ModelAnswer {
  ModelRecord record;
  std::string collection;
};
template <class Visit>
void visit_fields(const ModelAnswer& answer, Visit&& visit) {
  visit_fields(answer.record, visit);
  visit("collection", answer.collection, "that it is of, where it is of one");
}

struct ModelsAnswer {
  std::vector<ModelAnswer> models;
};
template <class Visit>
void visit_fields(const ModelsAnswer& answer, Visit&& visit) {
  visit("models", answer.models, "by name");
}

struct EvaluationsAnswer {
  std::vector<Evaluation> evaluations;
};
template <class Visit>
void visit_fields(const EvaluationsAnswer& answer, Visit&& visit) {
  visit("evaluations", answer.evaluations, "newest first");
}

/// An item as lists show it.
struct Brief {
  std::string collection;
  std::string id;
  std::string title;
  bool image = false;
  std::vector<std::string> tags;
  std::optional<double> ratio{};
  std::string time;
  std::string url;
  std::optional<std::string> snippet{};
};
template <class Visit>
void visit_fields(const Brief& brief, Visit&& visit) {
  visit("collection", brief.collection, "that it is of");
  visit("id", brief.id, "its name there");
  visit("title", brief.title, "for people");
  visit("image", brief.image, "it has a picture that can be shown");
  visit("tags", brief.tags, "that people gave it");
  visit("ratio", brief.ratio, "width by height of its picture");
  visit.where(!brief.time.empty(), "time", brief.time, "of it");
  visit.where(!brief.url.empty(), "url", brief.url, "an address that may be opened");
  visit("snippet", brief.snippet, "a few lines of its text, about what was asked for");
}

struct ItemsAnswer {
  std::string collection;
  std::int64_t total = 0;
  std::vector<Brief> items;
};
template <class Visit>
void visit_fields(const ItemsAnswer& answer, Visit&& visit) {
  visit("collection", answer.collection, "of the items");
  visit("total", answer.total, "items of the collection");
  visit("items", answer.items, "in their order");
}

/// An item with all that is known of it.
struct ItemAnswer {
  std::string collection;
  Item item;
  std::vector<GivenLabel> machine_labels;
  std::vector<Decision> decisions;
};
template <class Visit>
void visit_fields(const ItemAnswer& answer, Visit&& visit) {
  visit("collection", answer.collection, "that it is of");
  visit("id", answer.item.id, "its name there");
  visit("title", answer.item.title, "for people");
  visit.where(!answer.item.text.empty(), "text", answer.item.text, "all of it");
  visit.where(!answer.item.time.empty(), "time", answer.item.time, "as precise as known");
  visit("image", !answer.item.image.empty(), "it has a picture");
  visit("tags", answer.item.tags, "of people and machines");
  visit("labels", answer.item.labels, "of people");
  visit("machine_labels", answer.machine_labels, "of machines");
  visit("place", answer.item.place, "where it is of");
  visit("decisions", answer.decisions, "ever made, oldest first");
  visit.where(!answer.item.metadata.empty(), "metadata", JsonText{answer.item.metadata},
              "whatever else its source said");
}

/// An item that a search found.
struct Hit {
  Brief brief;
  search::Hit scores;
};
template <class Visit>
void visit_fields(const Hit& hit, Visit&& visit) {
  visit_fields(hit.brief, visit);
  visit_scores(hit.scores, visit);
}

struct HitsAnswer {
  std::string query;
  double milliseconds = 0;
  std::int64_t total = 0;
  std::vector<std::string> unknown;
  std::vector<Hit> hits;
};
template <class Visit>
void visit_fields(const HitsAnswer& answer, Visit&& visit) {
  visit("query", answer.query, "what was asked for");
  visit("milliseconds", answer.milliseconds, "that it took");
  visit("total", answer.total, "items that were found");
  visit("unknown", answer.unknown, "words that are nowhere");
  visit("hits", answer.hits, "best first, those of the page");
}

struct ModelTopics {
  std::string model;
  std::vector<search::TopicSummary> topics;
};
template <class Visit>
void visit_fields(const ModelTopics& each, Visit&& visit) {
  visit("model", each.model, "its name");
  visit("topics", each.topics, "shared ones first");
}

struct TopicsAnswer {
  std::vector<ModelTopics> models;
};
template <class Visit>
void visit_fields(const TopicsAnswer& answer, Visit&& visit) {
  visit("models", answer.models, "of searching");
}

struct ReviewQuestion {
  Brief brief;
  std::string tag;
  double confidence = 0;
};
template <class Visit>
void visit_fields(const ReviewQuestion& question, Visit&& visit) {
  visit_fields(question.brief, visit);
  visit("tag", question.tag, "in question");
  visit("confidence", question.confidence, "that it fits");
}

struct ReviewAnswer {
  std::string model;
  std::string collection;
  std::int64_t left = 0;
  std::vector<ReviewQuestion> entries;
};
template <class Visit>
void visit_fields(const ReviewAnswer& answer, Visit&& visit) {
  visit("model", answer.model, "that asks");
  visit("collection", answer.collection, "of the items");
  visit("left", answer.left, "questions that are open");
  visit("entries", answer.entries, "those of the page");
}

/// A tag that is probably at fault, with its item.
struct AuditQuestion {
  Brief brief;
  suggest::AuditEntry entry;
};
template <class Visit>
void visit_fields(const AuditQuestion& question, Visit&& visit) {
  visit_fields(question.brief, visit);
  visit_question(question.entry, visit);
}

struct AuditAnswer {
  std::string collection;
  std::string audited;
  std::int64_t items = 0;
  std::int64_t given = 0;
  std::int64_t left = 0;
  std::vector<AuditQuestion> entries;
};
template <class Visit>
void visit_fields(const AuditAnswer& answer, Visit&& visit) {
  visit("collection", answer.collection, "that was looked through");
  visit("audited", answer.audited, "when; empty: not yet, the job 'audit' does it");
  visit("items", answer.items, "that were judged");
  visit("given", answer.given, "tags that they have");
  visit("left", answer.left, "questions that are open");
  visit("entries", answer.entries, "those of the page, the most probable faults first");
}

struct DecisionsAnswer {
  std::int64_t total = 0;
  std::vector<LoggedDecision> decisions;
};
template <class Visit>
void visit_fields(const DecisionsAnswer& answer, Visit&& visit) {
  visit("total", answer.total, "decisions in the log");
  visit("decisions", answer.decisions, "in the order in which they came here");
}

struct ConflictsAnswer {
  std::vector<DecisionConflict> conflicts;
};
template <class Visit>
void visit_fields(const ConflictsAnswer& answer, Visit&& visit) {
  visit("conflicts", answer.conflicts, "what persons say differently");
}

struct MergedAnswer {
  MergedLog merged;
  std::vector<DecisionConflict> conflicts;
};
template <class Visit>
void visit_fields(const MergedAnswer& answer, Visit&& visit) {
  visit_fields(answer.merged, visit);
  visit("conflicts", answer.conflicts, "what persons say differently now");
}

struct OpenTag {
  std::string tag;
  std::int64_t left = 0;
};
template <class Visit>
void visit_fields(const OpenTag& each, Visit&& visit) {
  visit("tag", each.tag, "in question");
  visit("left", each.left, "open questions of it");
}

struct ReviewTagsAnswer {
  std::string model;
  std::vector<OpenTag> tags;
};
template <class Visit>
void visit_fields(const ReviewTagsAnswer& answer, Visit&& visit) {
  visit("model", answer.model, "that asks");
  visit("tags", answer.tags, "most questions first");
}

struct DecidedCount {
  std::int64_t accepted = 0;
  std::int64_t rejected = 0;
};
template <class Visit>
void visit_fields(const DecidedCount& each, Visit&& visit) {
  visit("accepted", each.accepted, "questions answered by yes");
  visit("rejected", each.rejected, "questions answered by no");
}

struct DecidedTag {
  std::string tag;
  DecidedCount count;
};
template <class Visit>
void visit_fields(const DecidedTag& decided, Visit&& visit) {
  visit("tag", decided.tag, "in question");
  visit_fields(decided.count, visit);
}

struct EffectAnswer {
  std::string model;
  DecidedCount decided;
  std::optional<double> expected{};
  std::optional<double> right{};
  std::vector<DecidedTag> by_tag;
  std::string held_out = "null";  ///< JSON
};
template <class Visit>
void visit_fields(const EffectAnswer& answer, Visit&& visit) {
  visit("model", answer.model, "that asked");
  visit("decided", answer.decided, "since the server was started");
  visit.or_null("expected", answer.expected, "share that was expected to be right");
  visit.or_null("right", answer.right, "share that was");
  visit("by_tag", answer.by_tag, "the same, tag by tag");
  visit("held_out", JsonOf<std::optional<suggest::SuggesterQuality>>{answer.held_out},
        "how good the model was on items held out; null: not tried");
}

struct SuggestionsAnswer {
  std::string model;
  suggest::Answer answer;
};
template <class Visit>
void visit_fields(const SuggestionsAnswer& answer, Visit&& visit) {
  visit("model", answer.model, "that was asked");
  visit_fields(answer.answer, visit);
}

/// An item with what was detected in it.
struct DetectedItem {
  Brief brief;
  detect::Detected scores;
};
template <class Visit>
void visit_fields(const DetectedItem& item, Visit&& visit) {
  visit_fields(item.brief, visit);
  visit_scores(item.scores, visit);
}
struct FoundAnswer {
  detect::Answer head;
  std::vector<DetectedItem> results;
};
template <class Visit>
void visit_fields(const FoundAnswer& answer, Visit&& visit) {
  visit_head(answer.head, visit);
  visit("results", answer.results, "best first, those of the page");
}

struct ConceptsAnswer {
  std::string collection;
  std::vector<detect::DetectableConcept> concepts;
};
template <class Visit>
void visit_fields(const ConceptsAnswer& answer, Visit&& visit) {
  visit("collection", answer.collection, "of the items");
  visit("concepts", answer.concepts, "that can be detected");
}

struct TaggedAnswer {
  std::string name;
  std::int64_t tagged = 0;
  std::int64_t before = 0;
};
template <class Visit>
void visit_fields(const TaggedAnswer& answer, Visit&& visit) {
  visit("concept", answer.name, "its name");
  visit("tagged", answer.tagged, "items that have its tag now");
  visit("before", answer.before, "items that had it before");
}

struct TaughtAnswer {
  std::string name;
  std::int64_t stored = 0;
};
template <class Visit>
void visit_fields(const TaughtAnswer& answer, Visit&& visit) {
  visit("concept", answer.name, "its name");
  visit("stored", answer.stored, "examples");
}

struct SameTagsAnswer {
  std::vector<relate::SameTags> pairs;
};
template <class Visit>
void visit_fields(const SameTagsAnswer& answer, Visit&& visit) {
  visit("pairs", answer.pairs, "most alike first");
}

struct GroupsAnswer {
  std::vector<relate::Group> groups;
};
template <class Visit>
void visit_fields(const GroupsAnswer& answer, Visit&& visit) {
  visit("groups", answer.groups, "the largest first");
}

/// Lists of the same length, a thing each.
struct MapPoints {
  std::vector<std::size_t> kind;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<std::int32_t> group;
  std::vector<std::string> name;
};
template <class Visit>
void visit_fields(const MapPoints& each, Visit&& visit) {
  visit("kind", each.kind, "place among the kinds");
  visit("x", each.x, "0 to 1");
  visit("y", each.y, "0 to 1");
  visit("group", each.group, "place among the groups; -1: none");
  visit("name", each.name, "of the thing");
}

struct MapAnswer {
  std::string model;
  std::vector<relate::Map::Modality> kinds;
  MapPoints points;
  std::vector<relate::Map::Group> groups;
};
template <class Visit>
void visit_fields(const MapAnswer& answer, Visit&& visit) {
  visit("model", answer.model, "that was asked");
  visit("kinds", answer.kinds, "of things");
  visit("points", answer.points, "what is drawn");
  visit("groups", answer.groups, "of things that lie together");
}

struct NamedCount {
  std::string name;
  std::int64_t items = 0;
};
template <class Visit>
void visit_fields(const NamedCount& each, Visit&& visit) {
  visit("name", each.name, "of the collection");
  visit("items", each.items, "of it");
}

struct YearCount {
  std::string year;
  std::int64_t items = 0;
};
template <class Visit>
void visit_fields(const YearCount& each, Visit&& visit) {
  visit("year", each.year, "four digits");
  visit("items", each.items, "of it");
}

struct KindCounts {
  std::int64_t picture = 0;
  std::int64_t text = 0;
  std::int64_t link = 0;
};
template <class Visit>
void visit_fields(const KindCounts& each, Visit&& visit) {
  visit("picture", each.picture, "items with a picture");
  visit("text", each.text, "items without");
  visit("link", each.link, "items with an address");
}

enum class TimeStep { day, month, year };
constexpr std::array<std::pair<TimeStep, const char*>, 3> words_of(TimeStep) {
  return {{{TimeStep::day, "day"}, {TimeStep::month, "month"}, {TimeStep::year, "year"}}};
}

struct TimeCount {
  std::string from;
  std::int64_t items = 0;
};
template <class Visit>
void visit_fields(const TimeCount& each, Visit&& visit) {
  visit("from", each.from, "when the step begins");
  visit("items", each.items, "in it");
}

struct Timeline {
  TimeStep step = TimeStep::year;
  std::vector<TimeCount> counts;
};
template <class Visit>
void visit_fields(const Timeline& timeline, Visit&& visit) {
  visit("step", timeline.step, "of the counts");
  visit("counts", timeline.counts, "oldest first");
}

struct FacetsAnswer {
  std::int64_t total = 0;
  std::vector<NamedCount> collections;
  std::vector<TagCount> tags;
  std::vector<YearCount> years;
  KindCounts kinds;
  std::int64_t untagged = 0;
  std::int64_t automatic = 0;
  std::int64_t placed = 0;
  Timeline timeline;
};
template <class Visit>
void visit_fields(const FacetsAnswer& answer, Visit&& visit) {
  visit("total", answer.total, "items that were found");
  visit("collections", answer.collections, "that they are of");
  visit("tags", answer.tags, "most used first");
  visit("years", answer.years, "that they are of");
  visit("kinds", answer.kinds, "of them");
  visit("untagged", answer.untagged, "items without a tag");
  visit("automatic", answer.automatic, "items with a tag of a machine");
  visit("placed", answer.placed, "items with a place");
  visit("timeline", answer.timeline, "of them");
}

struct PlacesCollection {
  std::string name;
  bool pictures = false;
};
template <class Visit>
void visit_fields(const PlacesCollection& each, Visit&& visit) {
  visit("name", each.name, "of the collection");
  visit("pictures", each.pictures, "it has some");
}

/// Lists of the same length, an item each.
struct PlacesPoints {
  std::vector<std::size_t> collection;
  std::vector<std::string> id;
  std::vector<double> latitude;
  std::vector<double> longitude;
};
template <class Visit>
void visit_fields(const PlacesPoints& each, Visit&& visit) {
  visit("collection", each.collection, "place among the collections");
  visit("id", each.id, "of the item");
  visit("latitude", each.latitude, "degrees north");
  visit("longitude", each.longitude, "degrees east");
}

struct PlacesAnswer {
  std::int64_t total = 0;
  std::vector<PlacesCollection> collections;
  PlacesPoints points;
};
template <class Visit>
void visit_fields(const PlacesAnswer& answer, Visit&& visit) {
  visit("total", answer.total, "items that were found");
  visit("collections", answer.collections, "that they are of");
  visit("points", answer.points, "those with a place");
}

struct SelectedIds {
  std::string name;
  std::vector<std::string> ids;
};
template <class Visit>
void visit_fields(const SelectedIds& each, Visit&& visit) {
  visit("name", each.name, "of the collection");
  visit("ids", each.ids, "of its items");
}

struct SelectionAnswer {
  std::vector<SelectedIds> collections;
};
template <class Visit>
void visit_fields(const SelectionAnswer& answer, Visit&& visit) {
  visit("collections", answer.collections, "with the items that are selected");
}

/// What was stored at once.
struct ChangeAnswer {
  DecisionRun run;
  std::optional<std::int64_t> items{};
};
template <class Visit>
void visit_fields(const ChangeAnswer& answer, Visit&& visit) {
  visit_fields(answer.run, visit);
  visit("items", answer.items, "that were selected");
}

/// What has arrived of an upload.
struct UploadFilesAnswer {
  std::string upload;
  std::vector<UploadedFile> files;
};
template <class Visit>
void visit_fields(const UploadedFile& file, Visit&& visit) {
  visit("name", file.name, "that it was sent under");
  visit("bytes", file.bytes, "that it has");
}
template <class Visit>
void visit_fields(const UploadFilesAnswer& answer, Visit&& visit) {
  visit("upload", answer.upload, "its id");
  visit("files", answer.files, "that are here, by name");
}

struct UploadAnswer {
  std::string upload;
  std::uint64_t bytes = 0;
};
template <class Visit>
void visit_fields(const UploadAnswer& answer, Visit&& visit) {
  visit("upload", answer.upload, "its name, for the job that adds it");
  visit("bytes", answer.bytes, "that were sent");
}

/// Answers in the shape of Annif's: a project is a suggest model.
struct AnnifBackend {
  std::string backend_id = "commonplace";
};
template <class Visit>
void visit_fields(const AnnifBackend& backend, Visit&& visit) {
  visit("backend_id", backend.backend_id, "always commonplace");
}

struct AnnifProject {
  std::string project_id;
  std::string name;
  std::string language;
  AnnifBackend backend{};
  bool is_trained = true;
  std::string modification_time;
};
template <class Visit>
void visit_fields(const AnnifProject& project, Visit&& visit) {
  visit("project_id", project.project_id, "the name of the model");
  visit("name", project.name, "of the model");
  visit("language", project.language, "of the texts it was learned from");
  visit("backend", project.backend, "what it is");
  visit("is_trained", project.is_trained, "always");
  visit("modification_time", project.modification_time, "when it was learned");
}

struct AnnifProjects {
  std::vector<AnnifProject> projects;
};
template <class Visit>
void visit_fields(const AnnifProjects& answer, Visit&& visit) {
  visit("projects", answer.projects, "by name");
}

struct AnnifSubject {
  std::string uri;
  std::string label;
  std::optional<std::string> notation{};
  double score = 0;
};
template <class Visit>
void visit_fields(const AnnifSubject& subject, Visit&& visit) {
  visit("uri", subject.uri, "of the tag");
  visit("label", subject.label, "the tag");
  visit.or_null("notation", subject.notation, "always null");
  visit("score", subject.score, "the confidence");
}

struct AnnifResults {
  std::vector<AnnifSubject> results;
};
template <class Visit>
void visit_fields(const AnnifResults& answer, Visit&& visit) {
  visit("results", answer.results, "surest first");
}

struct AnnifDocument {
  std::optional<std::string> document_id{};
  AnnifResults answer;
};
template <class Visit>
void visit_fields(const AnnifDocument& document, Visit&& visit) {
  visit.or_null("document_id", document.document_id, "as it was given");
  visit_fields(document.answer, visit);
}

}  // namespace commonplace::server
