#include "src/qaic/compile_options.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/base/limits.h"
#include "src/base/text.h"
#include "src/qaic/combinations.h"

namespace halftone {
namespace {

[[noreturn]] void ThrowValue(std::string_view option, std::string_view value,
                             std::string_view expected) {
  throw Error(ErrorKind::kUsage, fmt::format("-{}={}: expected {}", option, value, expected));
}

std::optional<std::int64_t> Extent(std::string_view text) {
  return NumberIn(Trim(text), limits::kExtentRange);
}

void ReadSymbol(const std::string& text, QaicCompileOptions& options) {
  constexpr std::string_view kName = "onnx-define-symbol";
  const auto comma = text.rfind(',');
  const std::string name(Trim(std::string_view(text).substr(0, comma)));
  const auto value =
      comma == text.npos ? std::nullopt : Extent(std::string_view(text).substr(comma + 1));
  if (name.empty() || !value) {
    ThrowValue(kName, text, "a symbol and its extent: batch,1");
  }
  if (!options.symbols.emplace(name, *value).second) {
    throw Error(ErrorKind::kUsage,
                fmt::format("-{}={}: '{}' is defined twice; define it once", kName, text, name));
  }
}

void ReadModelInput(const std::string& text, QaicCompileOptions& options) {
  constexpr std::string_view kName = "model-input";
  constexpr std::string_view kExpected = "a name, a type and a shape: x,float,[1,3,224,224]";
  const auto first = text.find(',');
  const auto second = first == text.npos ? first : text.find(',', first + 1);
  if (second == text.npos) {
    ThrowValue(kName, text, kExpected);
  }
  QaicModelInput input{.name = std::string(Trim(std::string_view(text).substr(0, first))),
                       .type = std::string(Trim(text.substr(first + 1, second - first - 1))),
                       .shape = {}};
  std::string_view shape = Trim(std::string_view(text).substr(second + 1));
  if (shape.starts_with('[') && shape.ends_with(']')) {
    shape = shape.substr(1, shape.size() - 2);
  }
  for (const std::string_view item : Split(shape, ',')) {
    const auto extent = Extent(item);
    if (!extent) {
      ThrowValue(kName, text, kExpected);
    }
    input.shape.push_back(*extent);
  }
  if (input.name.empty() || input.type.empty()) {
    ThrowValue(kName, text, kExpected);
  }
  for (const QaicModelInput& other : options.model_inputs) {
    if (other.name == input.name) {
      throw Error(ErrorKind::kUsage, fmt::format("-{}={}: input '{}' is given twice; give it once",
                                                 kName, text, input.name));
    }
  }
  options.model_inputs.push_back(std::move(input));
}

}  // namespace

QaicCompileOptions MakeQaicOptions(const ToolCommandLine& line, QaicTool tool) {
  QaicCompileOptions options;
  options.tool = tool;
  options.notes = line.notes;
  options.warnings = CheckCombinations(line);
  if (!line.Has("model")) {
    throw Error(ErrorKind::kUsage, "-m is missing: name an ONNX file");
  }
  options.model = line.Get("model");
  for (const std::string& text : line.All("model-input")) {
    ReadModelInput(text, options);
  }
  for (const std::string& text : line.All("onnx-define-symbol")) {
    ReadSymbol(text, options);
  }
  for (const std::string_view name : {"model-input", "onnx-define-symbol", "batchsize"}) {
    for (const std::string& value : line.All(name)) {
      options.model_words.push_back(fmt::format("-{}={}", name, value));
    }
  }
  if (line.Has("batchsize")) {
    options.batch_size = static_cast<std::int64_t>(line.Number("batchsize"));
  }
  options.input_list = line.Get("input-list-file");
  options.gaussian = line.Get("use-random-input-data") == "gaussian";
  options.to_fp16 = line.Has("convert-to-fp16");
  options.quantizes = AsksForQuantization(line);
  options.profiles =
      line.Has("dump-profile") || (options.quantizes && line.Has("convert-to-quantize"));
  const auto schema = [&](std::string_view name) {
    return line.Get(line.Has(name) ? name : "quantization-schema");
  };
  options.activation_schema = schema("quantization-schema-activations");
  options.constant_schema = schema("quantization-schema-constants");
  options.integers = *ValueIn(kQaicPrecisions, line.Get("quantization-precision"));
  options.bias_precision = line.Get("quantization-precision-bias");
  options.calibration = line.Get("quantization-calibration");
  options.percentile = line.Number("percentile-calibration-value");
  options.histogram_bins = static_cast<int>(line.Number("num-histogram-bins"));
  options.threads = static_cast<int>(line.Number("threads"));
  options.profiling_threads = static_cast<int>(line.Number("profiling-threads", options.threads));
  options.channelwise = line.Has("enable-channelwise");
  options.rowwise = line.Has("enable-rowwise");
  options.fp16_kinds = line.List("execute-nodes-in-fp16");
  options.kept_kinds = line.List("keep-original-precision-for-nodes");
  options.node_precision = line.Get("node-precision-info");
  options.dump_profile = line.Get("dump-profile");
  options.load_profile = options.to_fp16 ? "" : line.Get("load-profile");
  options.ranges_from = options.to_fp16 ? "" : line.Get("ranges-from");
  options.external = options.to_fp16 ? "" : line.Get("external-quantization");
  options.custom_io = line.Get("custom-IO-list-file");
  options.custom_io_template = line.Get("dump-custom-IO-config-template");
  options.seed = static_cast<std::uint64_t>(line.Number("seed"));
  options.point = line.Get("point");
  return options;
}

QaicCompileOptions ParseQaicOptions(std::span<const std::string> words, QaicTool tool) {
  return MakeQaicOptions(ParseQaicCommandLine(words), tool);
}

}  // namespace halftone
