// Scaled dot products as exporters write them, for the tests of src/passes/fuse/fuse_attention.h.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/passes/fuse/fuse_attention.h"
#include "src/passes/fuse/fuse_softmax.h"
#include "tests/support/fusion_check.h"

namespace halftone::testing {

inline constexpr std::int64_t kBatch = 2;
inline constexpr std::int64_t kHeads = 3;
inline constexpr std::int64_t kQueries = 5;
inline constexpr std::int64_t kLength = 13;
inline constexpr std::int64_t kSize = 8;
inline constexpr std::int64_t kValueSize = 6;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Heads : public Net {
 public:
  explicit Heads(DType dtype) : dtype_(dtype) {}

  ValueId Operand(const std::string& name, Shape shape) {
    return Input(name, std::move(shape), dtype_);
  }

  // Operands of the products, split into heads.
  ValueId Q() { return Operand("q", {kBatch, kHeads, kQueries, kSize}); }

  ValueId K() { return Operand("k", {kBatch, kHeads, kLength, kSize}); }

  ValueId V() { return Operand("v", {kBatch, kHeads, kLength, kValueSize}); }

  // Rows [batch, length, heads * size] as [batch, length, heads, size].
  ValueId Split(const std::string& name, std::int64_t length, std::int64_t size) {
    const ValueId rows = Operand(name, {kBatch, length, kHeads * size});
    return Add(OpKind::kReshape, name + ".split",
               {rows, Integers(name + ".shape", {kBatch, -1, kHeads, size})});
  }

  ValueId Turn(const std::string& name, ValueId x, std::vector<std::int64_t> perm) {
    return Add(OpKind::kTranspose, name, {x}, With("perm", std::move(perm)));
  }

  // k^T of each head.
  ValueId Turned(ValueId k) { return Turn("turn", k, {0, 1, 3, 2}); }

  ValueId Scores(ValueId q, ValueId k) { return Add(OpKind::kMatMul, "scores", {q, k}); }

  ValueId Times(const std::string& name, ValueId x, double factor) {
    return Add(OpKind::kMul, name, {x, Number(factor)});
  }

  ValueId Over(const std::string& name, ValueId x, double divisor) {
    return Add(OpKind::kDiv, name, {x, Number(divisor)});
  }

  ValueId Softmax(ValueId x) {
    return Add(OpKind::kSoftmax, "softmax", {x}, With("axis", std::int64_t{-1}));
  }

  ValueId Values(ValueId p, ValueId v) { return Add(OpKind::kMatMul, "values", {p, v}); }

  // Adds Where(keep, x, fill); with `drops` Where(keep, fill, x).
  ValueId Where(ValueId keep, ValueId x, double fill, bool drops = false) {
    const ValueId number = Number(fill);
    return Add(
        OpKind::kWhere, "where",
        drops ? std::vector<ValueId>{keep, number, x} : std::vector<ValueId>{keep, x, number});
  }

  // Softmax of Where().
  ValueId Kept(ValueId keep, ValueId x, double fill, bool drops = false) {
    return Softmax(Where(keep, x, fill, drops));
  }

  // Mask by which each query sees the positions up to its own, and the last but one sees none.
  ValueId Causal() {
    Tensor keep(DType::kBool, {kQueries, kLength});
    for (std::int64_t i = 0; i < keep.ElementCount(); ++i) {
      const std::int64_t query = i / kLength;
      StoreDouble(DType::kBool, keep.mutable_data(), i,
                  query != kQueries - 2 && i % kLength <= query ? 1 : 0);
    }
    return Constant("causal", std::move(keep));
  }

  ValueId Number(double value) { return Net::Number(value, dtype_); }

 private:
  DType dtype_;
};

struct AttentionChain {
  const char* name;
  ValueId (*make)(Heads& h);
  const char* after;
  double scale = 1;
  double scaled_operands = 0;  // r in the bound of fuse_attention.h
  double fill = 0;             // magnitude of the fill, if a mask is added to it
};

inline void FuseScores(Graph& graph) {
  FuseSoftmax(graph);
  FuseAttention(graph);
}

// Checks the bound of fuse_attention.h with its largest terms: operands and mask are at most 1, so
// A and |scale s| are at most scale * size, and the moved weights are at most e^2d times the
// original ones.
inline void ExpectAgreementWithTheChain(const AttentionChain& c) {
  for (const DType dtype : kFloatDTypes) {
    Heads h(dtype);
    const Graph before = h.Finish({c.make(h)});
    Graph after = before;
    FuseScores(after);
    ASSERT_EQ(NodesOf(after), c.after) << NameOf(dtype);
    ExpectSettled(before, after, FuseScores);
    Rng rng(7);
    std::vector<Tensor> inputs;
    for (const ValueId id : before.inputs) {
      inputs.push_back(RandomTensor(before.value(id).type, rng));
    }
    const double u = UnitRoundoff(dtype);
    const double a = c.scale * kSize;
    const double step = HalfSubnormalStep(dtype);
    ExpectAgreement(before, after, inputs, [&](std::int64_t i, double y) {
      // The query that sees nothing has the fill for all scores; others have no weight there.
      const bool filled = i / kValueSize % kQueries == kQueries - 2;
      const double d = u * ((1 + c.scaled_operands) * a + 3 * a + a + 1 + (filled ? c.fill : 0));
      const double moved = std::exp(2 * d) * (1 + u) - 1 + kLength * step;
      return moved + u * (2 * std::abs(y) + moved) + 2 * step;
    });
  }
}

}  // namespace halftone::testing
