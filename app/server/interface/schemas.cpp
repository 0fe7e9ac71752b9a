#include "app/server/interface/schemas.h"

#include "app/server/answers.h"
#include "app/server/jobs/jobs.h"
#include "commonplace/relate/place_by_time.h"
#include "commonplace/transfer/ask.h"

namespace commonplace::server {

Schemas::Json answer_schemas() {
  Schemas all;
  all.add<HealthAnswer>("Health");
  all.add<LibraryAnswer>("LibraryInfo");
  all.add<app::CollectionAnswer>("Collection");
  all.add<LinkCount>("CollectionLinks");
  all.add<app::CollectionsAnswer>("Collections");
  all.add<TagCount>("TagCount");
  all.add<TagsAnswer>("Tags");
  all.add<TagNode>("TagNode");
  all.add<VocabularyAnswer>("Vocabulary");
  all.add<MergeCandidate>("MergeCandidate");
  all.add<MergeCandidatesAnswer>("MergeCandidates");
  all.add<CompleteAnswer>("Completions");
  all.add<ModelAnswer>("Model");
  all.add<ModelsAnswer>("Models");
  all.add<Evaluation>("Evaluation");
  all.add<EvaluationsAnswer>("Evaluations");
  all.add<Brief>("Brief");
  all.add<ItemsAnswer>("Items");
  all.add<Place>("Place");
  all.add<Verdict>("Verdict");
  all.add<ItemTag>("ItemTag");
  all.add<ItemAnswer>("Item");
  all.add<search::Reasons>("Why");
  all.add<Hit>("Hit");
  all.add<HitsAnswer>("SearchAnswer");
  all.add<search::TopicSummary>("Topic");
  all.add<TopicsAnswer>("Topics");
  all.add<suggest::Suggestion>("Suggestion");
  all.add<SuggestionsAnswer>("Suggestions");
  all.add<ReviewQuestion>("ReviewEntry");
  all.add<ReviewAnswer>("ReviewAnswer");
  all.add<ReviewTagsAnswer>("ReviewTags");
  all.add<suggest::Fault>("Fault");
  all.add<AuditQuestion>("AuditEntry");
  all.add<AuditAnswer>("AuditAnswer");
  all.add<LoggedDecision>("LoggedDecision");
  all.add<DecisionsAnswer>("DecisionLog");
  all.add<DecisionConflict>("DecisionConflict");
  all.add<ConflictsAnswer>("DecisionConflicts");
  all.add<MergedAnswer>("MergedDecisions");
  all.add<CalibrationBin>("ReliabilityBin");
  all.add<EffectAnswer>("ReviewEffect");
  all.add<detect::DetectableConcept>("Concept");
  all.add<ConceptsAnswer>("Concepts");
  all.add<DetectedItem>("Detected");
  all.add<FoundAnswer>("DetectAnswer");
  all.add<TaggedAnswer>("TaggedAnswer");
  all.add<TaughtAnswer>("TaughtAnswer");
  all.add<relate::RelatedNode>("RelatedThing");
  all.add<relate::RelatedNodes>("RelatedKind");
  all.add<relate::Answer>("RelateAnswer");
  all.add<relate::ItemPlace>("ItemPlace");
  all.add<relate::SameTags>("SamePair");
  all.add<SameTagsAnswer>("SamePairs");
  all.add<relate::Group>("Group");
  all.add<GroupsAnswer>("Groups");
  all.add<MapAnswer>("MapAnswer");
  all.add<FacetsAnswer>("Facets");
  all.add<PlacesAnswer>("Places");
  all.add<SelectionAnswer>("Selection");
  all.add<ChangeAnswer>("ChangeAnswer");
  all.add<Job::State>("JobState");
  all.add<Job>("Job");
  all.add<JobsAnswer>("Jobs");
  all.add<UploadAnswer>("Upload");
  all.add<UploadedFile>("UploadedFile");
  all.add<UploadFilesAnswer>("UploadFiles");
  all.add<AnnifProject>("AnnifProject");
  all.add<AnnifProjects>("AnnifProjects");
  all.add<AnnifResults>("AnnifResults");
  all.add<AnnifDocument>("AnnifDocument");
  // What jobs print.
  all.add<transfer::BridgeMap>("Distances");
  all.add<transfer::RankedBridge>("Bridge");
  all.add<transfer::BridgeRanking>("BridgeRanking");
  all.add<transfer::Answer>("TransferResult");
  return all.components();
}

}  // namespace commonplace::server
