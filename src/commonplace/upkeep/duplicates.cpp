#include "commonplace/upkeep/duplicates.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <filesystem>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/features/picture_trace.h"
#include "commonplace/features/text_shingles.h"
#include "commonplace/formats/web_address.h"
#include "commonplace/io/json.h"
#include "commonplace/io/xxhash64.h"
#include "commonplace/library/items/items.h"
#include "commonplace/math/bucket_pairs.h"
#include "commonplace/rows/encoder_features.h"
#include "commonplace/rows/image_sources.h"
#include "commonplace/rows/item_texts.h"
#include "commonplace/upkeep/thumbnails.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

enum class By { pictures, texts, links };
constexpr std::array<const char*, 3> kNames = {"pictures", "texts", "links"};
const char* name_of(By by) { return kNames[static_cast<std::size_t>(by)]; }

constexpr std::size_t kMostOfABucket = 16;
/// Details are commoner: the corner of a page, a blank wall.
constexpr std::size_t kMostOfADetail = 8;
constexpr std::size_t kDetailTables = 4;
constexpr int kLayoutBands = 4;
constexpr std::size_t kVectorTables = 8;
constexpr int kVectorBits = 16;
/// Progress is told each time after so many.
constexpr std::size_t kAtOnce = 256;

/// An item as far as it is needed to find candidates.
struct Row {
  std::uint32_t collection = 0;
  std::string id;
  std::string location;       ///< of its picture's file
  std::uint64_t address = 0;  ///< hash of the plain one; 0: none
  std::uint64_t file = 0;     ///< fingerprint of the picture's file; 0: not read
  std::unique_ptr<MinHash> words;
  std::optional<PictureTrace> trace;
};

/// What two items were found to have in common.
struct Link {
  RowPair rows;
  double likeness = 1;
};

std::uint64_t hash_of(std::string_view text) {
  Xxh64 hash;
  hash.update(std::as_bytes(std::span(text)));
  return hash.digest();
}

