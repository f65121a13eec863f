// Rule functions of the precision modes: how one tensor of a node narrows the columns.
//
// A rule sees one tensor and the candidates so far; the column phase decides the order of tensors
// (src/precision/resolve/column_phase), the table in modes.cc the rule of a mode.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "src/ir/dtype.h"
#include "src/precision/resolve/candidate_columns.h"
#include "src/target/target_spec.h"

namespace halftone {

struct TensorToNarrow {
  const LibraryOp& op;
  MixPolicy policy;
  const std::vector<DType>& dtypes;  // of this tensor, per column
  DType original;
  bool is_first_input = false;
  std::optional<DType> forbidden;  // by the mode, the exception for originals already applied
  // The resolved dtype of the producer, for tensors that follow it; empty: no producer, or an
  // output.
  std::optional<DType> upstream;
};

struct NodeColumns {
  CandidateColumns columns;
  // An `allow` rule had to lower a float32 tensor of this node: its later tensors follow the rule
  // of force_fp16.
  bool float32_was_reduced = false;
};

using NarrowRule = void (*)(const TensorToNarrow& tensor, NodeColumns& node);

void NarrowForceFp16(const TensorToNarrow& tensor, NodeColumns& node);
void NarrowForceFp32(const TensorToNarrow& tensor, NodeColumns& node);
void NarrowAllowFp32ToFp16(const TensorToNarrow& tensor, NodeColumns& node);
void NarrowAllowFp32ToBf16(const TensorToNarrow& tensor, NodeColumns& node);
void NarrowKeepOrigin(const TensorToNarrow& tensor, NodeColumns& node);
void NarrowMixFp16(const TensorToNarrow& tensor, NodeColumns& node);
void NarrowMixBf16(const TensorToNarrow& tensor, NodeColumns& node);

// Follows the producer: gray operators, and in every mode but force_fp16 operators without a kernel
// file of their own. True: `tensor.upstream` is there and has decided.
bool NarrowAsProducer(const TensorToNarrow& tensor, NodeColumns& node);

// Rule for a node of keep_dtype, in every mode but must_keep_origin_dtype.
void NarrowKept(const TensorToNarrow& tensor, NodeColumns& node);

// Reason why force_fp32 cannot run a matrix operator; empty: it can. Tried in order: float16 in and
// float32 out, float32 throughout, float16 throughout.
std::string_view ForceFp32CubeRefusal(const LibraryOp& op);

}  // namespace halftone
