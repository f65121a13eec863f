#include "kernels/select/select.h"
#include "kernels/strided/axis_indices.h"
#include "src/base/error.h"

namespace halftone {
namespace {

struct CompressState final : KernelState {
  CompressState(const AxisIndices& indices, std::size_t bytes) : copy(indices, bytes) {}

  IndexedCopy copy;
  bool empty = false;
};

const Tensor& Constant(const KernelQuery& query, std::size_t i) {
  if (query.Constant(i) == nullptr) {
    throw Error(ErrorKind::kUnsupported,
                "operands that the extents of the result depend on must be constant");
  }
  return *query.Constant(i);
}

}  // namespace

// Prepares the slices of an axis, or without an axis the elements, at which the condition holds.
std::unique_ptr<KernelState> PrepareCompress(const KernelQuery& query) {
  const std::vector<std::int64_t> condition = IntegersOf(Constant(query, 1));
  const Shape& x = query.inputs.at(0)->shape;
  const bool flat = !query.attributes->Has("axis");
  const int chosen = flat ? 0 : NormalizeAxis(query.attributes->Int("axis", 0), x.rank());
  AxisIndices indices{.source = flat ? Shape{x.ElementCount()} : x, .axes = {}};
  for (int axis = 0; axis < indices.source.rank(); ++axis) {
    indices.axes.push_back(IdentityIndices(indices.source[axis]));
  }
  auto& kept = indices.axes[static_cast<std::size_t>(chosen)];
  kept.clear();
  for (std::size_t i = 0; i < condition.size(); ++i) {
    if (condition[i] != 0) {
      kept.push_back(static_cast<std::int64_t>(i));
    }
  }
  auto state = std::make_unique<CompressState>(indices, SizeOf(query.inputs[0]->dtype));
  state->empty = query.outputs.at(0)->shape.ElementCount() == 0;
  return state;
}

void RunCompress(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const CompressState&>(*args.state);
  if (!s.empty) {
    s.copy.Run(args.inputs[0], args.outputs[0], {});
  }
}

}  // namespace halftone
