// Table of precision modes: names for --precision_mode and --precision_mode_v2, and the rules of
// each. docs/reference/modes.md is generated from the table.
//
// To add a mode: its rule narrows the columns of one tensor by the three matchers (Rise, Reduce,
// Half), each with tensor.forbidden; in a mode with lists it calls NarrowMixed(). Its row stands
// last: of option sets of equal size, the writer takes that of the earlier mode. Add its rows to
// these as well, as no test notices that they are missing: a NameCase for each name, the lists of
// ListsAllValues, a truth-table row for each original dtype (for white, for black, for each
// producer of gray, for vector and cube), kAllButOrigin unless keeps_origin is set.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/ir/op_table.h"
#include "src/precision/precision_options.h"
#include "src/precision/resolve/mode_rules.h"
#include "src/target/target_spec.h"

namespace halftone {

// Condition under which the engine phase accepts that a tensor loses bits.
enum class Lowering : std::uint8_t { kNever, kUnlessBlack, kAlways };

// A dtype that no tensor may end in.
struct ForbiddenDType {
  DType dtype;
  bool even_if_original;  // false: a tensor that has it in the model may keep it
};

struct PrecisionMode {
  std::string_view name;     // --precision_mode; empty: this mode has a v2 name only
  std::string_view alias;    // another value of --precision_mode that means the same
  std::string_view v2_name;  // --precision_mode_v2; empty: none
  std::string_view meaning;
  std::string_view rule;  // `narrow` in words, for docs/reference/modes.md; empty without it
  bool needs_bfloat16 = false;
  bool needs_hifloat8 = false;
  bool for_inference = false;  // newer guides name it for online inference: a warning in training
  // The dtype of white operators; empty: white, black and gray operators do not differ.
  std::optional<DType> mixed_dtype;
  bool keeps_origin = false;  // keep_dtype has no effect
  // The rule holds for operators without a kernel file too, which else follow their producers.
  bool rules_without_kernel_file = false;
  Lowering to_float16 = Lowering::kNever;
  Lowering to_bfloat16 = Lowering::kNever;
  std::optional<ForbiddenDType> forbidden;
  NarrowRule narrow = nullptr;  // null: known by name only; `refusal` says why
  // Refusal of matrix operators that no engine can run in this mode; null: none.
  std::string_view (*cube_refusal)(const LibraryOp& op) = nullptr;
  std::string_view refusal;

  // The name for messages and reasons: that of --precision_mode, else of --precision_mode_v2.
  [[nodiscard]] std::string_view label() const { return name.empty() ? v2_name : name; }

  // True if --precision_mode accepts the mode on the target.
  [[nodiscard]] bool IsOptionOf(const TargetSpec& target) const {
    return narrow != nullptr && !name.empty() && (!needs_bfloat16 || target.has_bfloat16);
  }

  // The dtype that a tensor of this original dtype may not end in.
  [[nodiscard]] std::optional<DType> ForbiddenFor(DType original) const;
};

std::span<const PrecisionMode> AllPrecisionModes();

// Finds a mode by its value of --precision_mode (v1) or --precision_mode_v2; null: no such value.
const PrecisionMode* FindPrecisionMode(std::string_view v1_value);
const PrecisionMode* FindPrecisionModeV2(std::string_view v2_value);

// The legal values, "a, b, c", in table order.
std::string PrecisionModeNames();
std::string PrecisionModeV2Names();

// True if --graph_run_mode selects training. Error kUsage E10001 for other values than 0, 1.
bool IsTraining(const PrecisionOptions& options);

// --precision_mode, else --precision_mode_v2, else the default: force_fp16 for inference, that of
// the target for training. Errors: kUsage with E10056 (both given), E10001 (unknown value),
// "current soc does not support BFloat16"; kUnsupported for a mode that has no public rules.
const PrecisionMode& EffectiveMode(const PrecisionOptions& options, const TargetSpec& target);

}  // namespace halftone
