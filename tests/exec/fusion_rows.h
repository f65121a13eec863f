// Samples of fusions: for every lowering fusion a network that it takes, and the bound between the
// fused and the unfused form of it under any plan.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tests/support/attention_chains.h"
#include "tests/support/fusion_check.h"

namespace halftone::fusion_rows {

using testing::Heads;
using testing::Net;
using testing::With;
using Ints = std::vector<std::int64_t>;

inline constexpr DType kF32 = DType::kFloat32;
inline constexpr DType kF16 = DType::kFloat16;
inline constexpr DType kBF16 = DType::kBFloat16;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Multiples of `step` from -most to most but 0. All are exact in bfloat16, the narrowest dtype,
// where most / step is at most 256.
inline Tensor Multiples(TensorType type, Rng& rng, double most, double step) {
  Tensor tensor(std::move(type));
  const auto steps = static_cast<std::size_t>(most / step);
  for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
    const double value = step * static_cast<double>(1 + rng.Below(steps));
    StoreDouble(tensor.dtype(), tensor.mutable_data(), i, rng.Below(2) == 0 ? value : -value);
  }
  return tensor;
}

// Networks whose constants are small integers and powers of two.
class ExactNet : public Net {
 public:
  ValueId Whole(const std::string& name, Shape shape, double most = 2, double step = 1) {
    Rng rng(Hasher().Add(name).Finish().low);
    return Constant(name, Multiples({kF32, std::move(shape)}, rng, most, step));
  }

  // 1/2, 1, 2 in turn, times `factor`.
  ValueId Powers(const std::string& name, Shape shape, double factor = 1) {
    Tensor tensor(kF32, std::move(shape));
    for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
      StoreDouble(kF32, tensor.mutable_data(), i, factor * std::pow(2, i % 3 - 1));
    }
    return Constant(name, std::move(tensor));
  }

  // 1/4, 1, 4 in turn: their roots are powers of two.
  ValueId Squares(const std::string& name, Shape shape) {
    Tensor tensor(kF32, std::move(shape));
    for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
      StoreDouble(kF32, tensor.mutable_data(), i, std::pow(4, i % 3 - 1));
    }
    return Constant(name, std::move(tensor));
  }

  ValueId Of(OpKind op, const std::string& name, std::vector<ValueId> inputs,
             Attributes attributes = {}) {
    return Add(op, name, std::move(inputs), std::move(attributes));
  }

  ValueId Convolution(ValueId x, std::int64_t channels = 6) {
    return Of(OpKind::kConv, "conv", {x, Whole("w", {channels, 4, 1, 1})});
  }

  ValueId Norm(const std::string& name, ValueId x, std::int64_t channels) {
    return Of(OpKind::kBatchNormalization, name,
              {x, Powers(name + ".scale", {channels}, -1), Whole(name + ".bias", {channels}),
               Whole(name + ".mean", {channels}), Squares(name + ".var", {channels})},
              With("epsilon", 0.0F));
  }

  ValueId Turn(const std::string& name, ValueId x, Ints perm) {
    return Of(OpKind::kTranspose, name, {x}, With("perm", std::move(perm)));
  }

  ValueId Slice(const std::string& name, ValueId x, std::int64_t begin, std::int64_t end,
                std::int64_t axis, std::int64_t step = 1) {
    return Of(OpKind::kSlice, name,
              {x, Integers(name + ".begin", {begin}), Integers(name + ".end", {end}),
               Integers(name + ".axis", {axis}), Integers(name + ".step", {step})});
  }

  ValueId Mean(const std::string& name, ValueId x) {
    return Of(OpKind::kReduceMean, name, {x, Integers(name + ".axes", {-1})});
  }

  // sqrt(mean of d^2 + epsilon)
  ValueId Deviation(ValueId d) {
    const ValueId mean = Mean("variance", Of(OpKind::kPow, "square", {d, Number(2)}));
    return Of(OpKind::kSqrt, "root", {Of(OpKind::kAdd, "shift", {mean, Number(kEpsilon)})});
  }

  static constexpr double kEpsilon = 0x1p-10;
};

inline constexpr std::int64_t kLength = 24;  // of normalised rows

// One element of the result, for a bound.
struct Element {
  const Graph& graph;
  const std::vector<std::vector<double>>& inputs;
  const std::vector<double>& fused;
  std::int64_t i;
  double u;     // the largest unit roundoff among the dtypes of the plan
  double step;  // half the largest distance of the smallest numbers

  [[nodiscard]] double y() const { return std::abs(fused[static_cast<std::size_t>(i)]); }

  // Magnitude of the element of an input that has the shape of the result.
  [[nodiscard]] double x() const { return std::abs(inputs[0][static_cast<std::size_t>(i)]); }

  [[nodiscard]] double Constant(std::string_view name) const {
    for (const Value& value : graph.values) {
      if (value.name == name) {
        const std::vector<double> all = DoublesOf(*value.constant);
        return all[static_cast<std::size_t>(i) % all.size()];
      }
    }
    return 0;
  }
};

// The bounds of src/passes/fuse/*.h are of plans of one dtype: a value is rounded when it is made.
// Where neighbours have dtypes of their own, it is rounded when it is made and once more by each
// node that reads it; inputs and most constants are exact in all dtypes here. Where the fused node
// reads an operand in a wider dtype than a part, or does not round a value in between, this error
// is smaller for it and not larger for the unfused nodes. So each figure is that of the header,
// counted again with "made and read" in place of "made", in units of u, the largest unit roundoff
// of a dtype of the plan. The last rounding, of the result, is one of each form.
using Bound = double (*)(const Element& e);

// Nothing is rounded, or the same: the results are equal to the bit.
inline constexpr Bound kExact = nullptr;

struct Row {
  const char* name;
  const char* pass;
  Graph (*make)();
  Bound bound;
  double most = 2;  // of the inputs, multiples of `step`
  double step = 1;
};

// Constants of the sample networks.
inline constexpr double kSlope = 1.75;
inline constexpr std::int64_t kQueries = 5;
inline constexpr std::int64_t kKeys = 19;
inline constexpr double kScale = 0.35;
inline constexpr double kMostMask = 4;

// Bounds (fusion_bounds.cc).
double SecondOrder(const Element& e);
double TwoPasses(const Element& e);
double MultipliedOut(const Element& e);
double RootMeanSquare(const Element& e);
double Gelu(const Element& e);
double Silu(const Element& e);
double SwishWithSlope(const Element& e);
double HardSwish(const Element& e);
double Mish(const Element& e);
double MaskedSoftmax(const Element& e);
double CausalSoftmax(const Element& e);
double AttentionOfRows(const Element& e);
double AttentionOfHeads(const Element& e);
double FunctionOfAnExactSum(const Element& e);

// Networks that other tests look at too (fusion_networks.cc).
Graph ConvThen(OpKind op, Attributes attributes = {});
Graph AttentionWithRows(bool merged);
Graph ProductOfTransposed();
Graph LayerNorm(bool multiplied_out, Shape factors = {kLength});
Graph Transposed(std::int64_t stride, bool normed);
Graph AttentionWithHeads();

// One or more for each pass.
std::span<const Row> FusionRows();

}  // namespace halftone::fusion_rows
