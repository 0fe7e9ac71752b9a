#include "commonplace/search/learn_meaning.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/base/top_k.h"
#include "commonplace/eval/bootstrap.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/npy.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/unit_rows.h"
#include "commonplace/rows/item_texts.h"
#include "commonplace/rows/seen_classes.h"
#include "commonplace/rows/sentence_encoder.h"
#include "commonplace/rows/shared_encoder.h"

namespace commonplace::search {
namespace {

/// Pictures that maps are learned from, at most, and those that choices are made on.
constexpr std::int64_t kMostPictures = 10000;
constexpr std::int64_t kMostChosenOn = 1000;
/// Captioned pictures that a map is learned from, at least.
constexpr std::int64_t kFewestCaptioned = 10;
/// Of what is written beside one picture.
constexpr std::size_t kMostCaptions = 5;
constexpr std::size_t kMostTagsRead = 10;
constexpr std::size_t kLongestCaption = 400;
constexpr std::int64_t kFirst = 10;
/// The share of a class counts by its root, and against how much is seen of it everywhere: what is
/// seen in every picture tells none from another. As if every class had been seen so often besides.
constexpr double kEvenly = 0.003;
constexpr double kClassPenalty = 1;
constexpr double kPenalties[] = {0.3, 1, 3};
constexpr double kUsualPenalty = 1;
constexpr double kOfClasses[] = {0.25, 0.5, 1, 2};
/// Of captions held out, so many are told that nothing fits them.
constexpr double kRefused = 0.05;
constexpr double kLeastSimilarity = 0.1;
constexpr double kMostSimilarity = 0.4;
/// Where there are no captions to tell from; chosen on photographs of flickr8k that are not asked
/// for in any evaluation.
constexpr Fitting kUsualOfPictures{.least = 0.18, .spread = 0, .certain = 0.7};
constexpr Fitting kUsualOfTexts{.least = 0.3, .spread = 0, .certain = 0.8};
constexpr Fitting kUsualOfPairs{.least = -1, .spread = 3, .certain = 0};
/// Of a certain fit, where an asked word in the tags counts 10 and in the text about 4.
constexpr double kUsualWeight = 6;
constexpr double kUsualWeightOfTexts = 4;
constexpr double kWeightFactors[] = {0.0, 0.5, 2.0};

/// Whether the encoder that made the features also reads texts into the same space.
bool is_pair(const EncoderName& name) { return open_encoder(name).model().reads(Medium::text); }

/// What people wrote beside a picture, a line each: title, lines of the text, the tags together.
std::vector<std::string> captions_of(const Item& item) {
  std::vector<std::string> captions;
  const std::string text = item_text(item);
  for (std::size_t begin = 0; begin < text.size() && captions.size() < kMostCaptions;) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, std::min(end - begin, kLongestCaption));
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") != std::string::npos) captions.push_back(std::move(line));
  }
  std::string tags;
  for (std::size_t i = 0; i < std::min(item.tags.size(), kMostTagsRead); ++i)
    tags += (tags.empty() ? "" : ", ") + std::string(tag_leaf(item.tags[i].name));
  if (!tags.empty()) captions.push_back(std::move(tags));
  return captions;
}

/// Pictures as their encoder sees them, with what is written beside them.
struct Pictures {
  Matrix vectors;
  Sparse seen;  ///< classes; without columns if none are known
  std::vector<std::string> labels;
  std::vector<std::vector<std::string>> captions;
  std::vector<std::int64_t> target_rows;  ///< -1 for those of other collections
};

std::vector<std::int64_t> drawn_rows(std::int64_t rows, std::int64_t most) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  if (rows <= most) return all;
  return sample_by(std::move(all), most, [](std::int64_t row) {
    return random_bits(1, static_cast<std::uint64_t>(row), 0x65796573ULL);
  });
}

