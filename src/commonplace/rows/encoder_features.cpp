#include "commonplace/rows/encoder_features.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/comm/serialise.h"
#include "commonplace/encode/models.h"
#include "commonplace/io/json.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/xxhash64.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/rows/image_rows.h"
#include "commonplace/rows/image_sources.h"
#include "commonplace/rows/item_texts.h"
#include "commonplace/rows/partial_rows.h"
#include "commonplace/rows/row_maker.h"
#include "commonplace/rows/seen_classes.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kEncoderKind = "encoder";
/// Items that are handed out, encoded and kept together. Texts are sorted by length within them.
constexpr std::int64_t kTextChunk = 1024;
constexpr std::int64_t kPictureChunk = 64;
/// So many items may end the process that computes before it is the encoder's fault.
constexpr int kMostCrashes = 3;
constexpr const char* kNothing = "the encoder gives no vector for it";

std::uint64_t fingerprint_of_text(const std::string& text) {
  Xxh64 hash;
  hash.update(std::as_bytes(std::span<const char>(text)));
  return hash.digest();
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

Medium medium_of(const EncoderFeatureOptions& options, const EncoderModel& model) {
  require(options.of.empty() || options.of == "text" || options.of == "pictures",
          "--of takes text or pictures, not '", options.of, "'");
  const Medium chosen =
      options.of == "pictures" || (options.of.empty() && model.picture.has_value())
          ? Medium::picture
          : Medium::text;
  require(model.reads(chosen), "the encoder '", model.name, "' does not read ",
          chosen == Medium::text ? "texts" : "pictures");
  return chosen;
}

/// What an item is to the encoder, made by some thread.
struct PreparedItem {
  std::int64_t row = 0;
  RowState state;
  bool blank = false;
  bool to_encode = false;
  Tokens tokens;
  std::vector<float> tensor;
};

/// A part of the items, on its way.
struct Chunk {
  std::vector<PreparedItem> items;
  std::vector<std::string> texts;  ///< of the items, if those are read
};

/// One run of the task.
class EncoderRowMaker : RowMaker {
 public:
  EncoderRowMaker(Library& library, const Collection& collection, const std::string& name,
                  const EncoderFeatureOptions& options, const Run& run)
      : RowMaker(library, collection, name, run),
        options_(options),
        encoder_(find_encoder(options.encoder, models_folder()), {options.runtime, {}, run.jobs}),
        of_(medium_of(options, encoder_.model())),
        fingerprint_(fingerprint_of(encoder_.model(), of_)),
        blank_(sources_.size(), false) {
    require_same(run.comm, fingerprint_, concat("encoder '", options.encoder, "'"));
  }

  MadeEncoderFeatures run() {
    const auto begun = Clock::now();
    columns_ = encoder_.dimensions(of_, [&] { tell(); });
    classifies_ = of_ == Medium::picture && encoder_.classifies([&] { tell(); });
    MadeEncoderFeatures made;
    made.model = model_name_;
    made.of = of_;
    if (of_ == Medium::picture) {
      require_pictures();
      require_most_files(library_, collection_, name_, sources_, run_.comm);
    }
    made.kept = keep_stored();
    encode_rest();
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (blank_[i])
        ++made.empty;
      else
        add_skipped(i, made.skipped);
    made.encoded = RowMaker::made() - made.kept;
    made.record = finish([&] {
      const FeatureRecord record = store();
      rows_.reset();
      return record;
    });
    made.seconds = run_.comm.broadcast(seconds_since(begun), 0);
    return made;
  }

 private:
  std::int64_t kept_columns() const { return columns_ + (classifies_ ? 2 * kSeenClasses : 0); }
  std::int64_t chunk_size() const { return of_ == Medium::text ? kTextChunk : kPictureChunk; }

  void tell() const {
    run_.progress({of_ == Medium::text ? "encoding texts" : "encoding pictures",
                   static_cast<std::uint64_t>(reached_), static_cast<std::uint64_t>(total_),
                   of_ == Medium::text ? "texts" : "pictures"});
  }

  void require_pictures() const {
    const bool any = std::any_of(sources_.begin(), sources_.end(), [](const ImageSource& source) {
      return !source.location.empty();
    });
    require(any, "the items of '", collection_.name, "' have no pictures",
            encoder_.model().reads(Medium::text) ? "; --of text encodes their texts" : "");
  }

  std::string source_text(const std::string& digest) const {
    return concat(encoder_.model().name, " of ", of_ == Medium::text ? "text" : "pictures", " by ",
                  model_name_, " (", digest, ")");
  }

  /// The stored rows, if this encoder made them.
  std::optional<Stored> earlier() {
    if (options_.anew) return {};
    std::optional<Stored> before = stored(
        fingerprint_, columns_, [&](const std::string& digest) { return source_text(digest); });
    if (before && classifies_) {
      seen_before_ = stored_seen(library_, collection_, name_);
      if (!seen_before_ || seen_before_->digest != before->table.digest) return {};
    }
    return before;
  }

  /// Finds the stored rows whose text or file is the same still, and returns how many there are.
  std::int64_t keep_stored() {
    const std::optional<Stored> before = earlier();
    require_same(run_.comm, before ? before->table.digest : "none",
                 concat("features '", name_, "'"));
    if (!before && of_ == Medium::picture)
      require_files_of_rows(library_, collection_, name_, model_name_, sources_, run_.comm);
    if (!before) return 0;
    const std::int64_t count = std::min<std::int64_t>(before->record.rows, std::ssize(sources_));
    if (of_ == Medium::text)
      compare_texts(before->table, count);
    else
      keep_pictures(before->table, count);
    return count_kept(before->record);
  }

  void compare_texts(const RowTable& table, std::int64_t count) {
    ItemReader reader(library_, collection_);
    Item item;
    for (std::int64_t row = 0; row < count && reader.next(item); ++row) {
      const auto known = table.states.find(item.id);
      if (known == table.states.end() || !known->second.known) continue;
      const std::string text = item_text(item);
      const auto at = static_cast<std::size_t>(row);
      if (fingerprint_of_text(text) != known->second.fingerprint) continue;
      states_[at] = known->second;
      blank_[at] = is_blank(text);
      done_[at] = true;
    }
  }

  /// Reads the texts of a chunk; pictures are read by other threads.
  Chunk read_chunk(std::span<const std::int64_t> rows, ItemReader* reader) const {
    Chunk chunk;
    Item item;
    for (const std::int64_t row : rows) {
      chunk.items.push_back({row, {}, false, false, {}, {}});
      if (reader == nullptr) continue;
      if (reader->row() + 1 != row) reader->skip_to(row);
      require(reader->next(item) && reader->row() == row, "collection '", collection_.name,
              "' has changed meanwhile");
      chunk.texts.push_back(item_text(item));
    }
    return chunk;
  }

  /// Whether a run that was stopped left the row; `state` gets its problem.
  bool is_kept(RowState& state) const {
    const std::lock_guard lock(rows_mutex_);
    if (!rows_->has(state.fingerprint)) return false;
    state.problem = rows_->problem(state.fingerprint);
    return true;
  }

  void prepare_text(PreparedItem& item, const std::string& text) const {
    item.state.known = true;
    item.state.fingerprint = fingerprint_of_text(text);
    item.blank = is_blank(text);
    if (item.blank) {
      item.state.problem = "it has no text";
      return;
    }
    if (is_kept(item.state)) return;
    item.tokens = encoder_.prepare(text);
    item.to_encode = true;
  }

  void prepare_picture(PreparedItem& item) const {
    ImageBytes image;
    try {
      image = read_image(sources_[static_cast<std::size_t>(item.row)]);
    } catch (const Error& error) {
      item.state.problem = error.what();
      return;
    }
    item.state.known = true;
    item.state.fingerprint = image.fingerprint;
    if (is_kept(item.state)) return;
    item.to_encode = true;
    try {
      item.tensor = encoder_.prepare(decode_picture(image.bytes, "the file", encoder_.decoding()));
    } catch (const Error& error) {
      item.state.problem = error.what();
    }
  }

  /// Cuts texts into tokens, or decodes pictures, while the encoder works on another chunk.
  Chunk prepare(Chunk chunk) const {
    parallel_for(
        chunk.items.size(), run_.jobs,
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i)
            if (of_ == Medium::text)
              prepare_text(chunk.items[i], chunk.texts[i]);
            else
              prepare_picture(chunk.items[i]);
        },
        of_ == Medium::text ? 64 : 1);
    return chunk;
  }

  Matrix encode(const std::vector<PreparedItem*>& items) {
    const auto wait = [&] { tell(); };
    if (of_ == Medium::text) {
      std::vector<Tokens> texts;
      for (PreparedItem* item : items) texts.push_back(item->tokens);
      return encoder_.encode(texts, wait);
    }
    std::vector<std::vector<float>> pictures;
    for (PreparedItem* item : items) pictures.push_back(std::move(item->tensor));
    try {
      if (!classifies_) return encoder_.encode(pictures, wait);
      const Encoder::Seen seen = encoder_.look(pictures, wait);
      Matrix rows(seen.vectors.rows(), kept_columns());
      for (std::int64_t row = 0; row < rows.rows(); ++row)
        rows.row(row) << seen.vectors.row(row), likeliest_classes(seen.classes.row(row));
      return rows;
    } catch (const WorkerCrash&) {
      for (std::size_t i = 0; i < items.size(); ++i) items[i]->tensor = std::move(pictures[i]);
      throw;
    }
  }

  /// Encodes all at once, or one by one if that ends the process that computes, to find out which
  /// one does it.
  Matrix encode_with_care(const std::vector<PreparedItem*>& items) {
    try {
      return encode(items);
    } catch (const WorkerCrash&) {
      if (++crashes_ > kMostCrashes) throw;
    }
    Matrix rows = Matrix::Zero(std::ssize(items), kept_columns());
    for (std::size_t i = 0; i < items.size(); ++i) {
      try {
        rows.row(static_cast<std::int64_t>(i)) = encode({items[i]}).row(0);
      } catch (const WorkerCrash& crash) {
        if (++crashes_ > kMostCrashes) throw;
        items[i]->state.problem = crash.what();
      }
    }
    return rows;
  }

  /// Encodes what is new of a chunk, and keeps it.
  void keep(Chunk& chunk) {
    std::vector<PreparedItem*> fresh;
    std::unordered_map<std::uint64_t, PreparedItem*> seen;
    for (PreparedItem& item : chunk.items)
      if (item.to_encode && seen.try_emplace(item.state.fingerprint, &item).second)
        fresh.push_back(&item);
    std::vector<PreparedItem*> good;
    for (PreparedItem* item : fresh)
      if (item->state.problem.empty()) good.push_back(item);
    const Matrix encoded = good.empty() ? Matrix() : encode_with_care(good);
    Matrix rows = Matrix::Zero(std::ssize(fresh), kept_columns());
    std::vector<std::uint64_t> fingerprints;
    std::vector<std::string> problems;
    std::int64_t at = 0;
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      RowState& state = fresh[i]->state;
      if (at < std::ssize(good) && fresh[i] == good[static_cast<std::size_t>(at)]) {
        rows.row(static_cast<std::int64_t>(i)) = encoded.row(at++);
        if (state.problem.empty() &&
            rows.row(static_cast<std::int64_t>(i)).head(columns_).isZero(0))
          state.problem = kNothing;
      }
      fingerprints.push_back(state.fingerprint);
      problems.push_back(state.problem);
    }
    const std::lock_guard lock(rows_mutex_);
    rows_->add(fingerprints, rows, problems);
    for (PreparedItem& item : chunk.items)
      if (item.to_encode) item.state.problem = rows_->problem(item.state.fingerprint);
  }

  void encode_rest() {
    const std::vector<std::int64_t> rest = RowMaker::rest();
    if (rest.empty()) return;
    rows_.emplace(folder_, "encoded", fingerprint_, kept_columns(), run_.comm);
    total_ = std::ssize(rest);
    const std::int64_t chunks = (total_ + chunk_size() - 1) / chunk_size();
    const auto rows_of = [&](std::int64_t chunk) {
      const std::int64_t first = chunk * chunk_size();
      return std::span<const std::int64_t>(rest).subspan(
          static_cast<std::size_t>(first),
          static_cast<std::size_t>(std::min(chunk_size(), total_ - first)));
    };
    std::vector<std::pair<std::int64_t, std::string>> mine;
    {
      std::optional<ItemReader> reader;
      if (of_ == Medium::text) reader.emplace(library_, collection_);
      const auto counter = run_.comm.share_work(chunks);
      const auto begin = [&](std::int64_t number) {
        return std::async(
            std::launch::async,
            [this, chunk = read_chunk(rows_of(number), reader ? &*reader : nullptr)]() mutable {
              return prepare(std::move(chunk));
            });
      };
      std::int64_t number = counter->next();
      std::future<Chunk> coming;
      if (number >= 0) coming = begin(number);
      while (number >= 0) {
        Chunk chunk = coming.get();
        reached_ = number * chunk_size();
        tell();
        number = counter->next();
        if (number >= 0) coming = begin(number);
        keep(chunk);
        for (const PreparedItem& item : chunk.items)
          mine.emplace_back(item.row, (item.blank ? "b" : "-") + to_bytes(item.state));
      }
    }
    for (const std::string& bytes : run_.comm.size() > 1 ? run_.comm.gather_texts(serialise(mine))
                                                         : std::vector{serialise(mine)})
      for (const auto& [row, text] :
           deserialise<std::vector<std::pair<std::int64_t, std::string>>>(bytes)) {
        states_[static_cast<std::size_t>(row)] = row_state(std::string_view(text).substr(1));
        blank_[static_cast<std::size_t>(row)] = text.front() == 'b';
      }
    rows_->join(run_.comm);
  }

  /// What is behind the vectors of rows that are unfinished, and what was stored of the others.
  SeenClasses seen(const std::string& digest) const {
    SeenClasses result{digest, encoder_.model().picture->labels, {}, {}};
    result.classes.columns = std::ssize(result.labels);
    std::unordered_map<std::string_view, std::int64_t> before;
    if (seen_before_)
      for (std::size_t i = 0; i < seen_before_->ids.size(); ++i)
        before[seen_before_->ids[i]] = static_cast<std::int64_t>(i);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      result.ids.push_back(sources_[i].id);
      const auto known = before.find(sources_[i].id);
      if (done_[i] && known != before.end())
        result.classes.push_row(seen_before_->classes.view(), known->second);
      else if (!done_[i] && states_[i].known && states_[i].problem.empty())
        push_classes(
            result.classes,
            rows_->row(states_[i].fingerprint).subspan(static_cast<std::size_t>(columns_)));
      else
        result.classes.end_row();
    }
    return result;
  }

  FeatureRecord store() {
    if (unchanged_) return *kept_record_;
    std::optional<NpyMatrix> before;
    if (kept_record_) before.emplace(dense_features(*kept_record_));
    const Json options = {{"encoder", encoder_.model().name},
                          {"folder", encoder_.model().folder.string()},
                          {"of", of_ == Medium::text ? "text" : "pictures"},
                          {"fingerprint", fingerprint_},
                          {"dimensions", columns_}};
    store_model(library_, {model_name_, kEncoderKind, {}, json_text(options), "{}", ""},
                [&](const fs::path& path) {
                  TensorWriter writer;
                  describe_model(writer, kEncoderKind, 1, json_text(options));
                  writer.write(path);
                });
    const std::string digest = store_made(fingerprint_);
    if (classifies_) store_seen(library_, collection_, name_, seen(digest));
    return store_features(library_, collection_,
                          {name_, false, std::ssize(sources_), columns_, source_text(digest), {}},
                          options_.numbers, [&](NpyWriter& writer) {
                            Matrix row(1, columns_);
                            for (std::size_t i = 0; i < sources_.size(); ++i) {
                              const RowState& state = states_[i];
                              if (done_[i])
                                row = before->view().row(static_cast<std::int64_t>(i));
                              else if (state.known && state.problem.empty())
                                row = Eigen::Map<const Eigen::RowVectorXf>(
                                    rows_->row(state.fingerprint).data(), columns_);
                              else
                                row.setZero();
                              writer.write(row);
                            }
                          });
  }

  EncoderFeatureOptions options_;
  Encoder encoder_;
  Medium of_;
  std::string fingerprint_;
  std::vector<bool> blank_;
  std::int64_t columns_ = 0;
  bool classifies_ = false;  ///< what it sees is kept too, behind the vectors
  std::optional<SeenClasses> seen_before_;
  std::optional<PartialRows> rows_;
  mutable std::mutex rows_mutex_;  ///< of rows_, while chunks are encoded
  std::int64_t reached_ = 0;
  std::int64_t total_ = 0;
  int crashes_ = 0;
};

}  // namespace

