#include "commonplace/learn/checkpoint.h"

#include <fstream>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/io/files.h"
#include "commonplace/learn/feature_rows.h"
#include "commonplace/learn/plsa.h"
#include "commonplace/search/core/shared_subspace.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace checkpoint_test {

using namespace search;

namespace fs = std::filesystem;

/// 60 items of 25 terms, about a quarter of them used.
Sparse some_items(std::uint64_t seed) {
  Sparse items;
  items.columns = 25;
  for (std::uint64_t row = 0; row < 60; ++row) {
    for (std::uint64_t term = 0; term < 25; ++term)
      if (random_uniform(seed, row, term) < 0.25)
        items.push(static_cast<std::int32_t>(term),
                   static_cast<float>(random_uniform(seed + 1, row, term)));
    items.end_row();
  }
  return items;
}

class Checkpoints : public testing::Test {
 protected:
  /// With a checkpoint after every iteration.
  SharedSubspaceOptions kept(const std::string& solver = "hals") const {
    SharedSubspaceOptions result = alone(solver);
    result.checkpoint = {folder_ / "kept", 0};
    return result;
  }
  static SharedSubspaceOptions alone(const std::string& solver = "hals") {
    SharedSubspaceOptions result;
    result.solver = solver;
    result.iterations = 40;
    result.tolerance = 0;
    return result;
  }