void add_pictures(const Library& library, const EncodedFeatures& from, bool is_target,
                  std::int64_t most, Pictures& pictures) {
  const std::vector<std::int64_t> rows =
      drawn_rows(std::min(from.record.rows, from.collection.items), most);
  const auto seen = stored_seen(library, from.collection, from.record.name);
  Sparse by_row;
  if (seen && (pictures.labels.empty() || seen->labels == pictures.labels)) {
    by_row = seen_by_row(*seen, library, from.collection);
    pictures.labels = seen->labels;
    pictures.seen.columns = std::ssize(seen->labels);
  }
  std::vector<Eigen::RowVectorXf> vectors;
  std::vector<std::int64_t> kept;
  std::size_t next = 0;
  read_npy_blocks(from.record.file, [&](std::int64_t first, const Matrix& block) {
    for (; next < rows.size() && rows[next] < first + block.rows(); ++next) {
      const auto row = block.row(rows[next] - first);
      if (row.isZero(0)) continue;
      vectors.emplace_back(row);
      kept.push_back(rows[next]);
    }
  });
  const Eigen::Index before = pictures.vectors.rows();
  pictures.vectors.conservativeResize(before + std::ssize(vectors), from.record.columns);
  ItemReader reader(library, from.collection);
  Item item;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    pictures.vectors.row(before + static_cast<Eigen::Index>(i)) = vectors[i];
    pictures.target_rows.push_back(is_target ? kept[i] : -1);
    if (by_row.rows() > kept[i])
      pictures.seen.push_row(by_row.view(), kept[i]);
    else
      pictures.seen.end_row();
    if (reader.row() + 1 != kept[i]) reader.skip_to(kept[i]);
    require(reader.next(item) && reader.row() == kept[i], "collection '", from.collection.name,
            "' has changed meanwhile");
    pictures.captions.push_back(captions_of(item));
  }
}

/// Sentence vectors of the names of what is seen, more of what is seldom seen elsewhere.
Matrix mixed_names(const Sparse& seen, const Matrix& label_vectors) {
  VectorD shares = VectorD::Zero(seen.columns);
  Matrix rows = Matrix::Zero(seen.rows(), seen.columns);
  std::int64_t known = 0;
  for (std::int64_t row = 0; row < seen.rows(); ++row) {
    const auto classes = seen.view().row_indices(row);
    const auto likely = seen.view().row_values(row);
    float sum = 0;
    for (std::size_t i = 0; i < classes.size(); ++i) sum += std::sqrt(likely[i]);
    if (sum == 0) continue;
    ++known;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      rows(row, classes[i]) = std::sqrt(likely[i]) / sum;
      shares[classes[i]] += static_cast<double>(rows(row, classes[i]));
    }
  }
  if (known == 0) return Matrix::Zero(seen.rows(), label_vectors.cols());
  const Eigen::RowVectorXf weights =
      (shares.array() / static_cast<double>(known) + kEvenly).inverse().cast<float>().transpose();
  return unit_rows(multiply(Matrix(rows * weights.asDiagonal()), label_vectors));
}

/// Captions of some pictures as sentence vectors.
struct EncodedCaptions {
  std::vector<std::int64_t> pictures;  ///< those that have any
  Matrix means;                        ///< a row for each of them
  Matrix each;                         ///< all captions
  std::vector<std::int64_t> of;        ///< per caption: place in `pictures`
  Eigen::RowVectorXf centre;           ///< of all captions
};

EncodedCaptions encode_captions(const std::vector<std::vector<std::string>>& captions,
                                SharedEncoder& encoder, const Run& run) {
  EncodedCaptions result;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < captions.size(); ++i) {
    if (captions[i].empty()) continue;
    for (const std::string& caption : captions[i]) {
      texts.push_back(caption);
      result.of.push_back(std::ssize(result.pictures));
    }
    result.pictures.push_back(static_cast<std::int64_t>(i));
  }
  result.each = encoder.texts(texts, [&] { run.progress({"reading captions", 0, 0, ""}); });
  result.centre =
      texts.empty() ? Eigen::RowVectorXf() : Eigen::RowVectorXf(result.each.colwise().mean());
  result.means = Matrix::Zero(std::ssize(result.pictures), result.each.cols());
  std::vector<float> counts(result.pictures.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    result.means.row(result.of[i]) += result.each.row(static_cast<Eigen::Index>(i));
    ++counts[static_cast<std::size_t>(result.of[i])];
  }
  for (std::size_t i = 0; i < counts.size(); ++i)
    result.means.row(static_cast<Eigen::Index>(i)) /= counts[i];
  return result;
}