MadeEncoderFeatures make_encoder_features(Library& library, const Collection& collection,
                                          const std::string& name,
                                          const EncoderFeatureOptions& options, const Run& run) {
  require(collection.items > 0, "collection '", collection.name, "' has no items");
  check_feature_name(name);  // before the work rather than after it
  return EncoderRowMaker(library, collection, name, options, run).run();
}

bool has_stored_encoder(const Library& library, const Collection& collection,
                        const std::string& name) {
  return find_model(library, collection.name + "." + name, kEncoderKind).has_value();
}

std::optional<Medium> encoded_medium(const Library& library, const Collection& collection,
                                     const std::string& name) {
  const auto record = find_model(library, collection.name + "." + name, kEncoderKind);
  if (!record) return {};
  const Json stored = ordered_json_from(record->options, false);
  if (!stored.is_object() || !stored.contains("of")) return {};
  return stored["of"] == "text" ? Medium::text : Medium::picture;
}

std::optional<EncoderName> stored_encoder_name(const Library& library, const Collection& collection,
                                               const std::string& name) {
  const auto record = find_model(library, collection.name + "." + name, kEncoderKind);
  if (!record) return std::nullopt;
  const Json stored = ordered_json_from(record->options, false);
  require(stored.is_object() && stored.contains("encoder") && stored.contains("folder") &&
              stored.contains("of") && stored.contains("fingerprint"),
          "the model '", record->name, "' is damaged");
  return EncoderName{stored["encoder"].get<std::string>(), stored["folder"].get<std::string>(),
                     stored["of"] == "text" ? Medium::text : Medium::picture,
                     stored["fingerprint"].get<std::string>()};
}

