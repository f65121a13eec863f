// Which numbers may be labels.
#include "src/accuracy/labels.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "halftone/data.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// Of a network with ten classes.
template <typename Integer>
Labels Given(std::initializer_list<Integer> values) {
  Graph graph;
  graph.inputs.push_back(
      graph.AddValue({.name = "x", .type = {DType::kFloat32, {1, 4}}, .constant = {}}));
  graph.outputs.push_back(
      graph.AddValue({.name = "y", .type = {DType::kFloat32, {1, 10}}, .constant = {}}));
  SampleArrays arrays;
  arrays.name = "arrays";
  arrays.labels = Tensor::From<Integer>({static_cast<std::int64_t>(values.size())},
                                        std::span<const Integer>(values.begin(), values.size()));
  return LabelsIn(graph, arrays, values.size());
}

template <typename Integer>
std::string Refusal(std::initializer_list<Integer> values) {
  try {
    Given(values);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(LabelsTest, ClassesAndWhatStandsForNone) {
  EXPECT_EQ((Given<std::int64_t>({0, 9, -1, -100}).size()), 4U);
  EXPECT_EQ((Given<std::uint8_t>({0, 9}).size()), 2U);
}

TEST(LabelsTest, OtherNumbersAreRefused) {
  const std::string expected = "; expected 0 or more, or -1 (as -100) for a row without a label";
  EXPECT_EQ((Refusal<std::int64_t>({1, -2})),
            "'labels of arrays': sample 1 has the label -2" + expected);
  EXPECT_EQ((Refusal<std::int64_t>({std::numeric_limits<std::int64_t>::min()})),
            "'labels of arrays': sample 0 has the label -9223372036854775808" + expected);
  EXPECT_EQ((Refusal<std::int64_t>({10})),
            "'labels of arrays': sample 0 has the label 10, the network has 10 classes");
  EXPECT_EQ((Refusal<std::uint64_t>({1, std::numeric_limits<std::uint64_t>::max()})),
            "'labels of arrays': expected labels below 2^63, found 18446744073709551615");
}

}  // namespace
}  // namespace halftone
