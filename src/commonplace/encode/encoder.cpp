#include "commonplace/encode/encoder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

#include "commonplace/base/error.h"
#include "commonplace/encode/models.h"
#include "commonplace/encode/onnx_runtime.h"
#include "commonplace/encode/word_vectors.h"

namespace commonplace {
namespace {

/// Of one batch, at most: so many tokens with the padding, texts, pictures.
constexpr std::size_t kBatchTokens = 4096;
constexpr std::size_t kBatchTexts = 64;
constexpr std::size_t kBatchPictures = 8;
/// A decoded picture is this much larger than what the rules resize it to, so that resizing sees
/// about what it would of the whole.
constexpr int kDecodedTimes = 4;

const Port* find_port(const std::vector<Port>& ports, std::initializer_list<const char*> names) {
  for (const char* name : names)
    for (const Port& port : ports)
      if (port.name == name) return &port;
  return nullptr;
}

const Port* find_sides(const std::vector<Port>& ports, std::size_t sides) {
  for (const Port& port : ports)
    if (port.shape.size() == sides) return &port;
  return nullptr;
}

std::string port_list(const std::vector<Port>& ports) {
  std::string names;
  for (const Port& port : ports) names += (names.empty() ? "" : ", ") + port.name;
  return names;
}

/// The output that holds the vectors: what its maker says, else what is called so, else the
/// vectors of tokens or places, which are pooled.
const Port& vector_port(const std::vector<Port>& outputs, const std::string& named, Medium medium,
                        const std::filesystem::path& model) {
  const Port* port = nullptr;
  if (!named.empty())
    port = find_port(outputs, {named.c_str()});
  else if (medium == Medium::text)
    port = find_port(
        outputs, {"sentence_embedding", "text_embeds", "embedding", "embeddings", "text_features"});
  else
    port = find_port(outputs, {"image_embeds", "embedding", "embeddings", "image_features"});
  if (port == nullptr && named.empty() && medium == Medium::picture)
    port = find_port(outputs, {"pooler_output"});
  if (port == nullptr && named.empty())
    port = find_port(outputs, {"last_hidden_state", "token_embeddings"});
  if (port == nullptr && named.empty()) port = find_sides(outputs, 3);
  if (port == nullptr && named.empty()) port = find_sides(outputs, 2);
  if (port == nullptr && named.empty()) port = find_sides(outputs, 4);
  require(port != nullptr, model.string(), ": has no output with vectors",
          named.empty() ? "" : concat(" called '", named, "'"), "; it has: ", port_list(outputs));
  require(port->type == NumberType::float32 || port->type == NumberType::float16, model.string(),
          ": its output '", port->name, "' has no vectors of real numbers");
  return *port;
}

std::string bytes_of_numbers(std::span<const std::int64_t> numbers, NumberType type) {
  std::string bytes(numbers.size() * size_of(type), '\0');
  if (type == NumberType::int64) {
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
  } else {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto number = static_cast<std::int32_t>(numbers[i]);
      std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
    }
  }
  return bytes;
}

std::span<const float> floats_of(const Tensor& tensor) {
  require(tensor.type == NumberType::float32, "the output '", tensor.name, "' has no real numbers");
  return {reinterpret_cast<const float*>(tensor.bytes.data()), tensor.bytes.size() / sizeof(float)};
}

/// Makes rows of length one; what is not finite becomes zeros.
void normalise(Matrix& rows) {
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    const float length = rows.row(row).norm();
    if (std::isfinite(length) && length > 0)
      rows.row(row) /= length;
    else
      rows.row(row).setZero();
  }
}

/// One model in its process, and which of its ports are for what.
struct OpenTower {
  std::unique_ptr<Worker> worker;
  std::string ids, mask, types;  ///< names of inputs; empty if it has none such
  NumberType ids_type = NumberType::int64;
  std::string pixels;
  std::string output;
  std::string classes;
  /// What a model of both towers in one file is given of the other medium: the least that it takes.
  std::vector<Tensor> besides;
  std::int64_t fixed_batch = -1;
  std::int64_t fixed_tokens = -1;
  std::int64_t columns = -1;
};

