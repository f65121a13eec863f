#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "kernels/attention/attention.h"
#include "kernels/parallel.h"

namespace halftone {
namespace {

// Strides of an operand of shape [batch, heads, length, size] or [batch, length, heads * size].
HeadStrides StridesOfHeads(const Shape& shape, std::int64_t size) {
  if (shape.rank() == 4) {
    return {shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3]};
  }
  return {shape[1] * shape[2], size, shape[2]};
}

// [batch, length, heads, size].
HeadStrides StridesOfRows(const Shape& shape) {
  return {shape[1] * shape[2] * shape[3], shape[3], shape[2] * shape[3]};
}

// Strides of a mask broadcast to [batch, heads, queries, positions]: 0 along missing axes.
std::array<std::int64_t, 4> MaskStridesOf(const Shape& mask) {
  const std::vector<std::int64_t> strides = StridesOf(mask);
  std::array<std::int64_t, 4> own{};
  auto* to = own.end() - mask.rank();
  for (int axis = 0; axis < mask.rank(); ++axis, ++to) {
    *to = mask[axis] == 1 ? 0 : strides[static_cast<std::size_t>(axis)];
  }
  return own;
}

}  // namespace

AttentionCall AttentionCallOf(const KernelQuery& query) {
  AttentionCall call;
  const Shape& q = query.inputs.at(kQuery)->shape;
  const Shape& k = query.inputs.at(kKey)->shape;
  const Shape& v = query.inputs.at(kValue)->shape;
  const bool four = q.rank() == 4;
  const Attributes& attributes = *query.attributes;
  call.dtype = query.inputs[kQuery]->dtype;
  call.batch = q[0];
  call.heads = four ? q[1] : attributes.Int("q_num_heads", 1);
  const std::optional<StepAttention>& fused = query.fusion->attention;
  const bool key_rows = fused && fused->key_rows;
  call.kv_heads = four ? v[1] : attributes.Int("kv_num_heads", 1);
  call.queries = q[four ? 2 : 1];
  call.keys = k[four && !key_rows ? 2 : 1];
  call.size = four ? q[3] : q[2] / call.heads;
  call.value_size = four ? v[3] : v[2] / call.kv_heads;
  call.scale = attributes.Has("scale") ? static_cast<double>(attributes.Float("scale", 1))
                                       : 1 / std::sqrt(static_cast<double>(call.size));
  call.softcap = attributes.Float("softcap", 0);
  call.causal = attributes.Int("is_causal", 0) != 0;
  if (fused) {
    call.masks_as_softmax = true;
    call.fill = fused->fill;
    call.drop = fused->drop;
    call.mask_last = fused->mask_last;
  }
  call.output_mode = attributes.Int("qk_matmul_output_mode", 0);
  call.q = StridesOfHeads(q, call.size);
  call.k = key_rows ? StridesOfRows(k) : StridesOfHeads(k, call.size);
  call.v = StridesOfHeads(v, call.value_size);
  call.y = StridesOfHeads(query.outputs.at(0)->shape, call.value_size);
  call.has_past = query.Input(kPastKey) != nullptr;
  if (call.has_past) {
    call.past = query.inputs[kPastKey]->shape[2];
    call.past_k = StridesOfHeads(query.inputs[kPastKey]->shape, call.size);
    call.past_v = StridesOfHeads(query.inputs[kPastValue]->shape, call.value_size);
  }
  call.has_lengths = query.Input(kLengths) != nullptr;
  if (const TensorType* mask = query.Input(kMask); mask != nullptr) {
    call.has_mask = true;
    call.mask_dtype = mask->dtype;
    call.mask_strides = MaskStridesOf(mask->shape);
    const std::int64_t last = mask->shape[mask->shape.rank() - 1];
    call.mask_extent = last == 1 ? call.total() : last;
  }
  if (const TensorType* keep = query.Input(kKeep); keep != nullptr) {
    call.has_keep = true;
    call.keep_strides = MaskStridesOf(keep->shape);
  }
  return call;
}

bool AttentionCall::Sees(const KernelArgs& args, std::int64_t b, std::int64_t i,
                         std::int64_t j) const noexcept {
  if (causal && j > i + past) {
    return false;
  }
  return !has_lengths || j < static_cast<const std::int64_t*>(args.inputs[kLengths])[b];
}

double AttentionCall::MaskAt(const KernelArgs& args, std::int64_t b, std::int64_t h, std::int64_t i,
                             std::int64_t j) const noexcept {
  constexpr double kHidden = -std::numeric_limits<double>::infinity();
  if (!Sees(args, b, i, j) || (has_mask && j >= mask_extent)) {
    return kHidden;
  }
  if (!has_mask) {
    return 0;
  }
  const double value =
      DoubleAt(mask_dtype, args.inputs[kMask], MaskRow(b, h, i) + j * mask_strides[3]);
  return mask_dtype != DType::kBool ? value : (value != 0 ? 0 : kHidden);
}

void JoinPast(const AttentionCall& call, const KernelArgs& args, bool values,
              void* target) noexcept {
  const auto element = static_cast<std::int64_t>(SizeOf(call.dtype));
  const std::int64_t size = values ? call.value_size : call.size;
  const auto bytes = static_cast<std::size_t>(size * element);
  const HeadStrides& strides = values ? call.v : call.k;
  const HeadStrides& past_strides = values ? call.past_v : call.past_k;
  const auto* own = static_cast<const std::byte*>(args.inputs[values ? kValue : kKey]);
  const auto* past =
      call.has_past ? static_cast<const std::byte*>(args.inputs[values ? kPastValue : kPastKey])
                    : nullptr;
  const std::int64_t rows = call.batch * call.kv_heads * call.total();
  ParallelFor(rows, 500'000 / std::max<std::int64_t>(size * element, 1),
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t row = begin; row < end; ++row) {
                  const std::int64_t j = row % call.total();
                  const std::int64_t head = row / call.total() % call.kv_heads;
                  const std::int64_t b = row / call.total() / call.kv_heads;
                  const std::byte* from = j < call.past
                                              ? past + past_strides.At(b, head, j) * element
                                              : own + strides.At(b, head, j - call.past) * element;
                  std::memcpy(static_cast<std::byte*>(target) + row * size * element, from, bytes);
                }
              });
}

}  // namespace halftone