Matrix rows_of(const Matrix& from, const std::vector<std::int64_t>& rows) {
  Matrix result(std::ssize(rows), from.cols());
  for (std::size_t i = 0; i < rows.size(); ++i)
    result.row(static_cast<Eigen::Index>(i)) = from.row(rows[i]);
  return result;
}

/// How captions find their pictures.
struct Finding {
  double reciprocal = 0;      ///< mean reciprocal rank
  double recall = 0;          ///< in %
  std::vector<double> best;   ///< per caption: the similarity of the best picture
  std::vector<double> right;  ///< per caption: that of its own
};

Finding find_by_captions(const Matrix& pictures, const Matrix& asked,
                         const std::vector<std::int64_t>& of, int jobs) {
  const Matrix products = multiply_transposed(asked, pictures, jobs);
  Finding finding;
  for (Eigen::Index i = 0; i < products.rows(); ++i) {
    const float own = products(i, of[static_cast<std::size_t>(i)]);
    const auto rank = (products.row(i).array() >= own).count();
    finding.reciprocal += 1.0 / static_cast<double>(rank);
    finding.recall += rank <= kFirst ? 100 : 0;
    finding.best.push_back(static_cast<double>(products.row(i).maxCoeff()));
    finding.right.push_back(static_cast<double>(own));
  }
  const auto count = static_cast<double>(std::max<Eigen::Index>(1, products.rows()));
  finding.reciprocal /= count;
  finding.recall /= count;
  return finding;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

/// A threshold that few captions are below, and what is certain.
Fitting fitting_of(const Finding& finding) {
  const double least =
      std::clamp(quantile(finding.best, kRefused), kLeastSimilarity, kMostSimilarity);
  return {least, 0, std::max(2 * least, quantile(finding.right, 0.95))};
}

Matrix centred_units(const Matrix& rows, const Eigen::RowVectorXf& centre) {
  return unit_rows(Matrix(rows.rowwise() - centre));
}

/// Learns the two maps from the pictures that `used` says.
class PictureWay {
 public:
  PictureWay(Pictures pictures, SharedEncoder& encoder, const Run& run)
      : pictures_(std::move(pictures)), run_(run) {
    if (!pictures_.labels.empty()) {
      label_vectors_ = encoder.texts(pictures_.labels, [&] {
        run_.progress({"reading the names of classes", 0, 0, ""});
      });
      label_centre_ = label_vectors_.colwise().mean();
      Pictures& all = pictures_;
      mixed_ = mixed_names(all.seen, centred_units(label_vectors_, label_centre_));
    }
    captions_ = encode_captions(pictures_.captions, encoder, run_);
  }

  std::int64_t captioned() const { return std::ssize(captions_.pictures); }
  bool knows_classes() const { return label_vectors_.size() > 0 && !mixed_.isZero(0); }
  bool can_learn() const { return knows_classes() || captioned() >= kFewestCaptioned; }
  const Pictures& pictures() const { return pictures_; }

  /// Makes every choice by captions that are left out, and fills in `way`.
  void learn(MeaningWay& way, MeaningWaySummary& summary) {
    run_.progress({"learning what pictures mean", 0, 0, ""});
    way.fitting = kUsualOfPictures;
    if (knows_classes()) {
      std::vector<std::int64_t> known;
      for (std::int64_t row = 0; row < pictures_.seen.rows(); ++row)
        if (!pictures_.seen.view().row_indices(row).empty()) known.push_back(row);
      way.classes = ridge_map(rows_of(pictures_.vectors, known), rows_of(mixed_, known),
                              kClassPenalty, run_.jobs);
      way.labels = pictures_.labels;
      way.label_vectors = label_vectors_;
      way.centre = label_centre_;
    }
    if (captioned() >= kFewestCaptioned) learn_captions(way, summary);
  }

  /// The caption map anew from those captioned pictures that `used` says.
  RidgeMap captions_map(const std::vector<std::uint8_t>& used) const {
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < captions_.pictures.size(); ++i)
      if (used[static_cast<std::size_t>(captions_.pictures[i])] != 0)
        places.push_back(static_cast<std::int64_t>(i));
    if (std::ssize(places) < kFewestCaptioned) return {};
    std::vector<std::int64_t> rows;
    for (const std::int64_t place : places)
      rows.push_back(captions_.pictures[static_cast<std::size_t>(place)]);
    return ridge_map(rows_of(pictures_.vectors, rows), rows_of(captions_.means, places), penalty_,
                     run_.jobs);
  }

 private:
  void learn_captions(MeaningWay& way, MeaningWaySummary& summary) {
    // A part is enough to choose on, and all others' captions would be too many to rank.
    std::vector<std::int64_t> some = drawn_rows(captioned(), kMostChosenOn);
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> place(static_cast<std::size_t>(captioned()), -1);
    for (std::size_t i = 0; i < some.size(); ++i) {
      rows.push_back(captions_.pictures[static_cast<std::size_t>(some[i])]);
      place[static_cast<std::size_t>(some[i])] = static_cast<std::int64_t>(i);
    }
    std::vector<std::int64_t> asked;
    std::vector<std::int64_t> of;
    for (std::size_t i = 0; i < captions_.of.size(); ++i) {
      const std::int64_t at = place[static_cast<std::size_t>(captions_.of[i])];
      if (at < 0) continue;
      asked.push_back(static_cast<std::int64_t>(i));
      of.push_back(at);
    }
    const Matrix queries = centred_units(rows_of(captions_.each, asked), captions_.centre);
    const Matrix vectors = rows_of(pictures_.vectors, rows);
    const RidgePath path(vectors, rows_of(captions_.means, some), run_.jobs);
    Matrix by_classes;
    if (!way.classes.empty()) by_classes = unit_rows(way.classes.apply(vectors, run_.jobs));
    Finding best;
    for (const double penalty : kPenalties) {
      const Matrix left_out = unit_rows(path.left_out(penalty));
      for (const double of_classes : kOfClasses) {
        if (by_classes.size() == 0 && of_classes != 1) continue;
        const Matrix both =
            by_classes.size() == 0
                ? left_out
                : unit_rows(Matrix(left_out + static_cast<float>(of_classes) * by_classes));
        Finding finding = find_by_captions(both, queries, of, run_.jobs);
        if (finding.reciprocal <= best.reciprocal) continue;
        best = std::move(finding);
        penalty_ = penalty;
        way.of_classes = of_classes;
      }
    }
    way.fitting = fitting_of(best);
    way.centre = captions_.centre;
    way.captions = captions_map(std::vector<std::uint8_t>(pictures_.captions.size(), 1));
    summary.captioned = captioned();
    summary.recall = best.recall;
    summary.among = std::ssize(some);
  }

  Pictures pictures_;
  Run run_;
  Matrix label_vectors_;
  Eigen::RowVectorXf label_centre_;
  Matrix mixed_;
  EncodedCaptions captions_;
  double penalty_ = kUsualPenalty;
};

