// Compares a network before and after a fusion: results must agree within a bound. Both run with
// the references, with one rounding a node.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "tests/support/graph_pass.h"
#include "tests/support/net.h"

namespace halftone::testing {

inline constexpr DType kFloatDTypes[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

inline double UnitRoundoff(DType dtype) {
  return dtype == DType::kFloat32 ? 0x1p-24 : dtype == DType::kFloat16 ? 0x1p-11 : 0x1p-8;
}

// Half the distance between the smallest numbers.
inline double HalfSubnormalStep(DType dtype) {
  return dtype == DType::kFloat16 ? 0x1p-25 : 0x1p-150;
}

// Bound on the difference of element i of the output; y is its value after the fusion.
using ElementBound = std::function<double(std::int64_t i, double y)>;

// Both graphs have one output and the same inputs.
inline void ExpectAgreement(const Graph& before, const Graph& after,
                            const std::vector<Tensor>& inputs, const ElementBound& bound) {
  const Evaluation unfused = Evaluate(before, inputs);
  const Evaluation fused = Evaluate(after, inputs);
  ASSERT_EQ(unfused.missing + fused.missing, "");
  const std::vector<double> left = DoublesOf(unfused.outputs[0]);
  const std::vector<double> right = DoublesOf(fused.outputs[0]);
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (std::isnan(right[i]) || std::isinf(right[i])) {
      EXPECT_TRUE(left[i] == right[i] || (std::isnan(left[i]) && std::isnan(right[i])))
          << "element " << i << ": unfused " << left[i] << ", fused " << right[i];
      continue;
    }
    ASSERT_LE(std::abs(left[i] - right[i]), bound(static_cast<std::int64_t>(i), right[i]))
        << "element " << i << ": unfused " << left[i] << ", fused " << right[i];
  }
}

// Expects that a second run of the pass changes nothing, and that inputs and outputs keep names and
// types.
inline void ExpectSettled(const Graph& before, const Graph& after, const GraphPass& pass) {
  Graph again = after;
  pass(again);
  EXPECT_EQ(HashOf(again), HashOf(after));
  EXPECT_EQ(after.inputs, before.inputs);
  ASSERT_EQ(after.outputs.size(), before.outputs.size());
  for (std::size_t i = 0; i < before.outputs.size(); ++i) {
    EXPECT_EQ(after.value(after.outputs[i]).name, before.value(before.outputs[i]).name);
    EXPECT_EQ(after.value(after.outputs[i]).type, before.value(before.outputs[i]).type);
  }
}

}  // namespace halftone::testing
