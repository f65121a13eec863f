// What a target can do, as the resolver sees it: dtype columns, policies and implementation modes
// per IR type. Pure data; the `host` target is derived from the kernel table in
// src/exec/host_target.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/dtype.h"
#include "src/ir/impl_mode.h"
#include "src/ir/op_table.h"

namespace halftone {

// One operator type of the target's library. The dtype lists of its tensors are columns of one
// table: choosing column j fixes the dtype of every tensor at once.
struct LibraryOp {
  // [tensor][column]; all lists have the same length. The last tensor repeats for operators that
  // take a list (inputs_repeat), such as ConcatV2.
  std::vector<std::vector<DType>> inputs;
  std::vector<std::vector<DType>> outputs;
  bool inputs_repeat = false;
  bool outputs_repeat = false;
  MixPolicy policy = MixPolicy::kGray;
  bool cube = false;
  // The implementation modes a dtype offers, the default first; a dtype without an entry has one
  // implementation only.
  std::map<DType, std::vector<ImplMode>> impl_modes;

  [[nodiscard]] std::size_t column_count() const;
  // The dtype list of tensor `index`; null when the operator has no such tensor.
  [[nodiscard]] const std::vector<DType>* InputColumns(std::size_t index) const;
  [[nodiscard]] const std::vector<DType>* OutputColumns(std::size_t index) const;
};

struct TargetSpec {
  std::string name;                                       // "host", "Ascend310P3", ...
  bool has_bfloat16 = false;                              // BF16 modes are legal
  std::map<std::string, LibraryOp, std::less<>> ai_core;  // by IR type
  // AI CPU library by IR type: the dtypes each tensor may have, independent of each other.
  std::map<std::string, DTypeSet, std::less<>> ai_cpu;
};

}  // namespace halftone