/// Half of the pictures, to learn from where the others tell how well it goes.
std::vector<std::uint8_t> drawn_half(std::size_t count) {
  std::vector<std::uint8_t> half(count);
  for (std::size_t i = 0; i < count; ++i) half[i] = random_bits(2, i, 0x68616c66ULL) & 1U;
  return half;
}

/// What a way says of the trial's items, for each asked term: rows of `meant` by row of the target,
/// without those that it learned from.
std::vector<std::vector<float>> evidence_of(const MeaningWay& way, const Matrix& meant,
                                            const Matrix& asked, const HeldOutRanking& held_out) {
  std::vector<std::vector<float>> evidence;
  for (Eigen::Index i = 0; i < asked.rows(); ++i) {
    const Eigen::RowVectorXf query = asked_vector(way, asked.row(i));
    std::vector<float> similar(held_out.rows.size(), std::nanf(""));
    for (std::size_t item = 0; item < similar.size(); ++item) {
      const std::int64_t row = held_out.rows[item];
      if (row < meant.rows() && !meant.row(row).isZero(0))
        similar[item] = meant.row(row).dot(query);
    }
    evidence.push_back(fits(way.fitting, similar));
    evidence.back().resize(similar.size());
  }
  return evidence;
}

std::vector<std::vector<float>> with_evidence(std::vector<std::vector<float>> scores,
                                              const std::vector<std::vector<float>>& evidence,
                                              double weight) {
  for (std::size_t i = 0; i < scores.size(); ++i)
    for (std::size_t item = 0; item < scores[i].size(); ++item)
      scores[i][item] += static_cast<float>(weight) * evidence[i][item];
  return scores;
}