/// A batch on its way: whose rows, and how long each text is.
struct Batch {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> lengths;
  std::vector<Tensor> inputs;
};

}  // namespace

struct Encoder::Parts {
  EncoderModel model;
  EncoderOptions options;
  std::optional<SubwordTokenizer> tokenizer;
  std::unique_ptr<WordVectors> words;
  OpenTower text;
  OpenTower picture;

  std::unique_ptr<Worker> start(const std::filesystem::path& file, const Worker::Wait& wait) const {
    const std::filesystem::path models = options.models.empty() ? models_folder() : options.models;
    return std::make_unique<Worker>(find_onnx_runtime(options.runtime, models), file, options.jobs,
                                    wait);
  }

  OpenTower& open_text(const Worker::Wait& wait) {
    if (text.worker) return text;
    const TextTower& tower = *model.text;
    OpenTower open;
    open.worker = start(tower.model, wait);
    for (const Port& port : open.worker->inputs()) {
      if (model.picture && port.type == NumberType::float32 && port.shape.size() == 4) {
        open.besides.push_back(no_picture(port));
        continue;
      }
      const bool whole = port.type == NumberType::int64 || port.type == NumberType::int32;
      require(whole && port.shape.size() == 2, tower.model.string(), ": its input '", port.name,
              "' is not one of tokens, so it is no encoder of texts");
      if (port.name == "attention_mask")
        open.mask = port.name;
      else if (port.name == "token_type_ids")
        open.types = port.name;
      else {
        require(open.ids.empty(), tower.model.string(),
                ": has inputs that are not known here: ", port_list(open.worker->inputs()));
        open.ids = port.name;
        open.fixed_batch = port.shape[0];
        open.fixed_tokens = port.shape[1];
        open.ids_type = port.type;
      }
    }
    require(!open.ids.empty(), tower.model.string(), ": has no input for tokens");
    const Port& output =
        vector_port(open.worker->outputs(), tower.output, Medium::text, tower.model);
    open.output = output.name;
    open.columns = output.shape.empty() ? -1 : output.shape.back();
    text = std::move(open);
    return text;
  }

  OpenTower& open_picture(const Worker::Wait& wait) {
    if (picture.worker) return picture;
    const PictureTower& tower = *model.picture;
    OpenTower open;
    open.worker = start(tower.model, wait);
    std::vector<Port> inputs = open.worker->inputs();
    if (model.text)
      std::erase_if(inputs, [&](const Port& port) {
        const bool tokens = port.shape.size() == 2 && port.type != NumberType::float32;
        if (tokens) open.besides.push_back(few_tokens(port));
        return tokens;
      });
    require(
        inputs.size() == 1 && inputs[0].type == NumberType::float32 && inputs[0].shape.size() == 4,
        tower.model.string(),
        ": an encoder of pictures has one input of four sides; this has: ", port_list(inputs));
    const std::array<std::int64_t, 3> shape = shape_of(tower.rules);
    for (std::size_t side = 0; side < 3; ++side)
      require(inputs[0].shape[side + 1] < 0 || inputs[0].shape[side + 1] == shape[side],
              tower.model.string(), ": takes pictures of ", inputs[0].shape[1], " x ",
              inputs[0].shape[2], " x ", inputs[0].shape[3], ", but its description makes ",
              shape[0], " x ", shape[1], " x ", shape[2]);
    open.pixels = inputs[0].name;
    open.fixed_batch = inputs[0].shape[0];
    const Port& output =
        vector_port(open.worker->outputs(), tower.output, Medium::picture, tower.model);
    open.output = output.name;
    if (output.shape.size() == 2 || output.shape.size() == 3) open.columns = output.shape.back();
    if (output.shape.size() == 4) open.columns = output.shape[1];
    open.classes = tower.classes;
    if (open.classes.empty() && !tower.labels.empty() &&
        find_port(open.worker->outputs(), {"logits"}) != nullptr)
      open.classes = "logits";
    picture = std::move(open);
    return picture;
  }

