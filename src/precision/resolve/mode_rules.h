// Rules of the precision modes, each a function by which one tensor of a node narrows the columns.
//
// A rule reads one tensor and changes the candidate columns. The column phase decides the order of
// the tensors (src/precision/resolve/column_phase.h); the table in modes.cc has the rule of each
// mode.
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
  const std::vector<DType>& dtypes;  // dtype of this tensor in each column
  DType original;                    // dtype in the model
  bool is_first_input = false;
  std::optional<DType> forbidden;  // PrecisionMode::ForbiddenFor() the original dtype
  // Resolved dtype of the producer. Empty: the tensor does not follow its producer, has none, or is
  // an output.
  std::optional<DType> upstream;
};

struct NodeColumns {
  CandidateColumns columns;
  // True after the rule of allow_fp32_to_fp16 or keep_dtype had to lower a float32 tensor of this
  // node. These rules then treat its later tensors as force_fp16 does.
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

// Rule of a tensor that follows its producer, for gray operators, and in every mode except
// force_fp16 for operators without a kernel file of their own. Returns false and does nothing if
// `tensor.upstream` is empty.
bool NarrowAsProducer(const TensorToNarrow& tensor, NodeColumns& node);

// Rule for nodes of keep_dtype, in every mode except must_keep_origin_dtype.
void NarrowKept(const TensorToNarrow& tensor, NodeColumns& node);

// Reason why force_fp32 cannot run a matrix operator; empty if the library has one of the three
// forms that it needs: float16 in and float32 out, float32 throughout, or float16 throughout.
std::string_view ForceFp32CubeRefusal(const LibraryOp& op);

}  // namespace halftone