/// The weight by what was hidden: the usual one, unless another is clearly better.
void choose_weight(MeaningWay& way, const std::vector<std::vector<float>>& evidence,
                   HeldOutRanking& held_out, MeaningWaySummary& summary, int jobs) {
  const Quality before = judge(held_out.trial, held_out.scores, jobs);
  const double usual = way.weight;
  Quality best = judge(held_out.trial, with_evidence(held_out.scores, evidence, usual), jobs);
  for (const double factor : kWeightFactors) {
    Quality other =
        judge(held_out.trial, with_evidence(held_out.scores, evidence, usual * factor), jobs);
    if (!clearly_better(other.average_precision, best.average_precision)) continue;
    best = std::move(other);
    way.weight = usual * factor;
  }
  summary.gain = mean(best.missing_average_precision) - mean(before.missing_average_precision);
  held_out.scores = with_evidence(std::move(held_out.scores), evidence, way.weight);
}

/// Learns the ways one after the other.
class Learning {
 public:
  Learning(const Library& library, const std::vector<Collection>& collections,
           HeldOutRanking held_out, const Run& run)
      : library_(library), collections_(collections), held_out_(std::move(held_out)), run_(run) {}

  MeaningModel learn(MeaningReport& report) {
    MeaningModel model;
    model.collection = collections_[0].name;
    bool of_texts = false;
    bool of_pictures = false;
    bool of_pair = false;
    for (const EncodedFeatures& features : encoded_features(library_, collections_[0])) {
      try {
        const bool pair = features.encoder.of == Medium::picture && is_pair(features.encoder);
        bool& has = features.encoder.of == Medium::text ? of_texts : pair ? of_pair : of_pictures;
        if (has) continue;
        MeaningWaySummary summary;
        MeaningWay way;
        way.features = features.record.name;
        way.made = features.record.source;
        if (features.encoder.of == Medium::text)
          learn_texts(features, way);
        else if (pair)
          learn_pair(features, way, summary);
        else if (!learn_pictures(features, way, summary, report))
          continue;
        has = true;
        summary.kind = way.kind;
        summary.features = way.features;
        summary.encoder = way.asked.encoder;
        summary.weight = way.weight;
        model.ways.push_back(std::move(way));
        report.ways.push_back(std::move(summary));
      } catch (const Cancelled&) {
        throw;
      } catch (const StorageError&) {
        throw;
      } catch (const Error& problem) {
        report.problem = problem.what();
      }
    }
    return model;
  }

 private:
  bool has_trial() const { return !held_out_.trial.asked.empty(); }

  Matrix asked_vectors(const EncoderName& name) const {
    return SharedEncoder::open(name, run_.jobs)->texts(held_out_.asked);
  }

  void learn_texts(const EncodedFeatures& features, MeaningWay& way) {
    way.kind = MeaningKind::texts;
    way.asked = features.encoder;
    way.fitting = kUsualOfTexts;
    way.weight = kUsualWeightOfTexts;
    MeaningWaySummary unused;
    if (has_trial())
      choose_weight(way,
                    evidence_of(way, dense_features(features.record).view(),
                                asked_vectors(way.asked), held_out_),
                    held_out_, unused, run_.jobs);
  }

