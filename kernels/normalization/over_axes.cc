#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/normalization/normalization.h"

namespace halftone {
namespace {

struct AxesState final : KernelState {
  bool centers = false;  // MeanVarianceNormalization, else LpNormalization
  DType dtype = DType::kFloat32;
  Shape shape;
  std::vector<bool> inside;  // per axis: whether the statistics are over it
  std::int64_t count = 0;
  std::int64_t groups = 1;
  double p = 2;
};

// The group of elements that share statistics to which element `index` belongs.
std::int64_t GroupOf(const AxesState& s, std::int64_t index) {
  std::int64_t group = 0;
  std::int64_t stride = 1;
  for (int axis = s.shape.rank() - 1; axis >= 0; --axis) {
    if (!s.inside[static_cast<std::size_t>(axis)]) {
      group += index % s.shape[axis] * stride;
      stride *= s.shape[axis];
    }
    index /= s.shape[axis];
  }
  return group;
}

}  // namespace

std::unique_ptr<KernelState> PrepareAxesNormalization(const KernelQuery& query) {
  auto state = std::make_unique<AxesState>();
  const TensorType& x = *query.inputs.at(0);
  state->centers = query.op == OpKind::kMeanVarianceNormalization;
  state->dtype = x.dtype;
  state->shape = x.shape;
  state->count = x.shape.ElementCount();
  state->p = static_cast<double>(query.attributes->Int("p", 2));
  state->inside.assign(static_cast<std::size_t>(x.shape.rank()), false);
  const std::vector<std::int64_t> axes =
      state->centers ? query.attributes->Ints("axes", {0, 2, 3})
                     : std::vector<std::int64_t>{query.attributes->Int("axis", -1)};
  for (const std::int64_t axis : axes) {
    state->inside[static_cast<std::size_t>(NormalizeAxis(axis, x.shape.rank()))] = true;
  }
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    state->groups *= state->inside[static_cast<std::size_t>(axis)] ? 1 : x.shape[axis];
  }
  return state;
}

// Mean and norm, or standard deviation, of each group.
std::size_t AxesNormalizationScratch(const KernelState& state) {
  return static_cast<std::size_t>(static_cast<const AxesState&>(state).groups) * 2 * sizeof(double);
}

void RunAxesNormalization(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const AxesState&>(*args.state);
  auto* means = reinterpret_cast<double*>(args.scratch);
  double* norms = means + s.groups;
  std::fill(means, norms + s.groups, 0.0);
  const auto at = [&](std::int64_t i) { return DoubleAt(s.dtype, args.inputs[0], i); };
  const double length =
      static_cast<double>(s.count) / static_cast<double>(std::max<std::int64_t>(s.groups, 1));
  for (std::int64_t i = 0; s.centers && i < s.count; ++i) {
    means[GroupOf(s, i)] += at(i) / length;
  }
  for (std::int64_t i = 0; i < s.count; ++i) {
    const std::int64_t group = GroupOf(s, i);
    const double x = at(i) - means[group];
    norms[group] += s.centers ? x * x / length : s.p == 2 ? x * x : std::pow(std::abs(x), s.p);
  }
  for (std::int64_t group = 0; group < s.groups; ++group) {
    norms[group] = s.centers  ? std::sqrt(norms[group]) + kMeanVarianceEpsilon
                   : s.p == 2 ? std::sqrt(norms[group])
                              : std::pow(norms[group], 1 / s.p);
  }
  for (std::int64_t i = 0; i < s.count; ++i) {
    const std::int64_t group = GroupOf(s, i);
    const double y = norms[group] == 0 ? 0 : (at(i) - means[group]) / norms[group];
    StoreDouble(s.dtype, args.outputs[0], i, y);
  }
}

}  // namespace halftone
