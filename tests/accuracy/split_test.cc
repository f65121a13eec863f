// No sample is on both sides of a split, whatever copies the data hold.
#include "src/accuracy/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "src/base/error.h"

namespace halftone {
namespace {

// Samples of one value each, named and labelled after their position.
Dataset DatasetOf(const std::vector<float>& values, bool labelled = true) {
  std::vector<Sample> samples;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < values.size(); ++i) {
    samples.push_back({.name = "s" + std::to_string(i),
                       .inputs = {Tensor::From<float>({1}, std::vector{values[i]})}});
    labels.push_back(static_cast<std::int64_t>(i));
  }
  Dataset dataset(std::move(samples),
                  labelled ? Labels(std::move(labels), values.size(), 1) : Labels());
  dataset.notes = {"a note."};
  return dataset;
}

std::vector<float> Count(int n) {
  std::vector<float> values;
  for (int i = 0; i < n; ++i) {
    values.push_back(static_cast<float>(i));
  }
  return values;
}

std::set<float> ValuesOf(const Dataset& dataset) {
  std::set<float> values;
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    values.insert(dataset.Read(i).inputs[0].values<float>()[0]);
  }
  return values;
}

TEST(SplitTest, PartsAreDisjointAndComplete) {
  const DataSplit split = SplitDataset(DatasetOf(Count(40)), 0.25, 1);
  EXPECT_EQ(split.heldout.size(), 10U);
  EXPECT_EQ(split.search.size(), 30U);
  for (const Dataset* part : {&split.search, &split.heldout}) {
    ASSERT_EQ(part->labels().size(), part->size());
    for (std::size_t i = 0; i < part->size(); ++i) {
      EXPECT_EQ(part->NameOf(i), "s" + std::to_string(part->labels()[i][0]));
      EXPECT_TRUE(i == 0 || part->labels()[i - 1][0] < part->labels()[i][0]) << "order is kept";
    }
  }
  std::set<float> all = ValuesOf(split.search);
  all.merge(ValuesOf(split.heldout));
  EXPECT_EQ(all.size(), 40U);
  EXPECT_EQ(split.search.notes.size(), 1U);
}

TEST(SplitTest, CopiesStayOnOneSide) {
  std::vector<float> values;
  for (int i = 0; i < 60; ++i) {
    values.push_back(static_cast<float>(i % 20));
  }
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const DataSplit split = SplitDataset(DatasetOf(values), 0.3, seed);
    for (const float value : ValuesOf(split.heldout)) {
      EXPECT_FALSE(ValuesOf(split.search).contains(value)) << "seed " << seed;
    }
    EXPECT_GE(split.heldout.size(), 18U);
    EXPECT_LE(split.heldout.size(), 20U);
  }
}

TEST(SplitTest, FollowsTheSeed) {
  const auto held = [](std::uint64_t seed) {
    return ValuesOf(SplitDataset(DatasetOf(Count(40)), 0.25, seed).heldout);
  };
  EXPECT_EQ(held(1), held(1));
  EXPECT_NE(held(1), held(2));
}

TEST(SplitTest, NothingIsHeldOutWithoutAShare) {
  const DataSplit split = SplitDataset(DatasetOf(Count(3), false), 0, 1);
  EXPECT_EQ(split.search.size(), 3U);
  EXPECT_TRUE(split.heldout.empty());
}

TEST(SplitTest, NothingLeftToSearchOn) {
  try {
    SplitDataset(DatasetOf({1, 1, 1}), 0.5, 1);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(),
                 "cannot hold out 50 % of 3 samples: nothing would be left to search on; give more "
                 "different samples or --heldout_share=0");
  }
}

TEST(RemoveSeenTest, RemovesWhatTheSearchSees) {
  const Dataset search = DatasetOf({1, 2, 3});
  Dataset heldout = DatasetOf({3, 4, 1, 5});
  EXPECT_EQ(RemoveSeen(search, heldout), 2U);
  EXPECT_EQ(ValuesOf(heldout), (std::set<float>{4, 5}));
  EXPECT_EQ(heldout.labels(), (Labels{{1}, {3}}));
  EXPECT_EQ(heldout.notes.size(), 1U);
}

TEST(RemoveSeenTest, NothingNewIsAnError) {
  const Dataset search = DatasetOf({1, 2, 3});
  Dataset heldout = DatasetOf({3, 1});
  try {
    RemoveSeen(search, heldout);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "all 2 held-out samples are among the samples of the search too: give samples "
                 "that it does not see");
  }
}

}  // namespace
}  // namespace halftone
