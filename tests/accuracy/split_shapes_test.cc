#include "src/accuracy/split_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "src/base/error.h"

namespace halftone {
namespace {

// `count` samples of `batch` rows of two numbers: row r of all is {r, -r}.
Dataset RowsCutBy(std::int64_t batch, std::int64_t count, float first = 0) {
  std::vector<Sample> samples;
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<float> values;
    for (std::int64_t row = 0; row < batch; ++row) {
      const float value = first + static_cast<float>(i * batch + row);
      values.insert(values.end(), {value, -value});
    }
    samples.push_back({.name = "", .inputs = {Tensor::From<float>({batch, 2}, values)}});
  }
  return Dataset(std::move(samples));
}

std::set<float> RowsIn(const Dataset& data) {
  std::set<float> rows;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Sample sample = data.Read(i);
    const auto values = sample.inputs[0].values<float>();
    for (std::size_t at = 0; at < values.size(); at += 2) {
      rows.insert(values[at]);
    }
  }
  return rows;
}

// Batches of 1, 4 and 3 of the same 48 rows, and other numbers of samples of each.
TEST(SplitShapesTest, NoRowIsOnBothSides) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<Dataset> all = {RowsCutBy(1, 40), RowsCutBy(4, 12), RowsCutBy(3, 11)};
    const ShapesSplit split = SplitShapes(std::move(all), 0.25, seed);
    std::set<float> search;
    std::set<float> heldout;
    std::size_t samples = split.left_out;
    for (const DataSplit& part : split.parts) {
      search.merge(RowsIn(part.search));
      heldout.merge(RowsIn(part.heldout));
      samples += part.search.size() + part.heldout.size();
      EXPECT_FALSE(part.search.empty());
    }
    EXPECT_EQ(samples, 63U);
    EXPECT_GE(split.parts[1].heldout.size(), 3U);
    EXPECT_GE(split.parts[0].heldout.size(), 4U) << "rows of the batches of 4";
    for (const float row : heldout) {
      EXPECT_FALSE(search.contains(row)) << row << ", seed " << seed;
    }
  }
}

TEST(SplitShapesTest, ShapesWithoutRowsInCommonAreDrawnApart) {
  std::vector<Dataset> all = {RowsCutBy(1, 16), RowsCutBy(1, 8, 1000), RowsCutBy(1, 3, 2000)};
  const ShapesSplit split = SplitShapes(std::move(all), 0.25, 5);
  EXPECT_EQ(split.left_out, 0U);
  EXPECT_EQ(split.parts[0].heldout.size(), 4U);
  EXPECT_EQ(split.parts[1].heldout.size(), 2U);
  EXPECT_EQ(split.parts[2].heldout.size(), 0U) << "a quarter of 3 is less than one";
}

TEST(SplitShapesTest, CopiesStayOnOneSide) {
  std::vector<Sample> samples;
  for (int i = 0; i < 12; ++i) {
    const float value = static_cast<float>(i % 3);
    samples.push_back({.name = "", .inputs = {Tensor::From<float>({1, 1}, {&value, 1})}});
  }
  std::vector<Dataset> all;
  all.emplace_back(std::move(samples));
  const ShapesSplit split = SplitShapes(std::move(all), 0.25, 1);
  EXPECT_EQ(split.parts[0].heldout.size(), 4U);
  EXPECT_EQ(split.parts[0].search.size(), 8U);
}

TEST(SplitShapesTest, NothingLeftToSearchOnIsAnError) {
  try {
    // Three batches of four are held out, and of the four first rows only those of the other one
    // could be searched on: for some seed there are none.
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
      SplitShapes({RowsCutBy(4, 4), RowsCutBy(1, 4)}, 0.75, seed);
    }
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("nothing would be left to search on"));
  }
}

}  // namespace
}  // namespace halftone
