// Capabilities of a target for the resolver: dtype columns, policies and implementation modes of
// each IR type. Plain data. src/exec/host_target.h derives the target `host` from the kernel table.
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

// An operator type of the AI Core library. A column is one choice of dtypes for all tensors of the
// operator.
struct LibraryOp {
  // Dtypes as inputs[tensor][column] and outputs[tensor][column]; all tensors have the same number
  // of columns. Tensors are in the order of the ONNX operands.
  std::vector<std::vector<DType>> inputs;
  std::vector<std::vector<DType>> outputs;
  bool inputs_repeat = false;  // the last input stands for all further ones, as of ConcatV2
  bool outputs_repeat = false;
  MixPolicy policy = MixPolicy::kGray;
  bool cube = false;
  // Implementation modes by dtype, the default first. A dtype without an entry has one
  // implementation.
  std::map<DType, std::vector<ImplMode>> impl_modes;
  // False if the library has no kernel file for the type (`opFile` `Null`). Such an operator
  // follows its producers, whatever its policy, in every mode except force_fp16.
  bool has_kernel_file = true;

  [[nodiscard]] std::size_t column_count() const;
  // Return the dtypes of tensor `index`, by column; null: the operator has no such tensor.
  [[nodiscard]] const std::vector<DType>* InputColumns(std::size_t index) const;
  [[nodiscard]] const std::vector<DType>* OutputColumns(std::size_t index) const;
};

// An operator type of a fallback library. Each tensor may have any dtype of its set, independent of
// the other tensors.
struct AiCpuOp {
  std::vector<DTypeSet> inputs;
  std::vector<DTypeSet> outputs;
  bool inputs_repeat = false;  // the last set stands for all further inputs
  bool outputs_repeat = false;
  std::string library = "AICPUKernel";  // name of the fallback library

  // Returns an operator with any number of tensors, each of any dtype of the set.
  static AiCpuOp Any(DTypeSet dtypes);

  // Return the set of tensor `index`; null: the operator has no such tensor.
  [[nodiscard]] const DTypeSet* InputDTypes(std::size_t index) const;
  [[nodiscard]] const DTypeSet* OutputDTypes(std::size_t index) const;
};

// Results of float16 arithmetic out of range (docs/reference/targets.md, "Built-in targets").
enum class OverflowArithmetic : std::uint8_t { kInfNan, kSaturate };

inline constexpr EnumRow<OverflowArithmetic> kOverflowArithmetics[] = {
    {OverflowArithmetic::kInfNan, "inf_nan", "infinities and NaN propagate, as IEEE 754 says"},
    {OverflowArithmetic::kSaturate, "saturate",
     "infinity becomes the largest finite value and NaN zero; only a status flag tells"},
};

constexpr std::string_view NameOf(OverflowArithmetic overflow) {
  return NameIn(kOverflowArithmetics, overflow);
}

// A published figure of a target for its roofline. It is never a measurement of halftone.
struct RooflineFigure {
  std::string name;  // "cube_float16"
  double value = 0;
  std::string unit;    // "TFLOP/s", "GB/s"
  std::string source;  // where the figure is published
};

struct Destination;  // src/target/destinations.h

// Implementation modes by name of the ini file, without ending, and IR type.
using ImplModeFiles =
    std::map<std::string, std::map<std::string, ImplMode, std::less<>>, std::less<>>;

struct TargetSpec {
  std::string name;           // "host", "Ascend310P3", ...
  std::string family;         // name in the files of its op library: "ascend310p"
  bool has_bfloat16 = false;  // BF16 modes are legal
  bool has_hifloat8 = false;  // HIF8 modes are legal
  bool has_hf32 = false;      // --allow_hf32 has an effect
  OverflowArithmetic overflow = OverflowArithmetic::kInfNan;
  // Formats in which a search lets operators compute, in the order in which it tries them, float32
  // first. A format to which precision modes lower is tried only if a mode of the search lowers to
  // it.
  std::vector<NumericFormat> formats = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
  // True if a product of 8-bit operands may have a float32 result.
  bool has_wide_int8 = false;
  // True if the compiler of the target quantises layers itself, with AMCT (src/amct).
  bool has_amct = false;
  // Default precision mode with --graph_run_mode=1; empty: must_keep_origin_dtype.
  std::string training_mode;
  std::vector<RooflineFigure> roofline;
  SharedFusions fusions;                                  // null: the fusions of the host
  std::map<std::string, LibraryOp, std::less<>> ai_core;  // AI Core library, by IR type
  std::map<std::string, AiCpuOp, std::less<>> ai_cpu;     // AI CPU library, by IR type
  // Library of TensorFlow kernels, by IR type, for operators that AI CPU does not have.
  std::map<std::string, AiCpuOp, std::less<>> tf_kernel;
  // Implementation modes of ini files of an installation. A file replaces the built-in table of the
  // same name, such as "high_performance".
  ImplModeFiles impl_mode_files;
  // Versions and digests of the files from which the target was read. They distinguish it from the
  // built-in target of the same name and are part of the keys of measurements. Empty: built-in.
  std::string library;
  std::vector<std::string> notes;  // full sentences about the sources of the libraries

  // Runtime for which a QDQ file is chosen; null: none. Such a target has the operators of the
  // host's portable kernels, and its latencies are predicted (src/exec/destination_target.h).
  const Destination* destination = nullptr;

  // True if the operators are those of the host's kernels.
  [[nodiscard]] bool has_host_kernels() const { return family == "host"; }

  // True if times that are measured here are latencies of the target.
  [[nodiscard]] bool is_host() const { return has_host_kernels() && destination == nullptr; }
};

}  // namespace halftone
