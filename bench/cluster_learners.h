#pragma once

#include <functional>
#include <vector>

#include "commonplace/comm/comm.h"

namespace commonplace {

/// The sizes that the costs of the learners are formulas of. Not every learner has each.
struct Sizes {
  double items = 0;       ///< of all ranks
  double ranks = 1;       ///< P
  double of_item = 0;     ///< nonzeros or links of an item
  double width = 0;       ///< terms or features
  double parts = 0;       ///< topics, functions, anchors, prototypes, coordinates or clusters
  double tags = 0;        ///< tags, concepts or classes
  double iterations = 1;  ///< as reported, or as options say
  double sample = 0;      ///< items drawn or labelled
  double products = 0;    ///< with the curvature, by conjugate gradients
};

/// What is shared out among the ranks, and what each of them has to do or hold by itself.
struct Cost {
  double shared_out = 0;
  double repeated = 0;
};
inline double per_rank(const Cost& cost, double ranks) {
  return cost.shared_out / ranks + cost.repeated;
}

/// Fits this rank's items, and sets what only the fit can tell in `done`.
using Fit = std::function<void(Comm& comm, Sizes& done)>;

struct Learner {
  const char* name;
  Sizes bench;    ///< measured
  Sizes billion;  ///< computed
  /// Makes the items of a rank: any number of ranks has the same ones.
  Fit (*prepare)(const Sizes& sizes, const RowRange& own);
  double (*bytes)(const Sizes& sizes);  ///< received by a rank, on average
  Cost (*flops)(const Sizes& sizes);
  Cost (*memory)(const Sizes& sizes);  ///< bytes
  /// False: the formula needs a number that was counted by the calls themselves.
  bool checked = true;
};

std::vector<Learner> learners();

}  // namespace commonplace
