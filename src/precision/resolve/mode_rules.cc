#include "src/precision/resolve/mode_rules.h"

namespace halftone {
namespace {

constexpr DType kF16 = DType::kFloat16;
constexpr DType kBF16 = DType::kBFloat16;
constexpr DType kF32 = DType::kFloat32;

bool HasColumn(const LibraryOp& op, DType input, DType output) {
  const std::vector<DType>* inputs = op.InputColumns(0);
  const std::vector<DType>* outputs = op.OutputColumns(0);
  if (inputs == nullptr || outputs == nullptr) {
    return false;
  }
  for (std::size_t column = 0; column < inputs->size(); ++column) {
    if ((*inputs)[column] == input && (*outputs)[column] == output) {
      return true;
    }
  }
  return false;
}

bool RiseOrReduce(const TensorToNarrow& tensor, DType wanted, NodeColumns& node) {
  if (node.columns.Rise(tensor.dtypes, wanted, tensor.forbidden)) {
    return false;
  }
  return node.columns.Reduce(tensor.dtypes, wanted, tensor.forbidden);
}

// The rule of allow_fp32_to_fp16, for the dtype `wanted`.
void NarrowAllowing(const TensorToNarrow& tensor, DType wanted, NodeColumns& node) {
  if (node.float32_was_reduced) {
    NarrowForceFp16(tensor, node);
    return;
  }
  const bool reduced = RiseOrReduce(tensor, wanted, node);
  node.float32_was_reduced = reduced && tensor.original == kF32;
}

void NarrowMixed(const TensorToNarrow& tensor, NodeColumns& node, std::optional<DType> preferred,
                 NarrowRule without_producer) {
  switch (tensor.policy) {
    case MixPolicy::kWhite:
      if (IsTunable(tensor.original)) {
        node.columns.Half(tensor.dtypes, tensor.forbidden, preferred);
      } else {
        node.columns.Rise(tensor.dtypes, tensor.original, tensor.forbidden);
      }
      return;
    case MixPolicy::kBlack:
      NarrowKeepOrigin(tensor, node);
      return;
    case MixPolicy::kGray:
      if (!NarrowAsProducer(tensor, node)) {
        without_producer(tensor, node);
      }
      return;
  }
}

}  // namespace

void NarrowForceFp16(const TensorToNarrow& tensor, NodeColumns& node) {
  // bfloat16 is never what this rule ends in, also where another mode's rule hands over to it.
  node.columns.Rise(tensor.dtypes, IsTunable(tensor.original) ? kF16 : tensor.original, kBF16);
}

void NarrowForceFp32(const TensorToNarrow& tensor, NodeColumns& node) {
  if (!IsTunable(tensor.original)) {
    node.columns.Rise(tensor.dtypes, tensor.original, tensor.forbidden);
  } else if (tensor.op.cube && tensor.is_first_input && HasColumn(tensor.op, kF16, kF32)) {
    node.columns.Rise(tensor.dtypes, kF16, tensor.forbidden);
  } else {
    RiseOrReduce(tensor, kF32, node);
  }
}

void NarrowAllowFp32ToFp16(const TensorToNarrow& tensor, NodeColumns& node) {
  const bool lower = tensor.op.cube && tensor.original == kF32;
  NarrowAllowing(tensor, lower ? kF16 : tensor.original, node);
}

void NarrowAllowFp32ToBf16(const TensorToNarrow& tensor, NodeColumns& node) {
  RiseOrReduce(tensor, tensor.original, node);
}

void NarrowKeepOrigin(const TensorToNarrow& tensor, NodeColumns& node) {
  node.columns.Rise(tensor.dtypes, tensor.original, tensor.forbidden);
}

// The documentation says that a bfloat16 tensor of a trustlist operator becomes float16; the
// published sources take the first 16-bit column. Where both are listed we take float16.
void NarrowMixFp16(const TensorToNarrow& tensor, NodeColumns& node) {
  NarrowMixed(tensor, node, kF16, NarrowAllowFp32ToFp16);
}

void NarrowMixBf16(const TensorToNarrow& tensor, NodeColumns& node) {
  NarrowMixed(tensor, node, std::nullopt, NarrowAllowFp32ToBf16);
}

bool NarrowAsProducer(const TensorToNarrow& tensor, NodeColumns& node) {
  if (!tensor.upstream) {
    return false;
  }
  RiseOrReduce(tensor, *tensor.upstream, node);
  return true;
}

void NarrowKept(const TensorToNarrow& tensor, NodeColumns& node) {
  NarrowAllowing(tensor, tensor.original, node);
}

std::string_view ForceFp32CubeRefusal(const LibraryOp& op) {
  if (HasColumn(op, kF16, kF32) || HasColumn(op, kF32, kF32) || HasColumn(op, kF16, kF16)) {
    return {};
  }
  return "force_fp32 needs a matrix operator with float16 in and float32 out, float32 throughout "
         "or float16 throughout, and the library has none of the three";
}

}  // namespace halftone