  Tensor no_picture(const Port& port) const {
    const std::array<std::int64_t, 3> sides = shape_of(model.picture->rules);
    const std::vector<std::int64_t> shape{std::max<std::int64_t>(1, port.shape[0]), sides[0],
                                          sides[1], sides[2]};
    return {port.name, port.type, shape,
            std::string(static_cast<std::size_t>(numbers_in(shape)) * size_of(port.type), '\0')};
  }

  Tensor few_tokens(const Port& port) const {
    const std::vector<std::int64_t> few = tokenize(*tokenizer, "a", model.text->most_tokens).ids;
    const std::int64_t count = std::max<std::int64_t>(1, port.shape[0]);
    const std::int64_t length = port.shape[1] > 0 ? port.shape[1] : std::ssize(few);
    std::vector<std::int64_t> numbers;
    for (std::int64_t row = 0; row < count; ++row)
      for (std::int64_t i = 0; i < length; ++i)
        numbers.push_back(port.name == "attention_mask" ? 1
                          : port.name == "token_type_ids"
                              ? 0
                              : few[static_cast<std::size_t>(std::min(i, std::ssize(few) - 1))]);
    return {port.name, port.type, {count, length}, bytes_of_numbers(numbers, port.type)};
  }

  /// Rows with padding, of texts that were sorted.
  Batch text_batch(const OpenTower& tower, std::span<const Tokens> texts,
                   std::span<const std::size_t> chosen) const {
    Batch batch;
    batch.inputs = tower.besides;
    std::size_t longest = 1;
    for (const std::size_t row : chosen) {
      batch.rows.push_back(row);
      batch.lengths.push_back(texts[row].ids.size());
      longest = std::max(longest, texts[row].ids.size());
    }
    if (tower.fixed_tokens > 0) longest = static_cast<std::size_t>(tower.fixed_tokens);
    const std::size_t count =
        tower.fixed_batch > 0 ? static_cast<std::size_t>(tower.fixed_batch) : chosen.size();
    std::vector<std::int64_t> ids(count * longest, padding_of(*tokenizer));
    std::vector<std::int64_t> mask(count * longest, 0);
    std::vector<std::int64_t> types(count * longest, 0);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const Tokens& tokens = texts[chosen[i]];
      const std::size_t length = std::min(tokens.ids.size(), longest);
      batch.lengths[i] = length;
      const auto at = static_cast<std::ptrdiff_t>(i * longest);
      const auto end = static_cast<std::ptrdiff_t>(length);
      std::copy(tokens.ids.begin(), tokens.ids.begin() + end, ids.begin() + at);
      // What is cut off ends as it would have: an encoder may read its answer there.
      if (length < tokens.ids.size()) ids[i * longest + length - 1] = tokens.ids.back();
      std::copy(tokens.types.begin(), tokens.types.begin() + end, types.begin() + at);
      std::fill_n(mask.begin() + at, length, 1);
    }
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(count),
                                          static_cast<std::int64_t>(longest)};
    const auto add = [&](const std::string& name, std::span<const std::int64_t> numbers) {
      if (!name.empty())
        batch.inputs.push_back(
            {name, tower.ids_type, shape, bytes_of_numbers(numbers, tower.ids_type)});
    };
    add(tower.ids, ids);
    add(tower.mask, mask);
    add(tower.types, types);
    return batch;
  }

  Batch picture_batch(const OpenTower& tower, std::span<const std::vector<float>> pictures,
                      std::size_t first, std::size_t end) const {
    Batch batch;
    batch.inputs = tower.besides;
    const std::array<std::int64_t, 3> sides = shape_of(model.picture->rules);
    const auto each = static_cast<std::size_t>(sides[0] * sides[1] * sides[2]);
    const std::size_t count =
        tower.fixed_batch > 0 ? static_cast<std::size_t>(tower.fixed_batch) : end - first;
    std::string bytes(count * each * sizeof(float), '\0');
    for (std::size_t i = first; i < end; ++i) {
      require(pictures[i].size() == each, "a picture was prepared for another encoder");
      std::memcpy(bytes.data() + (i - first) * each * sizeof(float), pictures[i].data(),
                  each * sizeof(float));
      batch.rows.push_back(i);
    }
    batch.inputs.push_back({tower.pixels,
                            NumberType::float32,
                            {static_cast<std::int64_t>(count), sides[0], sides[1], sides[2]},
                            std::move(bytes)});
    return batch;
  }

  /// One row of what a model says of one text or picture.
  Eigen::RowVectorXf pooled(const Tensor& tensor, std::size_t at, std::size_t length,
                            Medium medium) const {
    const std::span<const float> all = floats_of(tensor);
    const std::vector<std::int64_t>& shape = tensor.shape;
    require(shape.size() >= 2 && shape.size() <= 4 && static_cast<std::int64_t>(at) < shape[0],
            "the output '", tensor.name, "' has a shape that is not known here");
    if (shape.size() == 2)
      return Eigen::Map<const Eigen::RowVectorXf>(
          all.data() + static_cast<std::int64_t>(at) * shape[1], shape[1]);
    if (shape.size() == 4) {  // channels, then places
      const std::int64_t places = shape[2] * shape[3];
      require(places > 0, "the output '", tensor.name, "' has no places");
      return Eigen::Map<const Matrix>(
                 all.data() + static_cast<std::int64_t>(at) * shape[1] * places, shape[1], places)
          .rowwise()
          .mean()
          .transpose();
    }
    const Eigen::Map<const Matrix> places(
        all.data() + static_cast<std::int64_t>(at) * shape[1] * shape[2], shape[1], shape[2]);
    if (medium == Medium::picture || model.text->pooling == Pooling::first) return places.row(0);
    const auto tokens = places.topRows(std::min<std::int64_t>(
        std::max<std::int64_t>(1, static_cast<std::int64_t>(length)), shape[1]));
    if (model.text->pooling == Pooling::largest) return tokens.colwise().maxCoeff();
    return tokens.colwise().mean();
  }

  /// Computes batches one after the other; while one is computed the next is made. `make` returns
  /// an empty batch at the end.
  template <class Make, class Take>
  void compute(OpenTower& tower, const std::vector<std::string>& wanted, const Make& make,
               const Take& take, const Worker::Wait& wait) const {
    Batch batch = make();
    while (!batch.rows.empty()) {
      tower.worker->begin(batch.inputs, wanted);
      batch.inputs.clear();
      Batch next = make();
      const std::vector<Tensor> outputs = tower.worker->finish(wait);
      require(outputs.size() == wanted.size(), "the encoder gave ", outputs.size(),
              " outputs, not ", wanted.size());
      take(batch, outputs);
      batch = std::move(next);
    }
  }

  void put(Matrix& rows, const Batch& batch, const Tensor& tensor, Medium medium) const {
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const Eigen::RowVectorXf row =
          pooled(tensor, i, batch.lengths.empty() ? 0 : batch.lengths[i], medium);
      require(row.size() == rows.cols(), "the encoder '", model.name, "' gave ", row.size(),
              " numbers where it gave ", rows.cols(), " before");
      rows.row(static_cast<std::int64_t>(batch.rows[i])) = row;
    }
  }

  Matrix encode_texts(OpenTower& tower, std::span<const Tokens> texts, std::int64_t columns,
                      const Worker::Wait& wait) const {
    std::vector<std::size_t> order(texts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return texts[a].ids.size() > texts[b].ids.size();
    });
    Matrix rows = Matrix::Zero(std::ssize(texts), columns);
    std::size_t at = 0;
    const auto make = [&] {
      if (at == order.size()) return Batch();
      const std::size_t longest = tower.fixed_tokens > 0
                                      ? static_cast<std::size_t>(tower.fixed_tokens)
                                      : std::max<std::size_t>(1, texts[order[at]].ids.size());
      std::size_t most = std::clamp<std::size_t>(kBatchTokens / longest, 1, kBatchTexts);
      if (tower.fixed_batch > 0) most = static_cast<std::size_t>(tower.fixed_batch);
      const std::size_t count = std::min(most, order.size() - at);
      at += count;
      return text_batch(tower, texts, std::span(order).subspan(at - count, count));
    };
    compute(
        tower, {tower.output}, make,
        [&](const Batch& batch, const std::vector<Tensor>& outputs) {
          put(rows, batch, outputs[0], Medium::text);
        },
        wait);
    normalise(rows);
    return rows;
  }

  Seen encode_pictures(OpenTower& tower, std::span<const std::vector<float>> pictures,
                       std::int64_t columns, bool classes, const Worker::Wait& wait) const {
    Seen seen{Matrix::Zero(std::ssize(pictures), columns), {}};
    std::vector<std::string> wanted{tower.output};
    if (classes) {
      require(!tower.classes.empty() && !model.picture->labels.empty(), "the encoder '", model.name,
              "' knows no classes");
      wanted.push_back(tower.classes);
      seen.classes = Matrix::Zero(std::ssize(pictures), std::ssize(model.picture->labels));
    }
    const std::size_t most =
        tower.fixed_batch > 0 ? static_cast<std::size_t>(tower.fixed_batch) : kBatchPictures;
    std::size_t at = 0;
    const auto make = [&] {
      const std::size_t first = at;
      at = std::min(pictures.size(), at + most);
      return first == at ? Batch() : picture_batch(tower, pictures, first, at);
    };
    compute(
        tower, wanted, make,
        [&](const Batch& batch, const std::vector<Tensor>& outputs) {
          put(seen.vectors, batch, outputs[0], Medium::picture);
          if (classes) put(seen.classes, batch, outputs[1], Medium::picture);
        },
        wait);
    normalise(seen.vectors);
    if (classes && model.picture->logits) {
      seen.classes.colwise() -= seen.classes.rowwise().maxCoeff().eval();
      seen.classes = seen.classes.array().exp().matrix();
      const Eigen::VectorXf sums = seen.classes.rowwise().sum();
      for (std::int64_t row = 0; row < sums.size(); ++row) seen.classes.row(row) /= sums[row];
    }
    return seen;
  }
};