/// Groups of rows that hang together, each ascending.
std::vector<std::vector<std::uint32_t>> parts_of(const std::vector<Link>& links) {
  std::unordered_map<std::uint32_t, std::uint32_t> parents;
  const auto root = [&](std::uint32_t row) {
    parents.try_emplace(row, row);
    while (parents[row] != row) {
      parents[row] = parents[parents[row]];
      row = parents[row];
    }
    return row;
  };
  for (const Link& link : links) {
    const std::uint32_t a = root(link.rows.first);
    const std::uint32_t b = root(link.rows.second);
    parents[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::uint32_t> rows;
  for (const auto& [row, parent] : parents) rows.push_back(row);
  std::sort(rows.begin(), rows.end());
  std::unordered_map<std::uint32_t, std::size_t> numbers;
  std::vector<std::vector<std::uint32_t>> parts;
  for (const std::uint32_t row : rows) {
    const auto [place, is_new] = numbers.try_emplace(root(row), parts.size());
    if (is_new) parts.emplace_back();
    parts[place->second].push_back(row);
  }
  return parts;
}

std::string format_of(const fs::path& path) {
  const std::string type = picture_type(path);
  if (type == "image/jpeg") return "JPEG";
  if (type == "image/png") return "PNG";
  if (type == "image/webp") return "WebP";
  if (type == "image/gif") return "GIF";
  if (type == "image/svg+xml") return "SVG";
  return "";
}

class Finding {
 public:
  Finding(const Library& library, const std::vector<Collection>& collections,
          const DuplicateOptions& options, const Run& run)
      : library_(library), collections_(collections), options_(options), run_(run) {
    require(options.likeness > 0 && options.likeness <= 1, "likeness is ", options.likeness,
            "; expected more than 0, at most 1");
    for (const std::string& each : options.by)
      require(std::find(kNames.begin(), kNames.end(), each) != kNames.end(),
              "things are compared by pictures, texts or links, not by '", each, "'");
  }

  DuplicateReport run() {
    const auto begun = Clock::now();
    read_items();
    if (wants(By::links)) find_links();
    if (wants(By::texts)) find_texts();
    if (wants(By::pictures)) find_pictures();
    std::stable_sort(report_.groups.begin(), report_.groups.end(),
                     [](const DuplicateGroup& a, const DuplicateGroup& b) {
                       return a.items.size() > b.items.size();
                     });
    report_.seconds = seconds_since(begun);
    return std::move(report_);
  }

 private:
  bool wants(By by) const {
    return options_.by.empty() ||
           std::find(options_.by.begin(), options_.by.end(), name_of(by)) != options_.by.end();
  }

  void read_items() {
    std::int64_t total = 0;
    for (const Collection& each : collections_) total += each.items;
    Tokenizer tokenizer(shingle_tokens());
    for (std::size_t number = 0; number < collections_.size(); ++number) {
      first_rows_.push_back(rows_.size());
      readers_.push_back(std::make_unique<ItemReader>(library_, collections_[number]));
      ItemReader reader(library_, collections_[number]);
      for (Item item; reader.next(item);) {
        if (rows_.size() % kAtOnce == 0)
          run_.progress(
              {"reading items", rows_.size(), static_cast<std::uint64_t>(total), "items"});
        Row& row = rows_.emplace_back();
        row.collection = static_cast<std::uint32_t>(number);
        row.id = item.id;
        row.location = image_location(collections_[number], item);
        if (row.location.find("://") != std::string::npos) row.location.clear();
        if (wants(By::links))
          if (const std::string plain = plain_address(web_address(item)); !plain.empty())
            row.address = hash_of(plain);
        if (wants(By::texts) && (!options_.by.empty() || row.location.empty()))
          if (const auto shingles = text_shingles(tokenizer, item_text(item)); !shingles.empty())
            row.words = std::make_unique<MinHash>(min_hash(shingles));
      }
    }
  }

  /// Adds the pairs of rows that have the same key; a key of 0 is none.
  void add_pairs(const std::function<std::uint64_t(const Row&)>& key,
                 std::vector<RowPair>& pairs) const {
    std::vector<Keyed> entries;
    for (std::size_t row = 0; row < rows_.size(); ++row)
      if (const std::uint64_t value = key(rows_[row]); value != 0)
        entries.push_back({value, static_cast<std::uint32_t>(row)});
    add_bucket_pairs(entries, kMostOfABucket, pairs);
  }

  Item item_of(std::uint32_t row) const {
    std::optional<Item> found = readers_[rows_[row].collection]->find(rows_[row].id);
    require(found.has_value(), "the item '", rows_[row].id, "' has gone while it was compared");
    return std::move(*found);
  }

  void find_links() {
    std::vector<RowPair> pairs;
    add_pairs([](const Row& row) { return row.address; }, pairs);
    for (const Row& row : rows_) report_.links += row.address != 0 ? 1 : 0;
    std::vector<Link> links;
    for (const RowPair& pair : pairs) links.push_back({pair, 1});
    add_groups(By::links, links);
  }

  void find_texts() {
    std::vector<RowPair> pairs;
    for (std::size_t band = 0; band < kBands; ++band)
      add_pairs([band](const Row& row) { return row.words ? band_key(*row.words, band) : 0; },
                pairs);
    keep_repeated(pairs, 1);
    for (const Row& row : rows_) report_.texts += row.words ? 1 : 0;
    report_.candidates += std::ssize(pairs);
    std::vector<Link> links;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (i % kAtOnce == 0) run_.progress({"comparing texts", i, pairs.size(), "pairs"});
      // The hashes tell within some hundredths; the words themselves say the rest.
      const MinHash& a = *rows_[pairs[i].first].words;
      const MinHash& b = *rows_[pairs[i].second].words;
      std::size_t equal = 0;
      for (std::size_t k = 0; k < kMinHashes; ++k) equal += a[k] == b[k] ? 1 : 0;
      if (static_cast<double>(equal) / kMinHashes < options_.likeness - 0.2) continue;
      const double likeness = text_likeness(pairs[i].first, pairs[i].second);
      if (likeness >= options_.likeness) links.push_back({pairs[i], likeness});
    }
    add_groups(By::texts, links);
  }

  double text_likeness(std::uint32_t first, std::uint32_t second) const {
    return jaccard(shingles_of(first), shingles_of(second));
  }
  /// Pairs come in order of their first rows, so those last read are asked for again.
  const std::vector<std::uint64_t>& shingles_of(std::uint32_t row) const {
    constexpr std::size_t kKept = 4096;
    if (shingles_.size() > kKept && !shingles_.contains(row)) shingles_.clear();
    const auto [place, is_new] = shingles_.try_emplace(row);
    if (is_new) {
      if (!tokenizer_) tokenizer_ = std::make_unique<Tokenizer>(shingle_tokens());
      place->second = text_shingles(*tokenizer_, item_text(item_of(row)));
    }
    return place->second;
  }

  void read_pictures() {
    std::vector<std::size_t> with_picture;
    for (std::size_t row = 0; row < rows_.size(); ++row)
      if (!rows_[row].location.empty()) with_picture.push_back(row);
    std::vector<std::string> problems(rows_.size());
    std::mutex mutex;
    std::size_t done = 0;
    parallel_for(
        with_picture.size(), run_.jobs,
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            read_picture(rows_[with_picture[i]], problems[with_picture[i]]);
            const std::lock_guard lock(mutex);
            run_.progress({"reading pictures", done++, with_picture.size(), "pictures"});
          }
        },
        8);
    for (const std::size_t row : with_picture) {
      if (problems[row].empty())
        ++report_.pictures;
      else
        report_.skipped.push_back(
            {collections_[rows_[row].collection].name, rows_[row].id, problems[row]});
    }
  }

  static void read_picture(Row& row, std::string& problem) {
    try {
      const ImageBytes image = read_image({row.id, row.location});
      row.file = std::max<std::uint64_t>(1, image.fingerprint);
      PictureOptions options;
      options.side = kTraceSide;
      row.trace = trace_of(decode_picture(image.bytes, row.location, options));
    } catch (const Error& error) {
      problem = error.what();
    }
  }

  void add_detail_pairs(std::vector<RowPair>& pairs) const {
    std::size_t total = 0;
    for (const Row& row : rows_) total += row.trace ? row.trace->details.size() : 0;
    // As many values as details, so that chance puts few together.
    const int bits = std::clamp(static_cast<int>(std::bit_width(total)) + 1, 12, 30);
    std::vector<RowPair> found;
    for (std::size_t table = 0; table < kDetailTables; ++table) {
      std::vector<Keyed> entries;
      entries.reserve(total);
      for (std::size_t row = 0; row < rows_.size(); ++row) {
        if (!rows_[row].trace) continue;
        for (const PictureTrace::Detail& detail : rows_[row].trace->details)
          entries.push_back({std::rotr(detail.code, static_cast<int>(16 * table)) &
                                 ((std::uint64_t{1} << bits) - 1),
                             static_cast<std::uint32_t>(row)});
      }
      add_bucket_pairs(entries, kMostOfADetail, found);
    }
    keep_repeated(found, 2);
    pairs.insert(pairs.end(), found.begin(), found.end());
  }

  void add_layout_pairs(std::vector<RowPair>& pairs) const {
    constexpr int kBits = 64 / kLayoutBands;
    for (int band = 0; band < kLayoutBands; ++band)
      add_pairs(
          [&](const Row& row) -> std::uint64_t {
            if (!row.trace) return 0;
            return 1 + ((row.trace->layout >> (band * kBits)) & ((1U << kBits) - 1));
          },
          pairs);
  }

  /// Pairs whose vectors by an encoder lie on the same side of random planes.
  void add_vector_pairs(std::vector<RowPair>& pairs) const {
    for (std::size_t number = 0; number < collections_.size(); ++number)
      for (const FeatureRecord& record : feature_records(library_, collections_[number])) {
        if (record.sparse || record.columns == 0 ||
            encoded_medium(library_, collections_[number], record.name) != Medium::picture)
          continue;
        const NpyMatrix file = dense_features(record);
        const MatrixView vectors = file.view();
        const Eigen::RowVectorXf mean = vectors.colwise().mean();
        Matrix planes(vectors.cols(), static_cast<Eigen::Index>(kVectorTables * kVectorBits));
        for (Eigen::Index i = 0; i < planes.rows(); ++i)
          for (Eigen::Index j = 0; j < planes.cols(); ++j)
            planes(i, j) =
                random_bits(2, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) % 2 ==
                        0
                    ? 1.0F
                    : -1.0F;
        const Eigen::RowVectorXf middle = mean * planes;
        std::array<std::vector<Keyed>, kVectorTables> entries;
        for (Eigen::Index i = 0; i < vectors.rows(); ++i) {
          const std::size_t row = first_rows_[number] + static_cast<std::size_t>(i);
          if (row >= rows_.size() || !rows_[row].trace || vectors.row(i).isZero()) continue;
          const Eigen::RowVectorXf sides = vectors.row(i) * planes - middle;
          for (std::size_t table = 0; table < kVectorTables; ++table) {
            std::uint64_t key = 0;
            for (std::size_t bit = 0; bit < kVectorBits; ++bit)
              key = key << 1U |
                    (sides(static_cast<Eigen::Index>(table * kVectorBits + bit)) > 0 ? 1U : 0U);
            entries[table].push_back({key, static_cast<std::uint32_t>(row)});
          }
        }
        std::vector<RowPair> found;
        for (std::vector<Keyed>& table : entries) add_bucket_pairs(table, kMostOfADetail, found);
        keep_repeated(found, 2);
        pairs.insert(pairs.end(), found.begin(), found.end());
      }
  }

  void find_pictures() {
    read_pictures();
    std::vector<RowPair> same_file;
    add_pairs([](const Row& row) { return row.file; }, same_file);
    std::vector<RowPair> pairs;
    add_layout_pairs(pairs);
    add_detail_pairs(pairs);
    add_vector_pairs(pairs);
    keep_repeated(pairs, 1);
    report_.candidates += std::ssize(pairs);
    std::vector<Link> links;
    for (const RowPair& pair : same_file) links.push_back({pair, 1});
    std::mutex mutex;
    std::size_t done = 0;
    parallel_for(
        pairs.size(), run_.jobs,
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            const Row& first = rows_[pairs[i].first];
            const Row& second = rows_[pairs[i].second];
            const PictureMatch match = first.file == second.file
                                           ? PictureMatch{}
                                           : match_pictures(*first.trace, *second.trace);
            const std::lock_guard lock(mutex);
            if (match.same) links.push_back({pairs[i], match.likeness});
            if (++done % kAtOnce == 0)
              run_.progress({"comparing pictures", done, pairs.size(), "pairs"});
          }
        },
        64);
    std::sort(links.begin(), links.end(),
              [](const Link& a, const Link& b) { return a.rows < b.rows; });
    add_groups(By::pictures, links);
  }

  void add_groups(By by, const std::vector<Link>& links) {
    for (const std::vector<std::uint32_t>& part : parts_of(links)) {
      DuplicateGroup group;
      group.by = name_of(by);
      std::vector<std::pair<Duplicate, std::uint32_t>> members;
      for (const std::uint32_t row : part) members.emplace_back(described(row, by), row);
      std::stable_sort(members.begin(), members.end(), [&](const auto& a, const auto& b) {
        return is_better(a.first, b.first, by);
      });
      for (auto& [member, row] : members) {
        member.best = row == members[0].second;
        if (!member.best) compare(members[0].second, members[0].first, row, by, member);
        group.items.push_back(std::move(member));
      }
      group.differs = differences(group.items, by);
      report_.groups.push_back(std::move(group));
    }
  }

  Duplicate described(std::uint32_t number, By by) const {
    const Row& row = rows_[number];
    const Item item = item_of(number);
    Duplicate result;
    result.collection = collections_[row.collection].name;
    result.id = row.id;
    result.title = item.title;
    for (const ItemTag& tag : item.tags) result.tags.push_back(tag.name);
    result.time = item.time;
    result.address = web_address(item);
    if (by != By::pictures) {
      result.bytes = std::ssize(item.text) + std::ssize(item.title);
      return result;
    }
    std::error_code error;
    const auto bytes = fs::file_size(row.location, error);
    if (!error) result.bytes = static_cast<std::int64_t>(bytes);
    result.format = format_of(row.location);
    const auto sides = picture_sides({row.location, picture_type(row.location)});
    if (sides) {
      result.width = std::llround(sides->width);
      result.height = std::llround(sides->height);
    }
    return result;
  }

  /// Drawings have any size. Then more pixels; of as many what lost nothing, then the greater file.
  static bool is_better(const Duplicate& a, const Duplicate& b, By by) {
    const auto secure = [](const Duplicate& each) { return each.address.starts_with("https:"); };
    const auto older = [](const Duplicate& each) { return each.time.empty() ? "9" : each.time; };
    if (by == By::pictures) {
      if ((a.format == "SVG") != (b.format == "SVG")) return a.format == "SVG";
      const std::int64_t pixels = a.width * a.height;
      const std::int64_t others = b.width * b.height;
      // Sides that were rounded are no gain.
      if (static_cast<double>(std::abs(pixels - others)) >
          0.02 * static_cast<double>(std::max(pixels, others)))
        return pixels > others;
      if ((a.format == "PNG") != (b.format == "PNG")) return a.format == "PNG";
    }
    if (by == By::links && secure(a) != secure(b)) return secure(a);
    if (by != By::pictures && a.tags.size() != b.tags.size()) return a.tags.size() > b.tags.size();
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    if (a.tags.size() != b.tags.size()) return a.tags.size() > b.tags.size();
    return older(a) < older(b);
  }

  void compare(std::uint32_t best, const Duplicate& first, std::uint32_t row, By by,
               Duplicate& member) const {
    if (by == By::links) {
      member.is = "same address";
      return;
    }
    if (by == By::texts) {
      member.likeness = text_likeness(best, row);
      member.is = member.likeness == 1                   ? "same text"
                  : member.likeness >= options_.likeness ? "similar text"
                                                         : "by way of another";
      return;
    }
    if (rows_[best].file == rows_[row].file) {
      member.is = "same file";
      return;
    }
    const PictureMatch match = rows_[best].trace && rows_[row].trace
                                   ? match_pictures(*rows_[best].trace, *rows_[row].trace)
                                   : PictureMatch{};
    member.likeness = match.likeness;
    const double pixels = static_cast<double>(first.width * first.height);
    const double mine = static_cast<double>(member.width * member.height);
    member.is = !match.same                                                ? "by way of another"
                : std::min(match.first_shared, match.second_shared) < 0.95 ? "crop"
                : match.likeness < 0.985                                   ? "edited"
                : mine < 0.98 * pixels                                     ? "smaller"
                : mine > 1.02 * pixels                                     ? "larger"
                                                                           : "copy";
  }

  static std::vector<std::string> differences(const std::vector<Duplicate>& items, By by) {
    std::vector<std::string> result;
    const auto note = [&](const char* name, const auto& value) {
      for (const Duplicate& each : items)
        if (value(each) != value(items[0])) {
          result.emplace_back(name);
          return;
        }
    };
    if (by == By::pictures) {
      note("size", [](const Duplicate& each) { return std::pair(each.width, each.height); });
      note("format", [](const Duplicate& each) { return each.format; });
    }
    note("bytes", [](const Duplicate& each) { return each.bytes; });
    note("title", [](const Duplicate& each) { return each.title; });
    note("tags", [](const Duplicate& each) {
      std::vector<std::string> tags = each.tags;
      std::sort(tags.begin(), tags.end());
      return tags;
    });
    note("time", [](const Duplicate& each) { return each.time; });
    note("address", [](const Duplicate& each) { return each.address; });
    return result;
  }

  const Library& library_;
  const std::vector<Collection>& collections_;
  const DuplicateOptions& options_;
  Run run_;
  std::vector<Row> rows_;                             ///< of all collections, one after the other
  std::vector<std::size_t> first_rows_;               ///< of each collection
  std::vector<std::unique_ptr<ItemReader>> readers_;  ///< for single items
  mutable std::unique_ptr<Tokenizer> tokenizer_;
  mutable std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> shingles_;
  DuplicateReport report_;
};

}  // namespace

