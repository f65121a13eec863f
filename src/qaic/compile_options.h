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

// The compiler's names, whose options are the same; the older one has no FP32NodeInstanceNames.
enum class QaicTool : std::uint8_t { kCompile, kExec };

inline constexpr EnumRow<QaicTool> kQaicTools[] = {
    {QaicTool::kCompile, "qaic-compile", "the newer name"},
    {QaicTool::kExec, "qaic-exec", "the older name"},
};

constexpr std::string_view NameOf(QaicTool tool) {
  return NameIn(kQaicTools, tool);
}

// "x,float,[1,3,224,224]" of -model-input.
struct QaicModelInput {
  std::string name;
  std::string type;  // as typed; not looked at: an ONNX model has its types
  std::vector<std::int64_t> shape;

  friend bool operator==(const QaicModelInput&, const QaicModelInput&) = default;
};

struct QaicCompileOptions {
  QaicTool tool = QaicTool::kCompile;
  std::filesystem::path model;
  std::vector<QaicModelInput> model_inputs;
  std::map<std::string, std::int64_t, std::less<>> symbols;  // -onnx-define-symbol
  std::optional<std::int64_t> batch_size;
  std::vector<std::string> model_words;  // those of the three above, as options
  std::filesystem::path input_list;      // empty: random samples
  bool gaussian = false;                 // of random samples: normal, else uniform
  bool to_fp16 = false;
  bool quantizes = false;  // a profile is loaded or made, or ranges of another tool are read
  bool profiles = false;   // the network runs to make a profile, as a file or in memory
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
  // A profile of ours, whose ranges go into a copy of `load_profile`.
  std::filesystem::path ranges_from;
  std::filesystem::path external;
  std::filesystem::path custom_io;
  std::filesystem::path custom_io_template;
  int threads = 0;
  std::uint64_t seed = 1;
  std::filesystem::path point;
  std::vector<std::string> notes;     // options without effect, a sentence each
  std::vector<std::string> warnings;  // of combinations
};

// Error kUsage: -m is missing, a malformed -model-input or -onnx-define-symbol, a symbol or an
// input twice; as CheckCombinations().
QaicCompileOptions MakeQaicOptions(const ToolCommandLine& line, QaicTool tool = QaicTool::kCompile);

// ParseQaicCommandLine() and MakeQaicOptions().
QaicCompileOptions ParseQaicOptions(std::span<const std::string> words,
                                    QaicTool tool = QaicTool::kCompile);

}  // namespace halftone