  void learn_pair(const EncodedFeatures& features, MeaningWay& way, MeaningWaySummary& summary) {
    way.kind = MeaningKind::pair;
    way.asked = features.encoder;
    way.fitting = kUsualOfPairs;
    way.weight = kUsualWeight;
    Pictures pictures;
    add_pictures(library_, features, true, kMostChosenOn, pictures);
    const auto encoder = SharedEncoder::open(way.asked, run_.jobs);
    const EncodedCaptions captions = encode_captions(pictures.captions, *encoder, run_);
    if (std::ssize(captions.pictures) >= kFewestCaptioned) {
      const Finding finding = find_by_captions(rows_of(pictures.vectors, captions.pictures),
                                               captions.each, captions.of, run_.jobs);
      way.fitting = {quantile(finding.best, kRefused), 0, quantile(finding.right, 0.95)};
      summary.captioned = std::ssize(captions.pictures);
      summary.recall = finding.recall;
      summary.among = summary.captioned;
    }
    if (has_trial())
      choose_weight(way,
                    evidence_of(way, dense_features(features.record).view(),
                                asked_vectors(way.asked), held_out_),
                    held_out_, summary, run_.jobs);
  }

  bool learn_pictures(const EncodedFeatures& features, MeaningWay& way, MeaningWaySummary& summary,
                      MeaningReport& report) {
    const auto sentences = sentence_encoder(library_, collections_);
    if (!sentences) {
      report.problem =
          "pictures are found by words only beside an encoder of sentences; ./dev models brings "
          "one, or: commonplace models add FOLDER";
      return false;
    }
    Pictures pictures;
    add_pictures(library_, features, true, kMostPictures, pictures);
    for (std::size_t d = 1; d < collections_.size(); ++d)
      for (const EncodedFeatures& other : encoded_features(library_, collections_[d]))
        if (other.encoder == features.encoder)
          add_pictures(library_, other, false, kMostPictures, pictures);
    if (pictures.vectors.rows() == 0) return false;
    const auto encoder = SharedEncoder::open(*sentences, run_.jobs);
    PictureWay learning(std::move(pictures), *encoder, run_);
    if (!learning.can_learn()) {
      report.problem = concat("nothing is written beside the pictures of '", collections_[0].name,
                              "', and their encoder tells no classes");
      return false;
    }
    way.kind = MeaningKind::pictures;
    way.asked = *sentences;
    way.weight = kUsualWeight;
    learning.learn(way, summary);
    if (has_trial()) weigh_pictures(features, learning, way, summary);
    return true;
  }

  /// Tags that were hidden were captions to the maps, so half of the pictures is learned from for
  /// this, and the others are asked for.
  void weigh_pictures(const EncodedFeatures& features, const PictureWay& learning, MeaningWay& way,
                      MeaningWaySummary& summary) {
    const std::vector<std::uint8_t> half = drawn_half(learning.pictures().captions.size());
    MeaningWay trial = way;
    trial.captions = learning.captions_map(half);
    if (trial.captions.empty() && trial.classes.empty()) return;
    Matrix meant = meant_vectors(trial, dense_features(features.record).view(), run_.jobs);
    for (std::size_t i = 0; i < half.size(); ++i)
      if (const std::int64_t row = learning.pictures().target_rows[i]; row >= 0 && half[i] != 0)
        meant.row(row).setZero();
    const auto evidence = evidence_of(way, meant, asked_vectors(way.asked), held_out_);
    HeldOutRanking before = held_out_;
    choose_weight(way, evidence, before, summary, run_.jobs);
    held_out_.scores = std::move(before.scores);
  }

  const Library& library_;
  const std::vector<Collection>& collections_;
  HeldOutRanking held_out_;
  Run run_;
};

}  // namespace

bool has_encoded_features(const Library& library, const Collection& collection) {
  return !encoded_features(library, collection).empty();
}

std::optional<MeaningModel> learn_meaning(const Library& library,
                                          const std::vector<Collection>& collections,
                                          const HeldOutRanking& held_out, MeaningReport& report,
                                          const Run& run) {
  MeaningModel model = Learning(library, collections, held_out, run).learn(report);
  if (model.ways.empty()) return std::nullopt;
  return model;
}

}  // namespace commonplace::search