Encoder::Encoder(EncoderModel model, EncoderOptions options) : parts_(std::make_unique<Parts>()) {
  parts_->model = std::move(model);
  parts_->options = std::move(options);
  if (parts_->model.text) parts_->tokenizer = read_tokenizer(parts_->model.text->tokenizer);
  if (!parts_->model.words.empty())
    parts_->words = std::make_unique<WordVectors>(parts_->model.words);
}

Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;

const EncoderModel& Encoder::model() const { return parts_->model; }

std::int64_t Encoder::dimensions(Medium medium, const Worker::Wait& wait) {
  require(model().reads(medium), "the encoder '", model().name, "' does not read ",
          medium == Medium::text ? "texts" : "pictures");
  if (medium == Medium::text && parts_->words) return parts_->words->dimensions();
  const bool text = medium == Medium::text;
  OpenTower& tower = text ? parts_->open_text(wait) : parts_->open_picture(wait);
  if (tower.columns > 0) return tower.columns;
  // The model does not say: a trial does.
  Batch batch;
  if (text) {
    const std::vector<Tokens> sample{prepare("a")};
    const std::vector<std::size_t> row{0};
    batch = parts_->text_batch(tower, sample, row);
  } else {
    const std::array<std::int64_t, 3> sides = shape_of(model().picture->rules);
    const std::vector<std::vector<float>> sample{
        std::vector<float>(static_cast<std::size_t>(sides[0] * sides[1] * sides[2]))};
    batch = parts_->picture_batch(tower, sample, 0, 1);
  }
  const std::vector<Tensor> outputs = tower.worker->run(batch.inputs, {tower.output}, wait);
  require(outputs.size() == 1, "the encoder gave no output");
  tower.columns = parts_->pooled(outputs[0], 0, text ? batch.lengths[0] : 0, medium).size();
  require(tower.columns > 0, "the encoder '", model().name, "' gives empty vectors");
  return tower.columns;
}

