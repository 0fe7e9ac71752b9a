#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"

namespace commonplace::suggest {

struct PoissonTagOptions {
  std::int64_t topics = 100;  ///< clusters of items
  std::int64_t regions = 3;   ///< parts of the mixture of a topic
  std::int64_t groups = 30;   ///< of words of about the same rate in a topic
  double tag_weight = 0.5;    ///< share of the tags in the graph that topics are found in
  double smoothing = 1;       ///< as if a region had so many average items more
  int iterations = 20;        ///< of expectation and maximisation
  std::uint64_t seed = 1;     ///< of what is drawn
};

/// The Poisson mixture model of tag suggestion (Song et al. 2008): topics are spectral clusters of
/// items that share words and tags; the words of a topic's items are drawn from a mixture of
/// products of Poisson distributions, the regions, in which the words of a group have the same rate
/// (Li and Zha's two-way mixture); a tag is as likely as its share of the topic's items.
struct PoissonTags {
  Matrix log_rate;                    ///< words x regions of all topics
  std::vector<float> constant;        ///< per region, ln of its share minus the sum of its rates
  std::vector<std::int32_t> topic;    ///< of each region
  Matrix tag_share;                   ///< topics x tags
  std::vector<double> log_posterior;  ///< before each iteration, of all topics; never falls
};

/// `words` (items x words) are counts or other weights of 0 or more, `tags` are items x tags.
/// O(nonzeros · topics) for the topics; O((nonzeros + words · topics · groups) · regions) an
/// iteration.
PoissonTags fit_poisson_tags(const SparseView& words, const SparseView& tags,
                             const PoissonTagOptions& options = {}, const Run& run = {});

/// Items x tags: the sum over topics of P(topic | words) times the tag's share in it.
/// O(nonzeros · regions + items · topics · tags).
Matrix score(const PoissonTags& model, const SparseView& rows, int jobs = 0);

/// Items x topics: P(topic | words).
Matrix topic_probabilities(const PoissonTags& model, const SparseView& rows, int jobs = 0);

}  // namespace commonplace::suggest
