#include "commonplace/search/evaluate_queries.h"

#include <algorithm>
#include <vector>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/io/json.h"
#include "commonplace/io/lines.h"
#include "commonplace/library/items/items.h"
#include "commonplace/search/ask.h"

namespace commonplace::search {
namespace {

struct AskedFor {
  std::string query;
  std::int64_t row = 0;
};

std::vector<AskedFor> read_queries(const std::filesystem::path& file, const Library& library,
                                   const Collection& target) {
  const auto rows = rows_by_id(library, target);
  std::vector<AskedFor> result;
  LineReader lines(open_bytes(file), file.string());
  std::string_view line;
  while (lines.next(line)) {
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos)
      fail(to_string(lines.where()), ": expected 'query TAB item id', found '", line, "'");
    const auto row = rows.find(std::string(line.substr(tab + 1)));
    if (row == rows.end())
      fail(to_string(lines.where()), ": collection '", target.name, "' has no item '",
           line.substr(tab + 1), "'");
    result.push_back({std::string(line.substr(0, tab)), row->second});
  }
  require(!result.empty(), file.string(), ": there are no queries in it");
  return result;
}

}  // namespace

QueriesEvaluation evaluate_queries(const Library& library, const std::string& target,
                                   const std::filesystem::path& file, const Run& run) {
  const Collection searched = collection(library, target);
  const std::vector<AskedFor> asked = read_queries(file, library, searched);
  const std::vector<SearchPlace> places = search_places(library, {target}, {});
  const Answerer searcher(library, target, places.at(0).model, run);
  QueriesEvaluation result;
  result.model = places[0].model;
  result.items = searched.items;
  result.queries = std::ssize(asked);
  const double each = 1.0 / static_cast<double>(asked.size());
  std::vector<std::int64_t> ranks;
  const auto begin = Clock::now();
  for (const AskedFor& one : asked) {
    run.progress({"asking", ranks.size(), asked.size(), "queries"});
    Query query;
    query.words = {one.query};
    const Ranking ranking = searcher.rank(query, {.limit = searched.items});
    if (ranking.meant && !ranking.meant->problem.empty()) fail(ranking.meant->problem);
    const auto found = std::find_if(ranking.items.begin(), ranking.items.end(),
                                    [&](const RankedItem& item) { return item.row == one.row; });
    const std::int64_t rank =
        found == ranking.items.end() ? searched.items : found - ranking.items.begin() + 1;
    const bool is_there = found != ranking.items.end();
    if (is_there && rank <= 1) result.found_first += each;
    if (is_there && rank <= 5) result.found_in_5 += each;
    if (is_there && rank <= 10) result.found_in_10 += each;
    if (ranking.items.empty()) result.nothing += each;
    ranks.push_back(rank);
  }
  result.milliseconds = 1000 * seconds_since(begin) * each;
  std::sort(ranks.begin(), ranks.end());
  result.median_rank = static_cast<double>(ranks[ranks.size() / 2]);
  return result;
}

std::string to_json(const QueriesEvaluation& evaluation) {
  const nlohmann::ordered_json json = {{"model", evaluation.model},
                                       {"items", evaluation.items},
                                       {"queries", evaluation.queries},
                                       {"found_first", evaluation.found_first},
                                       {"found_in_5", evaluation.found_in_5},
                                       {"found_in_10", evaluation.found_in_10},
                                       {"median_rank", evaluation.median_rank},
                                       {"nothing", evaluation.nothing},
                                       {"milliseconds", evaluation.milliseconds}};
  return json_text(json);
}

}  // namespace commonplace::search