DuplicateReport find_duplicates(const Library& library, const std::vector<Collection>& collections,
                                const DuplicateOptions& options, const Run& run) {
  return Finding(library, collections, options, run).run();
}

std::string to_json(const DuplicateReport& report) {
  using Json = nlohmann::ordered_json;
  Json groups = Json::array();
  for (const DuplicateGroup& group : report.groups) {
    Json items = Json::array();
    for (const Duplicate& each : group.items) {
      Json item = {{"collection", each.collection}, {"id", each.id}};
      if (!each.title.empty()) item["title"] = each.title;
      item["best"] = each.best;
      if (!each.is.empty()) {
        item["is"] = each.is;
        item["likeness"] = each.likeness;
      }
      if (each.width > 0) {
        item["width"] = each.width;
        item["height"] = each.height;
      }
      if (!each.format.empty()) item["format"] = each.format;
      item["bytes"] = each.bytes;
      item["tags"] = each.tags;
      if (!each.time.empty()) item["time"] = each.time;
      if (!each.address.empty()) item["url"] = each.address;
      items.push_back(std::move(item));
    }
    groups.push_back({{"by", group.by}, {"differs", group.differs}, {"items", std::move(items)}});
  }
  Json skipped = Json::array();
  for (const DuplicateReport::Skipped& each : report.skipped)
    skipped.push_back({{"collection", each.collection}, {"id", each.id}, {"reason", each.reason}});
  return lenient_json_text(
      Json({{"groups", std::move(groups)},
            {"compared",
             {{"pictures", report.pictures}, {"texts", report.texts}, {"links", report.links}}},
            {"candidates", report.candidates},
            {"skipped", std::move(skipped)},
            {"seconds", report.seconds}}));
}

}  // namespace commonplace
