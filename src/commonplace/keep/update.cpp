#include "commonplace/keep/update.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/detect/learn.h"
#include "commonplace/detect/update.h"
#include "commonplace/keep/standing_tags.h"
#include "commonplace/library/items/import_items.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/relate/learn.h"
#include "commonplace/rows/encoder_features.h"
#include "commonplace/rows/image_features.h"
#include "commonplace/search/ask.h"
#include "commonplace/suggest/learn.h"
#include "commonplace/suggest/update.h"
#include "commonplace/upkeep/thumbnails.h"

namespace commonplace {
namespace {

/// The longer side of a thumbnail, as the page asks for it.
constexpr int kThumbnailSide = 256;
constexpr std::int64_t kThumbnailsAtOnce = 64;

std::string counted(std::int64_t number, const std::string& noun) {
  return concat(number, ' ', noun, number == 1 ? "" : "s");
}

std::string read_files(Library& library, const Collection& collection, const Run& run) {
  ImportOptions options =
      import_options_of(library, collection).value_or(ImportOptions{collection.format, {}});
  if (options.format.empty()) options.format = collection.format;
  options.read.jobs = run.jobs;
  const ImportSummary summary =
      import_collection(library, collection.name, collection.source, options, run.progress);
  std::string said = concat(summary.added, " added, ", summary.updated, " changed");
  if (summary.moved > 0) said += concat(" (", summary.moved, " of them moved)");
  if (summary.missing > 0) said += concat(", ", summary.missing, " no longer there and kept");
  if (summary.bad > 0) said += concat(", ", summary.bad, " could not be read");
  return said;
}

std::string make_thumbnails(const Library& library, const Collection& collection, const Run& run) {
  ItemReader reader(library, collection);
  std::int64_t made = 0;
  std::vector<PictureFile> files;
  const auto flush = [&] {
    parallel_for(
        files.size(), run.jobs,
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i)
            thumbnail(library.path(), files[i], kThumbnailSide);
        },
        1);
    made += std::ssize(files);
    files.clear();
  };
  for (Item item; reader.next(item);) {
    if (auto file = picture_file(collection, item)) files.push_back(std::move(*file));
    if (std::ssize(files) < kThumbnailsAtOnce) continue;
    flush();
    run.progress({"making thumbnails", static_cast<std::uint64_t>(reader.row()),
                  static_cast<std::uint64_t>(collection.items), "pictures"});
  }
  flush();
  return counted(made, "picture");
}

std::string make_features(Library& library, const Collection& collection, const KeepTools& tools,
                          const Run& run) {
  std::int64_t encoded = 0;
  std::string names;
  const auto encode = [&](const std::string& name, const std::string& encoder) {
    EncoderFeatureOptions options;
    options.encoder = encoder;
    options.of = "pictures";
    encoded += make_encoder_features(library, collection, name, options, run).encoded;
    names += (names.empty() ? "" : ", ") + name;
  };
  const auto describe = [&](const std::string& name, const ImageFeatureOptions& options) {
    encoded += make_image_features(library, collection, name, options, false, run).encoded;
    names += (names.empty() ? "" : ", ") + name;
  };
  for (const std::string& name : kept_features(library, collection, tools)) {
    if (name == tools.encoder)
      encode(name, tools.encoder);
    else if (has_stored_image_model(library, collection, name))
      describe(name, stored_image_model(library, collection, name).options);
    else
      describe(name, {});
  }
  return concat(counted(encoded, "picture"), " encoded by ", names);
}

std::string index_words(Library& library, const Collection& collection, const Run& run) {
  const search::Answerer searcher(library, collection.name, "", run);
  if (!searcher.index_is_new()) return "the index was there";
  searcher.keep_index(library);
  return counted(collection.items, "item");
}

std::string learn_suggestions(Library& library, const KeepStep& step, const Run& run) {
  const std::string name = kept_model(library, "suggest", step.collection);
  if (!step.anew) {
    const suggest::Update update = suggest::update(library, name, run);
    return update.any() ? concat(counted(update.new_items, "new item"), ", ",
                                 counted(update.changed_items, "changed item"), " and ",
                                 counted(update.new_tags, "new tag"), " learned")
                        : "nothing to learn from";
  }
  const suggest::Report report = suggest::learn(library, step.collection, name, {}, run);
  return concat(counted(report.fit.tags, "tag"), " learned from ", report.features, " of ",
                counted(report.fit.items, "item"));
}