bool Encoder::classifies(const Worker::Wait& wait) {
  return model().picture && !model().picture->labels.empty() &&
         !parts_->open_picture(wait).classes.empty();
}

Tokens Encoder::prepare(std::string_view text) const {
  if (parts_->words) {
    Tokens tokens{parts_->words->words_in(text), {}};
    tokens.types.resize(tokens.ids.size());
    return tokens;
  }
  require(parts_->tokenizer.has_value(), "the encoder '", model().name, "' does not read texts");
  return tokenize(*parts_->tokenizer, text, model().text->most_tokens);
}

std::vector<float> Encoder::prepare(const Picture& picture) const {
  require(model().picture.has_value(), "the encoder '", model().name, "' does not read pictures");
  const std::array<std::int64_t, 3> sides = shape_of(model().picture->rules);
  std::vector<float> tensor(static_cast<std::size_t>(sides[0] * sides[1] * sides[2]));
  make_picture_tensor(picture, model().picture->rules, tensor);
  return tensor;
}

PictureOptions Encoder::decoding() const {
  require(model().picture.has_value(), "the encoder '", model().name, "' does not read pictures");
  const PictureRules& rules = model().picture->rules;
  PictureOptions options;
  options.side = kDecodedTimes *
                 std::max({rules.resize_height, rules.resize_width, rules.height, rules.width});
  return options;
}

