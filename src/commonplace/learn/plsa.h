#pragma once

#include <cstdint>
#include <filesystem>
#include <type_traits>

#include "commonplace/base/convergence.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/learn/checkpoint.h"

namespace commonplace {

/// Probabilistic latent semantic analysis (Hofmann 1999): a document d is a mixture of topics z,
/// a topic a distribution over terms w, P(w|d) = sum over z of P(z|d) P(w|z), fitted by EM.
struct PlsaOptions {
  int topics = 100;
  int iterations = 200;     ///< at most
  double tolerance = 1e-5;  ///< stop when the objective gains less than this share of itself
  std::uint64_t seed = 1;   ///< of the start
  double beta = 1;          ///< tempering, in (0, 1]; below 1 topics overlap more, fit less
  CheckpointOptions checkpoint{};
};
/// The name of the fit in the folder of its checkpoint.
inline constexpr const char* kPlsaCheckpoint = "plsa";

/// `checkpoint` is the machine's matter, not the model's, so it is not in the list.
template <class Options, class Visit>
requires std::is_same_v<std::remove_const_t<Options>, PlsaOptions>
void visit_options(Options& options, Visit&& visit) {
  visit("topics", options.topics, "number of topics");
  visit("iterations", options.iterations, "most iterations");
  visit("tolerance", options.tolerance, "stop when an iteration gains less than this share");
  visit("seed", options.seed, "seed of the start");
  visit("beta", options.beta, "tempering; below 1 topics overlap more");
}

struct PlsaModel {
  MatrixD term_topics;  ///< P(w|z), terms x topics: columns sum to one, a term's row is contiguous
  VectorD topic_probability;  ///< P(z)
  PlsaOptions options;
};

struct PlsaFit {
  PlsaModel model;
  Matrix document_topics;  ///< P(z|d), this rank's documents x topics; P(z) where d has no counts
  Convergence report;
};

/// Each rank gives the counts of its own documents over the same terms; every rank gets the same
/// model, which does not depend on how many ranks there are beyond rounding. The start is random in
/// P(w|z), a function of (seed, term, topic), and even in P(z|d), so permuted documents give the
/// permuted answer.
/// The objective, before each update, is the log-likelihood, sum of n(d,w) ln P(w|d); with
/// tempering it is sum of n(d,w) ln(sum over z of (P(z|d) P(w|z))^beta) / beta. It never falls.
/// An iteration is O(nonzeros topics) and sums terms x topics doubles over the ranks; memory is
/// 8 bytes x topics x (documents + 2 terms). Error for a count that is negative or not finite, or
/// when there are no counts at all. With a checkpoint of the same fit it goes on from there, to the
/// same bits.
PlsaFit fit_plsa(const SparseView& counts, const PlsaOptions& options, const Run& run);

/// P(z|d) of unseen documents (rows over the model's terms) by EM with P(w|z) fixed. A document
/// without a term that the model has seen gets P(z).
Matrix encode(const PlsaModel& model, const SparseView& counts, int jobs = 0);

/// A safetensors file of kind "plsa".
void save(const PlsaModel& model, const std::filesystem::path& path);
/// Error if the file is another kind's or its parts do not fit together.
PlsaModel load_plsa(const TensorFile& file);

}  // namespace commonplace
