// Capabilities of a target for the resolver: dtype columns, policies and implementation modes per
// IR type. Pure data; the `host` target is derived from the kernel table in src/exec/host_target.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/enum_table.h"
#include "src/ir/dtype.h"
#include "src/ir/impl_mode.h"
#include "src/ir/numeric_format.h"
#include "src/ir/op_table.h"
#include "src/target/target_fusions.h"

namespace halftone {

// One operator type of the target's library. The dtype lists of its tensors are columns of one
// table: choosing column j fixes the dtype of every tensor at once.
struct LibraryOp {
  // [tensor][column]; all lists have the same length. Tensors are in the order of the ONNX
  // operands. The last one repeats for operators that take a list (inputs_repeat), such as
  // ConcatV2.
  std::vector<std::vector<DType>> inputs;
  std::vector<std::vector<DType>> outputs;
  bool inputs_repeat = false;
  bool outputs_repeat = false;
  MixPolicy policy = MixPolicy::kGray;
  bool cube = false;
  // Implementation modes by dtype, the default first; a dtype without an entry has one
  // implementation.
  std::map<DType, std::vector<ImplMode>> impl_modes;
  // False where the library has no kernel file for the type (`opFile` `Null`): the operator then
  // follows its producers, whatever its policy, in every mode but force_fp16.
  bool has_kernel_file = true;

  [[nodiscard]] std::size_t column_count() const;
  // The dtype list of tensor `index`; null when the operator has no such tensor.
  [[nodiscard]] const std::vector<DType>* InputColumns(std::size_t index) const;
  [[nodiscard]] const std::vector<DType>* OutputColumns(std::size_t index) const;
};

// One operator type of the fallback library: the dtypes of its tensors are independent sets.
struct AiCpuOp {
  std::vector<DTypeSet> inputs;
  std::vector<DTypeSet> outputs;
  bool inputs_repeat = false;  // the last set serves all further tensors
  bool outputs_repeat = false;
  std::string library = "AICPUKernel";  // fallback library that has it

  // An operator with any of `dtypes` for every tensor.
  static AiCpuOp Any(DTypeSet dtypes);

  // The set of tensor `index`; null when the operator has no such tensor.
  [[nodiscard]] const DTypeSet* InputDTypes(std::size_t index) const;
  [[nodiscard]] const DTypeSet* OutputDTypes(std::size_t index) const;
};

// Result of float16 arithmetic beyond the range (docs/reference/targets.md, "Built-in targets").
enum class OverflowArithmetic : std::uint8_t { kInfNan, kSaturate };

inline constexpr EnumRow<OverflowArithmetic> kOverflowArithmetics[] = {
    {OverflowArithmetic::kInfNan, "inf_nan", "infinities and NaN propagate, as IEEE 754 says"},
    {OverflowArithmetic::kSaturate, "saturate",
     "infinity becomes the largest finite value and NaN zero; only a status flag tells"},
};

constexpr std::string_view NameOf(OverflowArithmetic overflow) {
  return NameIn(kOverflowArithmetics, overflow);
}

// One figure of a target's data sheet, for reports; never a measurement of ours.
struct RooflineFigure {
  std::string name;  // "cube_float16"
  double value = 0;
  std::string unit;    // "TFLOP/s", "GB/s"
  std::string source;  // where the figure is published
};

struct Destination;  // src/target/destinations.h

using ImplModeFiles =
    std::map<std::string, std::map<std::string, ImplMode, std::less<>>, std::less<>>;

struct TargetSpec {
  std::string name;           // "host", "Ascend310P3", ...
  std::string family;         // "ascend310p": the name of its op library
  bool has_bfloat16 = false;  // BF16 modes are legal
  bool has_hifloat8 = false;  // HIF8 modes are legal
  bool has_hf32 = false;      // --allow_hf32 has an effect
  OverflowArithmetic overflow = OverflowArithmetic::kInfNan;
  // Formats in which a search lets operators compute, float32 first, in the order of trying. A
  // format that precision modes lower to is tried where one of the searched modes does.
  std::vector<NumericFormat> formats = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
  // A product of 8-bit operands may have a float32 result.
  bool has_wide_int8 = false;
  // Its compiler quantises layers by itself, with AMCT (src/amct).
  bool has_amct = false;
  // Default mode of --graph_run_mode=1; empty: must_keep_origin_dtype.
  std::string training_mode;
  std::vector<RooflineFigure> roofline;
  SharedFusions fusions;                                  // null: those of the host
  std::map<std::string, LibraryOp, std::less<>> ai_core;  // by IR type
  std::map<std::string, AiCpuOp, std::less<>> ai_cpu;     // by IR type
  // Library of TensorFlow kernels, by IR type, for nodes that AI CPU does not have.
  std::map<std::string, AiCpuOp, std::less<>> tf_kernel;
  // Implementation modes by IR type from ini files of an installation, by file name without ending
  // ("high_performance"); they replace the built-in ones of the same name.
  ImplModeFiles impl_mode_files;
  // What tells this target from the built-in one of its name: version and digest of the files that
  // it was read from. It is part of the key of measurements. Empty: the built-in one.
  std::string library;
  std::vector<std::string> notes;  // sources of the libraries, full sentences

  // The runtime that a QDQ file is chosen for; null: none. Its operators are those of the host's
  // kernels, in 8 bits where it has them; its latencies are predicted.
  const Destination* destination = nullptr;

  // Operators are those of the host's kernels.
  [[nodiscard]] bool has_host_kernels() const { return family == "host"; }

  // What is timed here is the target's own latency.
  [[nodiscard]] bool is_host() const { return has_host_kernels() && destination == nullptr; }
};

}  // namespace halftone
