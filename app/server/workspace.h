#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/server/revalidating_cache.h"
#include "commonplace/detect/ask.h"
#include "commonplace/library/library.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/relate/ask.h"
#include "commonplace/relate/overview.h"
#include "commonplace/search/ask.h"
#include "commonplace/suggest/ask.h"
#include "commonplace/suggest/review.h"

namespace commonplace::server {

/// A library open for many requests at once: connections for readers, one writer at a time, and
/// models that stay open between requests and follow what is learned, here or by another process.
class Workspace {
 public:
  Workspace(std::filesystem::path library, bool read_only, int jobs);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const std::filesystem::path& path() const { return path_; }
  bool read_only() const { return read_only_; }
  int jobs() const { return jobs_; }

  /// A connection for reading, used by one thread at a time; it goes back when the pointer goes.
  std::shared_ptr<const Library> library();
  /// Calls `change` with the library open for writing, one caller at a time.
  void write(const std::function<void(Library&)>& change);

  /// Beyond this nobody scrolls.
  static constexpr std::int64_t kMostHits = 100'000;
  /// What was found, of which pages up to the item `until` can be read; kept for a while so that
  /// further ones are quick to read.
  std::shared_ptr<const search::Results> search(const std::string& query,
                                                const std::vector<std::string>& collections,
                                                const std::vector<std::string>& models,
                                                bool words_only, std::int64_t until,
                                                search::Order order = search::Order::best);
  std::shared_ptr<const search::Results> like(const std::string& collection, const std::string& id,
                                              const std::vector<std::string>& in,
                                              std::int64_t until);
  /// The same for a picture that is in no collection.
  std::shared_ptr<const search::Results> like_picture(const std::string& bytes,
                                                      const std::vector<std::string>& in,
                                                      std::int64_t until);

  /// The suggest model that is meant, by its name or that of its collection.
  std::string suggest_model(const std::string& model, const std::string& collection);
  /// Calls `ask` with the model, which has learned all that was decided before.
  void with_suggester(const std::string& model,
                      const std::function<void(const suggest::Answerer&)>& ask);
  /// All questions there are, in their order; those that were decided since are among them.
  using Questions = std::vector<suggest::ReviewCandidate>;
  std::shared_ptr<const Questions> questions(const std::string& model,
                                             const std::string& collection,
                                             const suggest::ReviewOptions& options);
  /// The question that a decision answers, as it was made; nothing if there was none.
  std::optional<suggest::ReviewCandidate> asked(const std::string& collection,
                                                const std::string& item, const std::string& tag);

  void with_finder(const std::string& model, const std::string& collection,
                   const std::function<void(const detect::Answerer&)>& ask);
  void with_relations(const std::string& model,
                      const std::function<void(const relate::Answerer&)>& ask);
  std::shared_ptr<const relate::Map> map(const std::string& model,
                                         const relate::MapOptions& options, std::int64_t groups);

  /// Width by height of an item's picture, 0 where it has none that can be shown; read once and
  /// kept.
  double ratio(const Collection& collection, const std::string& id, const std::string& image);

  /// Stores what suggest models have learned from decisions since they were last stored. Decisions
  /// themselves are stored already: if it fails, the model learns them again when it is opened.
  void keep_learned();

 private:
  struct OpenSearcher;
  struct OpenSuggester;
  struct OpenFinder;
  struct OpenRelations;
  struct KeptResults {
    std::string key;
    std::shared_ptr<const search::Results> results;
  };

  std::shared_ptr<const search::Answerer> searcher(const Library& library,
                                                   const search::SearchPlace& place,
                                                   std::string& key);
  void keep_index(const search::Answerer& made);
  std::shared_ptr<const search::Results> ranked(
      const std::string& asked, const std::vector<search::SearchPlace>& places, std::int64_t until,
      search::Order order,
      const std::function<search::Ranking(const search::Answerer&, const search::Options&)>& rank);
  std::shared_ptr<const search::Results> kept(
      const std::string& key, const std::function<std::shared_ptr<const search::Results>()>& make);
  std::shared_ptr<OpenSuggester> open_suggester(const std::string& model);
  std::shared_ptr<OpenRelations> open_relations(const std::string& model);

  std::filesystem::path path_;
  bool read_only_;
  int jobs_;

  std::mutex pool_mutex_;
  std::vector<std::unique_ptr<Library>> pool_;
  std::mutex write_mutex_;
  std::unique_ptr<Library> writer_;

  std::mutex ratios_mutex_;
  std::unordered_map<std::string, float> ratios_;  ///< by collection, its revision, and item

  std::mutex results_mutex_;
  std::list<KeptResults> results_;  ///< the newest first

  RevalidatingCache<OpenSearcher> searchers_{64};
  RevalidatingCache<OpenSuggester> suggesters_{16};
  RevalidatingCache<OpenFinder> finders_{8};
  RevalidatingCache<OpenRelations> relations_{4};
  RevalidatingCache<const relate::Map> maps_{8};
  RevalidatingCache<const Questions> questions_{16};
};

}  // namespace commonplace::server
