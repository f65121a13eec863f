// Table of precision modes, with the names for --precision_mode and --precision_mode_v2 and the
// rules of each mode. docs/reference/modes.md is generated from the table.
//
// To add a mode, write its rule and append its row. The rule narrows the columns of one tensor by
// the three matchers (Rise, Reduce, Half), each with tensor.forbidden; in a mode with lists it
// calls NarrowMixed(). The row comes last, because among option sets of equal size the writer takes
// that of the earlier mode. Extend the tests as well, because no test fails if these are missing: a
// NameCase for each name, the lists of ListsAllValues, a truth-table row for each original dtype
// (for white, for black, for each producer of gray, for vector and cube), and kAllButOrigin unless
// keeps_origin is set.
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

// Condition under which the engine phase accepts that a tensor is lowered to fewer bits.
enum class Lowering : std::uint8_t { kNever, kUnlessBlack, kAlways };

// A dtype that a mode never chooses for a tensor.
struct ForbiddenDType {
  DType dtype;
  bool even_if_original;  // false: a tensor that has it in the model may keep it
};

struct PrecisionMode {
  std::string_view name;     // value of --precision_mode; empty: the mode has a v2 name only
  std::string_view alias;    // second value of --precision_mode with the same meaning; or empty
  std::string_view v2_name;  // value of --precision_mode_v2; empty: none
  std::string_view meaning;
  std::string_view rule;  // `narrow` in words, for docs/reference/modes.md; empty if that is null
  bool needs_bfloat16 = false;
  bool needs_hifloat8 = false;
  // True: newer guides list the mode for online inference only, so that training gets a warning.
  bool for_inference = false;
  // The dtype of white operators; empty: white, black and gray operators do not differ.
  std::optional<DType> mixed_dtype;
  bool keeps_origin = false;  // true: keep_dtype has no effect
  // True: the rule also holds for operators without a kernel file; false: these follow their
  // producers.
  bool rules_without_kernel_file = false;
  Lowering to_float16 = Lowering::kNever;
  Lowering to_bfloat16 = Lowering::kNever;
  std::optional<ForbiddenDType> forbidden;
  NarrowRule narrow = nullptr;  // null: halftone has no rule, for the reason in `refusal`
  // Returns the reason why no engine can run a matrix operator in this mode, or an empty text;
  // null: the mode refuses none.
  std::string_view (*cube_refusal)(const LibraryOp& op) = nullptr;
  std::string_view refusal;

  // The name for messages: `name`, or `v2_name` if that is empty.
  [[nodiscard]] std::string_view label() const { return name.empty() ? v2_name : name; }

  // True if --precision_mode accepts the mode on the target.
  [[nodiscard]] bool IsOptionOf(const TargetSpec& target) const {
    return narrow != nullptr && !name.empty() && (!needs_bfloat16 || target.has_bfloat16);
  }

  // The forbidden dtype of a tensor with this original dtype; empty: there is none.
  [[nodiscard]] std::optional<DType> ForbiddenFor(DType original) const;
};

std::span<const PrecisionMode> AllPrecisionModes();

// The mode with this value of --precision_mode (v1) or --precision_mode_v2; null: there is none.
const PrecisionMode* FindPrecisionMode(std::string_view v1_value);
const PrecisionMode* FindPrecisionModeV2(std::string_view v2_value);

// The legal values of --precision_mode and of --precision_mode_v2, in table order: "a, b, c".
std::string PrecisionModeNames();
std::string PrecisionModeV2Names();

// True if --graph_run_mode selects training. Error kUsage E10001: the value is neither 0 nor 1.
bool IsTraining(const PrecisionOptions& options);

// The mode of --precision_mode or --precision_mode_v2. The default is force_fp16 for inference; for
// training it is TargetSpec::training_mode, or must_keep_origin_dtype if that is empty. Error
// kUsage: both options are given (E10056), the value is unknown (E10001), or the target does not
// have the bfloat16 or HiFloat8 that the mode needs. Error kUnsupported: the mode has no public
// rules.
const PrecisionMode& EffectiveMode(const PrecisionOptions& options, const TargetSpec& target);

}  // namespace halftone