std::string learn_concepts(Library& library, const KeepStep& step, const Run& run) {
  const std::string name = kept_model(library, "detect", step.collection);
  if (!step.anew) {
    try {
      const detect::Update update = detect::update(library, name, run);
      return concat(counted(update.new_items, "new item"), " coded, ",
                    counted(update.changed_items, "changed item"), " learned");
    } catch (const StorageError&) {
      throw;
    } catch (const Cancelled&) {
      throw;
    } catch (const Error&) {
      // Rows that it has coded are others now: a picture has changed, or items were removed.
    }
  }
  detect::ModelOptions options;
  if (tagged_counts(library, collection(library, step.collection), options.min_uses).tags == 0)
    options.concepts_from = "none";
  const detect::Report report = detect::learn(library, step.collection, name, options, run);
  return concat(counted(report.concepts, "concept"), " learned from ",
                counted(report.items, "item"));
}

std::string learn_relations(Library& library, const KeepStep& step, const Run& run) {
  const std::string name = kept_model(library, "relate", step.collection);
  relate::ModelOptions options;
  options.read.collections = step.collection;
  const relate::Report report =
      step.anew ? relate::learn(library, name, options, run) : relate::update(library, name, run);
  return concat(counted(report.links, "link"), " in ", report.dim, " coordinates");
}

std::string work(Library& library, const KeepStep& step, const KeepTools& tools, const Run& run) {
  const Collection of = collection(library, step.collection);
  if (step.step == "files") return read_files(library, of, run);
  if (step.step == "thumbnails") return make_thumbnails(library, of, run);
  if (step.step == "features") return make_features(library, of, tools, run);
  if (step.step == "search") return index_words(library, of, run);
  if (step.step == "suggestions") return learn_suggestions(library, step, run);
  if (step.step == "concepts") return learn_concepts(library, step, run);
  if (step.step == "relations") return learn_relations(library, step, run);
  return extend_standing_tags(library, of, run);
}

}  // namespace

std::optional<KeepLock> KeepLock::take(const Library& library) {
  const std::filesystem::path path = library.path() / "upkeep.lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  require(file >= 0, path.string(), ": cannot be written");
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return KeepLock(file);
  ::close(file);
  return std::nullopt;
}

bool is_kept_now(const Library& library) {
  const int file = ::open((library.path() / "upkeep.lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool taken = ::flock(file, LOCK_SH | LOCK_NB) != 0;
  ::close(file);
  return taken;
}

KeepLock::~KeepLock() {
  if (file_ >= 0) ::close(file_);
}

KeepLock::KeepLock(KeepLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

std::vector<KeptStep> bring_up_to_date(Library& library, const KeepTools& tools,
                                       const std::function<void(const KeptStep&)>& on_step,
                                       const Run& run) {
  std::vector<KeptStep> done;
  // A step that was done is not done again for the same state, whatever else has come meanwhile.
  std::set<std::pair<std::string, std::string>> tried;
  while (true) {
    const std::vector<KeepStep> plan = plan_upkeep(library, tools);
    const auto next = std::find_if(plan.begin(), plan.end(), [&](const KeepStep& each) {
      return each.state == KeepState::due &&
             !tried.contains({each.collection + '\n' + each.step, each.now});
    });
    if (next == plan.end()) return done;
    tried.insert({next->collection + '\n' + next->step, next->now});
    KeptStep kept{next->collection, next->step, next->why, "", "", 0};
    const auto begun = Clock::now();
    try {
      run.progress({next->step, 0, static_cast<std::uint64_t>(next->items), "items"});
      kept.said = work(library, *next, tools, run);
    } catch (const StorageError&) {
      throw;
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      kept.problem = error.what();
    }
    kept.seconds = seconds_since(begun);
    if (kept.problem.empty()) {
      // As it was looked at before the work: what came meanwhile makes it due again.
      UpkeepEntry entry{next->collection, next->step, next->now, next->items,
                        kept.seconds,     kept.said,  ""};
      if (next->step == "tags")
        entry.state = standing_state(library, collection(library, next->collection));
      store_upkeep(library, entry);
    }
    on_step(kept);
    done.push_back(std::move(kept));
  }
}

}  // namespace commonplace