Encoder open_encoder(const EncoderName& name, const EncoderOptions& options) {
  const fs::path models = options.models.empty() ? models_folder() : options.models;
  std::error_code error;
  EncoderModel model = fs::is_directory(name.folder, error) ? read_encoder_model(name.folder)
                                                            : find_encoder(name.encoder, models);
  require(fingerprint_of(model, name.of) == name.fingerprint, "the encoder '", model.name,
          "' is another one than made the features; make them again with: commonplace features LIB"
          " COLLECTION --encoder ",
          model.name);
  return Encoder(std::move(model), options);
}

StoredEncoder stored_encoder(const Library& library, const Collection& collection,
                             const std::string& name, const EncoderOptions& options) {
  const auto stored = stored_encoder_name(library, collection, name);
  require(stored.has_value(), "the features '", name, "' of '", collection.name,
          "' were not made by an encoder");
  return {open_encoder(*stored, options), stored->of};
}

Eigen::RowVectorXf encode_unseen_text(Encoder& encoder, std::string_view text) {
  return encoder.encode_text(text);
}

Eigen::RowVectorXf encode_unseen_picture(Encoder& encoder, std::string_view bytes,
                                         const std::string& called) {
  return encoder.encode_picture(decode_picture(bytes, called, encoder.decoding()));
}

}  // namespace commonplace
