// Specification of Attention: one query at a time in double.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/attention/attention.h"

namespace halftone {
namespace {

struct ReferenceState final : KernelState {
  AttentionCall call;
};

// Element `c` of key (or value) `j` of a head of keys.
struct KeyElement {
  bool of_value = false;
  std::int64_t b = 0;
  std::int64_t head = 0;
  std::int64_t j = 0;
  std::int64_t c = 0;
};

double PastOrNew(const AttentionCall& call, const KernelArgs& args, const KeyElement& e) {
  if (e.j < call.past) {
    const HeadStrides& strides = e.of_value ? call.past_v : call.past_k;
    return DoubleAt(call.dtype, args.inputs[e.of_value ? kPastValue : kPastKey],
                    strides.At(e.b, e.head, e.j) + e.c);
  }
  const HeadStrides& strides = e.of_value ? call.v : call.k;
  return DoubleAt(call.dtype, args.inputs[e.of_value ? kValue : kKey],
                  strides.At(e.b, e.head, e.j - call.past) + e.c);
}

// A row of nothing but -inf: zeros, or NaN.
void Softmax(double* s, std::int64_t count, bool hides) {
  const double most = count > 0 ? *std::max_element(s, s + count) : 0;
  if (hides && most == -std::numeric_limits<double>::infinity()) {
    std::fill(s, s + count, 0.0);
    return;
  }
  double sum = 0;
  for (std::int64_t j = 0; j < count; ++j) {
    s[j] = std::exp(s[j] - most);
    sum += s[j];
  }
  for (std::int64_t j = 0; j < count; ++j) {
    s[j] /= sum;
  }
}

struct HeadRow {
  std::int64_t b, h, i;
};

// Scores of a row as the Softmax of a model's chain has them: nothing is hidden.
void MaskAsSoftmax(const AttentionCall& call, const KernelArgs& args, const HeadRow& at,
                   double* s) {
  const bool adds = call.has_mask && call.mask_dtype != DType::kBool;
  const bool keeps = call.has_keep || (call.has_mask && !adds);
  const std::size_t keep = call.has_keep ? kKeep : kMask;
  const std::int64_t step = call.has_keep ? call.keep_strides[3] : call.mask_strides[3];
  const std::int64_t mask_row = call.MaskRow(at.b, at.h, at.i);
  const std::int64_t keep_row = call.has_keep ? call.KeepRow(at.b, at.h, at.i) : mask_row;
  for (std::int64_t j = 0; j < call.total(); ++j) {
    const double mask =
        adds ? DoubleAt(call.mask_dtype, args.inputs[kMask], mask_row + j * call.mask_strides[3])
             : 0;
    const bool set = keeps && DoubleAt(DType::kBool, args.inputs[keep], keep_row + j * step) != 0;
    if (keeps && set == call.drop) {
      s[j] = call.mask_last ? call.fill + mask : call.fill;
    } else {
      s[j] += mask;
    }
  }
}

void RunQuery(const AttentionCall& call, const KernelArgs& args, std::int64_t b, std::int64_t h,
              std::int64_t i) {
  auto* s = reinterpret_cast<double*>(args.scratch);
  const std::int64_t kv = call.KvHead(h);
  const auto emit = [&](std::int64_t mode) {
    if (args.outputs.size() > 3 && args.outputs[3] != nullptr && call.output_mode == mode) {
      for (std::int64_t j = 0; j < call.total(); ++j) {
        StoreDouble(call.dtype, args.outputs[3],
                    ((b * call.heads + h) * call.queries + i) * call.total() + j, s[j]);
      }
    }
  };
  for (std::int64_t j = 0; j < call.total(); ++j) {
    double sum = 0;
    for (std::int64_t c = 0; c < call.size; ++c) {
      sum += DoubleAt(call.dtype, args.inputs[kQuery], call.q.At(b, h, i) + c) *
             PastOrNew(call, args, {false, b, kv, j, c});
    }
    s[j] = sum * call.scale;
  }
  emit(0);
  for (std::int64_t j = 0; j < call.total() && call.softcap != 0; ++j) {
    s[j] = call.softcap * std::tanh(s[j] / call.softcap);
  }
  emit(2);
  if (call.masks_as_softmax) {
    MaskAsSoftmax(call, args, {b, h, i}, s);
  }
  for (std::int64_t j = 0; !call.masks_as_softmax && j < call.total(); ++j) {
    const double mask = call.MaskAt(args, b, h, i, j);
    s[j] = std::isinf(mask) && mask < 0 ? mask : s[j] + mask;  // hides NaN as well
  }
  emit(1);
  Softmax(s, call.total(), !call.masks_as_softmax);
  emit(3);
  for (std::int64_t c = 0; c < call.value_size; ++c) {
    double sum = 0;
    for (std::int64_t j = 0; j < call.total(); ++j) {
      sum += s[j] == 0 && !call.masks_as_softmax
                 ? 0
                 : s[j] * PastOrNew(call, args, {true, b, kv, j, c});
    }
    StoreDouble(call.dtype, args.outputs[0], call.y.At(b, h, i) + c, sum);
  }
}

}  // namespace

std::unique_ptr<KernelState> PrepareAttentionReference(const KernelQuery& query) {
  auto state = std::make_unique<ReferenceState>();
  state->call = AttentionCallOf(query);
  return state;
}

std::size_t AttentionReferenceScratch(const KernelState& state) {
  return static_cast<std::size_t>(static_cast<const ReferenceState&>(state).call.total()) *
         sizeof(double);
}

void RunAttentionReference(const KernelArgs& args) noexcept {
  const AttentionCall& call = static_cast<const ReferenceState&>(*args.state).call;
  for (std::size_t output = 1; output <= 2 && output < args.outputs.size(); ++output) {
    if (args.outputs[output] != nullptr) {
      JoinPast(call, args, output == 2, args.outputs[output]);
    }
  }
  for (std::int64_t row = 0; row < call.batch * call.heads * call.queries; ++row) {
    RunQuery(call, args, row / call.queries / call.heads, row / call.queries % call.heads,
             row % call.queries);
  }
}

}  // namespace halftone