Matrix Encoder::encode(std::span<const Tokens> texts, const Worker::Wait& wait) {
  const std::int64_t columns = dimensions(Medium::text, wait);
  if (!parts_->words) return parts_->encode_texts(parts_->text, texts, columns, wait);
  Matrix rows(std::ssize(texts), columns);
  for (std::size_t i = 0; i < texts.size(); ++i)
    rows.row(static_cast<std::int64_t>(i)) = parts_->words->mean(texts[i].ids);
  return rows;
}

Matrix Encoder::encode(std::span<const std::vector<float>> pictures, const Worker::Wait& wait) {
  const std::int64_t columns = dimensions(Medium::picture, wait);
  return parts_->encode_pictures(parts_->picture, pictures, columns, false, wait).vectors;
}

Encoder::Seen Encoder::look(std::span<const std::vector<float>> pictures,
                            const Worker::Wait& wait) {
  const std::int64_t columns = dimensions(Medium::picture, wait);
  return parts_->encode_pictures(parts_->picture, pictures, columns, true, wait);
}

Eigen::RowVectorXf Encoder::encode_text(std::string_view text) {
  const std::vector<Tokens> texts{prepare(text)};
  return encode(texts).row(0);
}

Eigen::RowVectorXf Encoder::encode_picture(const Picture& picture) {
  const std::vector<std::vector<float>> pictures{prepare(picture)};
  return encode(pictures).row(0);
}

pid_t Encoder::process(Medium medium) const {
  const OpenTower& tower = medium == Medium::text ? parts_->text : parts_->picture;
  return tower.worker ? tower.worker->process() : -1;
}

}  // namespace commonplace
