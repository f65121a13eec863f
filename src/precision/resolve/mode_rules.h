// The rule functions of the precision modes: how one tensor of a node narrows the columns.
//
// A rule sees one tensor and the candidates so far; the order of the tensors is the column phase's
// business (src/precision/resolve/column_phase). Which mode uses which rule: the table in modes.cc.
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
  // What the producer resolved to, for tensors that follow it; empty: no producer, or an output.
  std::optional<DType> upstream;
};

struct NodeColumns {
  CandidateColumns columns;
  // A float32 tensor of this node had to be lowered by an `allow` rule: its later tensors follow
  // the rule of force_fp16.
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

// Follows the producer: graylist operators, and in every mode but force_fp16 operators without a
// kernel file of their own. True: `tensor.upstream` is there and has decided.
bool NarrowAsProducer(const TensorToNarrow& tensor, NodeColumns& node);

// A node of keep_dtype, in every mode but must_keep_origin_dtype.
void NarrowKept(const TensorToNarrow& tensor, NodeColumns& node);

// Why force_fp32 cannot run a matrix operator: it wants float16 in and float32 out, else float32
// throughout, else float16 throughout. Empty: one of the three is there.
std::string_view ForceFp32CubeRefusal(const LibraryOp& op);

}  // namespace halftone
