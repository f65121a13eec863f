// A command line of the Cloud AI compiler as values, with all checks done that need no file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/enum_table.h"
#include "src/qaic/node_choice.h"
#include "src/qaic/option_table.h"

namespace halftone {

// The two names of the compiler. Their options are the same, except that the older tool has no
// FP32NodeInstanceNames.
enum class QaicTool : std::uint8_t { kCompile, kExec };

inline constexpr EnumRow<QaicTool> kQaicTools[] = {
    {QaicTool::kCompile, "qaic-compile", "the newer name"},
    {QaicTool::kExec, "qaic-exec", "the older name"},
};

constexpr std::string_view NameOf(QaicTool tool) {
  return NameIn(kQaicTools, tool);
}

// A value of -model-input: "x,float,[1,3,224,224]".
struct QaicModelInput {
  std::string name;
  std::string type;  // as typed, and never used: an ONNX model has its types
  std::vector<std::int64_t> shape;

  friend bool operator==(const QaicModelInput&, const QaicModelInput&) = default;
};

struct QaicCompileOptions {
  QaicTool tool = QaicTool::kCompile;
  std::filesystem::path model;
  std::vector<QaicModelInput> model_inputs;
  std::map<std::string, std::int64_t, std::less<>> symbols;  // -onnx-define-symbol
  std::optional<std::int64_t> batch_size;
  // The options -model-input, -onnx-define-symbol and -batchsize as words of a command line.
  std::vector<std::string> model_words;
  std::filesystem::path input_list;  // empty: random samples
  bool gaussian = false;             // random samples are normal; false: uniform
  bool to_fp16 = false;
  bool quantizes = false;  // AsksForQuantization()
  bool profiles = false;   // the network runs to make a profile, for a file or in memory
  QaicPrecision integers = QaicPrecision::kInt8;  // -quantization-precision
  std::string activation_schema;                  // "symmetric_with_uint8"
  std::string constant_schema;
  std::string bias_precision;  // "Int32", "Int8"
  std::string calibration;     // "None"
  double percentile = 100;
  int histogram_bins = 512;
  int profiling_threads = 0;  // 0: all cores
  bool channelwise = false;
  bool rowwise = false;
  std::vector<std::string> fp16_kinds;
  std::vector<std::string> kept_kinds;
  std::filesystem::path node_precision;
  std::filesystem::path dump_profile;
  std::filesystem::path load_profile;
  // A profile that halftone made. Its ranges go into a copy of the profile `load_profile`.
  std::filesystem::path ranges_from;
  std::filesystem::path external;
  std::filesystem::path custom_io;
  std::filesystem::path custom_io_template;
  int threads = 0;
  std::uint64_t seed = 1;
  std::filesystem::path point;
  std::vector<std::string> notes;     // options without effect, a sentence each
  std::vector<std::string> warnings;  // of CheckCombinations()
};

// Error kUsage: -m is missing; a value of -model-input or -onnx-define-symbol is malformed; a
// symbol or an input is given twice; an error of CheckCombinations().
QaicCompileOptions MakeQaicOptions(const ToolCommandLine& line, QaicTool tool = QaicTool::kCompile);

// Calls ParseQaicCommandLine() and MakeQaicOptions(), whose errors it throws.
QaicCompileOptions ParseQaicOptions(std::span<const std::string> words,
                                    QaicTool tool = QaicTool::kCompile);

}  // namespace halftone