  struct Found {
    Matrix basis;
    std::vector<double> objective;
    int done = 0;  ///< iterations of this run
  };
  /// What the ranks find together. The first is stopped by an Error after `stop` iterations.
  Found fit(int ranks, const SharedSubspaceOptions& options, int stop = 1000) const {
    Found result;
    run_as_threads(ranks, [&](Comm& comm) {
      std::vector<SparseView> own;
      for (const Sparse* all : {&photos_, &gallery_}) {
        const RowRange range = rows_of_rank(all->rows(), comm.rank(), comm.size());
        own.push_back(
            slice(FeatureRows(all->view()), range.begin, range.end - range.begin).sparse());
      }
      int done = 0;
      const auto found = fit_shared_subspace(
          own, shared_blocks(2, 5, 5, 2), options,
          {comm, 1, [&](const ProgressStep&) { require(++done <= stop, "stopped"); }});
      if (comm.rank() == 0) result = {found.model.basis, found.report.objective, done};
    });
    return result;
  }
  std::string error_of(int ranks, const SharedSubspaceOptions& options, int stop = 1000) const {
    try {
      fit(ranks, options, stop);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  fs::path kept_in() const { return folder_ / "kept" / kSharedSubspaceCheckpoint; }
  std::int64_t files() const {
    std::error_code missing;
    return std::distance(fs::directory_iterator(kept_in(), missing), fs::directory_iterator());
  }

  test::TemporaryDirectory folder_;
  Sparse photos_ = some_items(1);
  Sparse gallery_ = some_items(5);
};

TEST_F(Checkpoints, AFitThatWasStoppedGoesOnToTheSameBits) {
  for (const int ranks : {1, 2, 3, 4}) {
    const Found whole = fit(ranks, alone());
    EXPECT_EQ(error_of(ranks, kept(), 17), "stopped");
    EXPECT_EQ(files(), ranks + 1) << "one part a rank, and the note";
    EXPECT_EQ(error_of(ranks, kept(), 10), "stopped") << "once more, on the way";
    const Found rest = fit(ranks, kept());
    EXPECT_EQ(rest.done, 40 - 17 - 10);
    EXPECT_TRUE(rest.basis == whole.basis) << ranks;
    EXPECT_EQ(rest.objective, whole.objective);
    // What is finished stays finished until it is forgotten.
    const Found again = fit(ranks, kept());
    EXPECT_EQ(again.done, 0);
    EXPECT_TRUE(again.basis == whole.basis);
    forget_checkpoint(kept().checkpoint, kSharedSubspaceCheckpoint);
    EXPECT_FALSE(fs::exists(folder_ / "kept"));
  }
}

TEST_F(Checkpoints, TopicsOfPlsaGoOnToTheSameBits) {
  const auto topics = [&](int ranks, const PlsaOptions& options, int stop) {
    PlsaFit result;
    int done = 0;
    run_as_threads(ranks, [&](Comm& comm) {
      const RowRange range = rows_of_rank(photos_.rows(), comm.rank(), comm.size());
      const auto own =
          slice(FeatureRows(photos_.view()), range.begin, range.end - range.begin).sparse();
      PlsaFit fit =
          fit_plsa(own, options,
                   {comm, 1, [&](const ProgressStep&) { require(++done <= stop, "stopped"); }});
      if (comm.rank() == 0) result = std::move(fit);
    });
    return std::pair(std::move(result), done);
  };
  PlsaOptions options;
  options.topics = 4;
  options.iterations = 30;
  options.tolerance = 0;
  for (const int ranks : {1, 3}) {
    const auto whole = topics(ranks, options, 1000).first;
    PlsaOptions keeping = options;
    keeping.checkpoint = {folder_ / "topics", 0};
    EXPECT_THROW(topics(ranks, keeping, 11), Error);
    const auto [rest, done] = topics(ranks, keeping, 1000);
    EXPECT_EQ(done, 30 - 11);
    EXPECT_TRUE(rest.model.term_topics == whole.model.term_topics);
    EXPECT_TRUE(rest.document_topics == whole.document_topics);
    EXPECT_EQ(rest.report.objective, whole.report.objective);
    keeping.topics = 5;
    EXPECT_THROW(topics(ranks, keeping, 1000), Error) << "another fit";
    forget_checkpoint(keeping.checkpoint, kPlsaCheckpoint);
    EXPECT_FALSE(fs::exists(folder_ / "topics"));
  }
}

TEST_F(Checkpoints, MultiplicativeStepsGoOnUpToRounding) {
  const Found whole = fit(2, alone("mu"));
  EXPECT_EQ(error_of(2, kept("mu"), 17), "stopped");
  EXPECT_LT((fit(2, kept("mu")).basis - whole.basis).cwiseAbs().maxCoeff(), 1e-5F);
}

TEST_F(Checkpoints, MoreIterationsGoOnFromTheEnd) {
  fit(2, kept());
  SharedSubspaceOptions longer = kept();
  longer.iterations = 50;
  EXPECT_EQ(fit(2, longer).done, 10);
}

TEST_F(Checkpoints, WhatElseIsInTheFolderStays) {
  fit(2, kept());
  std::ofstream(folder_ / "kept/notes.txt") << "mine";
  forget_checkpoint(kept().checkpoint, kSharedSubspaceCheckpoint);
  EXPECT_FALSE(fs::exists(kept_in()));
  EXPECT_TRUE(fs::exists(folder_ / "kept/notes.txt"));
}

TEST_F(Checkpoints, AnotherFitIsRefused) {
  EXPECT_EQ(error_of(2, kept(), 5), "stopped");
  EXPECT_NE(error_of(3, kept()).find("was kept by 2 ranks, and there are 3"), std::string::npos);
  EXPECT_NE(error_of(2, kept("mu")).find("other options or other items"), std::string::npos);
  SharedSubspaceOptions other = kept();
  other.seed = 2;
  EXPECT_NE(error_of(2, other).find("other options or other items"), std::string::npos);
  gallery_.values[3] += 1;
  EXPECT_NE(error_of(2, kept()).find("other options or other items"), std::string::npos);
}

TEST_F(Checkpoints, DamageIsAnErrorAndNotAWrongResult) {
  EXPECT_EQ(error_of(2, kept(), 5), "stopped");
  for (const auto& entry : fs::directory_iterator(kept_in()))
    if (entry.path().extension() == ".safetensors") fs::resize_file(entry.path(), 100);
  EXPECT_NE(error_of(2, kept()), "");
}

TEST_F(Checkpoints, AStateThatOnlySomeRanksKeptDoesNotCount) {
  EXPECT_EQ(error_of(2, kept(), 5), "stopped");
  // As if the job had died while iteration 6 was being kept.
  std::ofstream(kept_in() / "6-0.safetensors") << "half";
  std::ofstream(temporary_name(kept_in())) << "not even that";
  EXPECT_EQ(fit(2, kept()).done, 35);
  forget_checkpoint(kept().checkpoint, kSharedSubspaceCheckpoint);
  EXPECT_FALSE(fs::exists(folder_ / "kept"));
}

}  // namespace checkpoint_test
}  // namespace commonplace
