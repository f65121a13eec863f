#include "kernels/binary/broadcast.h"

#include <fmt/format.h>

#include <vector>

#include "src/base/error.h"

namespace halftone {
namespace {

// The stride of a contiguous operand along an axis of the output; 0 where it is broadcast.
std::int64_t StrideAlong(const Shape& operand, const Shape& output, int axis) {
  const int own = axis - (output.rank() - operand.rank());
  if (own < 0 || operand[own] == 1) {
    return 0;
  }
  return operand.ElementCount(own + 1, operand.rank());
}

}  // namespace

BroadcastPlan PlanBroadcast(const Shape& output, std::initializer_list<const Shape*> operands) {
  struct Axis {
    std::int64_t extent = 1;
    BroadcastPlan::Strides stride{};
  };

  std::vector<Axis> axes;  // innermost first
  for (int axis = output.rank() - 1; axis >= 0; --axis) {
    Axis next{output[axis], {}};
    std::size_t k = 0;
    for (const Shape* operand : operands) {
      next.stride[k++] = StrideAlong(*operand, output, axis);
    }
    if (next.extent == 1) {
      continue;
    }
    bool merges = !axes.empty();
    for (k = 0; merges && k < kMaxBroadcastOperands; ++k) {
      merges = next.stride[k] == axes.back().stride[k] * axes.back().extent;
    }
    if (merges) {
      axes.back().extent *= next.extent;
    } else {
      axes.push_back(next);
    }
  }
  if (axes.empty()) {
    axes.push_back({});  // one element
  }
  if (axes.size() > kMaxBroadcastRank) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("broadcasting to shape {} needs {} loops, at most {} are supported",
                            output.ToString(), axes.size(), kMaxBroadcastRank));
  }
  BroadcastPlan plan;
  plan.rank = axes.size();
  plan.count = output.ElementCount();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    plan.extent[plan.rank - 1 - i] = axes[i].extent;
    plan.stride[plan.rank - 1 - i] = axes[i].stride;
  }
  return plan;
}

}  // namespace halftone
