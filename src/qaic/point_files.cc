#include "src/qaic/point_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "src/base/error.h"
#include "src/base/shell_words.h"
#include "src/base/text.h"
#include "src/ir/ir_type.h"
#include "src/precision/resolve/node_formats.h"
#include "src/qaic/external_ranges.h"
#include "src/qaic/integer_precision.h"
#include "src/qaic/quantized_kinds.h"
#include "src/quantization/rescale_histogram.h"

namespace halftone {
namespace {

constexpr int kMostSteps = 8;  // of the last place, to the range of a scale

[[noreturn]] void ThrowNode(const Node& node, std::string_view what) {
  throw Error(ErrorKind::kUnsupported,
              fmt::format("no options of the Cloud AI compiler give {} its formats: {}",
                          Describe(node), what));
}

// Formats of the tensors that follow precision options.
std::set<std::string_view> FormatsOf(const Graph& graph, const Node& node,
                                     const NodePrecision& precision) {
  const OpInfo& info = InfoOf(node.op);
  std::set<std::string_view> formats;
  const auto add = [&](std::string_view signature, const std::vector<ValueId>& ids,
                       const std::vector<NumericFormat>& given) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] != kNoValue && FollowsModes(signature, i, graph.value(ids[i]).type.dtype)) {
        formats.insert(NameOf(given[i]));
      }
    }
  };
  add(info.inputs, node.inputs, precision.inputs);
  add(info.outputs, node.outputs, precision.outputs);
  return formats;
}

struct FormatRow {
  std::string_view format;
  QaicPrecision precision;
};

constexpr FormatRow kFormats[] = {{"float16", QaicPrecision::kFloat16},
                                  {"float32", QaicPrecision::kFloat32},
                                  {"qint8", QaicPrecision::kInt8},
                                  {"qint16", QaicPrecision::kInt16}};

QaicPrecision PrecisionOf(const Graph& graph, const Node& node, const NodePrecision& precision) {
  const auto formats = FormatsOf(graph, node, precision);
  if (formats.size() > 1) {
    ThrowNode(node, "its operands and results differ");
  }
  for (const FormatRow& row : kFormats) {
    if (row.format == *formats.begin()) {
      return row.precision;
    }
  }
  ThrowNode(node, fmt::format("it computes in {}", *formats.begin()));
}

// Nodes by kind that need a name, and the precision that all of a kind have.
struct KindOfNodes {
  std::vector<NodeId> named;  // not what the mode gives them
  std::set<QaicPrecision> precisions;
};

// What the options of a point make of the nodes that nothing names.
struct PointMode {
  bool to_fp16 = false;
  bool names_fp32 = true;                 // the tool takes FP32NodeInstanceNames
  std::optional<QaicPrecision> integers;  // empty: nothing is quantized
};

QaicPrecision Unnamed(std::string_view kind, const PointMode& mode) {
  if (mode.to_fp16) {
    return QaicPrecision::kFloat16;
  }
  return mode.integers && QuantizedRuleOf(kind) != QuantizedRule::kNone ? *mode.integers
                                                                        : QaicPrecision::kFloat32;
}

// Lists a node in the file of its precision.
void NameNode(const Graph& graph, NodeId id, QaicPrecision precision, const PointMode& mode,
              QaicPoint& point) {
  const Node& node = graph.node(id);
  const bool is_fp16 = precision == QaicPrecision::kFloat16;
  if (!is_fp16 && precision != QaicPrecision::kFloat32) {
    ThrowNode(node, fmt::format("{} is not quantized", OnnxKindOf(node)));
  }
  if (!is_fp16 && !mode.names_fp32) {
    ThrowNode(node, "qaic-exec keeps whole kinds in FP32, and no single nodes");
  }
  (is_fp16 ? point.lists.float16 : point.lists.float32).emplace(FirstOutputName(graph, node));
}

QaicPoint PointIn(const Graph& graph, const std::vector<std::optional<QaicPrecision>>& precisions,
                  const PointMode& mode) {
  QaicPoint point{.lists = {},
                  .options = {},
                  .quantizes = mode.integers.has_value(),
                  .integers = mode.integers.value_or(QaicPrecision::kInt8)};
  std::map<std::string, KindOfNodes> kinds;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!precisions[n]) {
      continue;
    }
    const std::string kind(OnnxKindOf(graph.nodes[n]));
    kinds[kind].precisions.insert(*precisions[n]);
    if (*precisions[n] != Unnamed(kind, mode)) {
      kinds[kind].named.push_back(static_cast<NodeId>(n));
    }
  }
  std::vector<std::string> fp16_kinds;
  std::vector<std::string> kept_kinds;
  for (const auto& [kind, nodes] : kinds) {
    const std::size_t by_name = mode.names_fp32 ? 1 : 0;  // so few are named one by one
    if (nodes.named.size() > by_name && nodes.precisions.size() == 1 &&
        !IsQuantized(*nodes.precisions.begin())) {
      (*nodes.precisions.begin() == QaicPrecision::kFloat16 ? fp16_kinds : kept_kinds)
          .push_back(kind);
      continue;
    }
    for (const NodeId id : nodes.named) {
      NameNode(graph, id, *precisions[static_cast<std::size_t>(id)], mode, point);
    }
  }
  if (mode.to_fp16) {
    point.options.emplace_back("-convert-to-fp16");
  }
  if (!fp16_kinds.empty()) {
    point.options.push_back(fmt::format("-execute-nodes-in-fp16={}", Join(fp16_kinds, ",")));
  }
  if (!kept_kinds.empty()) {
    point.options.push_back(
        fmt::format("-keep-original-precision-for-nodes={}", Join(kept_kinds, ",")));
  }
  return point;
}

std::filesystem::path WholePath(const std::filesystem::path& model) {
  std::error_code error;
  const std::filesystem::path file =
      std::filesystem::is_directory(model, error) ? model / "model.onnx" : model;
  const std::filesystem::path whole = std::filesystem::absolute(file, error);
  return error ? file : whole.lexically_normal();
}

std::size_t SizeOf(const QaicPoint& point) {
  return point.lists.float16.size() + point.lists.float32.size() + point.options.size();
}

// The range that the asymmetric schema of Glow turns into this scale and offset: its ends are
// rounded to float32, so that the last place of one may have to move.
GlowHistogram RangeOf(std::string_view name, const ActivationScale& scale,
                      const IntegerPrecision& integers) {
  const std::int32_t offset = scale.zero_point - integers.unsigned_shift;
  const std::int32_t least = -integers.unsigned_shift;
  const std::int32_t most = integers.unsigned_shift - 1;
  const auto step = static_cast<double>(scale.scale);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto moved = [](float value, int steps) {
    for (int i = 0; i < std::abs(steps); ++i) {
      value = std::nextafter(value, steps < 0 ? -kInfinity : kInfinity);
    }
    return value;
  };
  const auto low = static_cast<float>(step * (least - offset));
  const auto high = static_cast<float>(step * (most - offset));
  const ScaleAndZero wanted{scale.scale, offset};
  const auto gives_wanted = [&](float min, float max) {
    return GlowScale(min, max, QuantizationSchema::kAsymmetric, integers.type) == wanted;
  };
  for (int size = 0; size <= kMostSteps; ++size) {
    for (const int steps : {size, -size}) {
      const float other_high = high == 0 ? high : moved(high, steps);
      if (gives_wanted(low, other_high)) {
        return {low, other_high, {}};
      }
      const float other_low = low == 0 ? low : moved(low, steps);
      if (gives_wanted(other_low, high)) {
        return {other_low, high, {}};
      }
    }
  }
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format("'{}': no range gives the scale {} with offset {} by the asymmetric schema", name,
                  scale.scale, offset));
}

}  // namespace

NodeChoiceRequest QaicPoint::Request() const {
  NodeChoiceRequest request{.fp32_outputs = {lists.float32.begin(), lists.float32.end()},
                            .fp16_outputs = {lists.float16.begin(), lists.float16.end()},
                            .kept_kinds = {},
                            .fp16_kinds = {},
                            .external_fp16 = {},
                            .external_fp32 = {},
                            .to_fp16 = false,
                            .quantizes = quantizes,
                            .integers = integers};
  const ToolCommandLine line = ParseQaicCommandLine(options);
  request.to_fp16 = line.Has("convert-to-fp16");
  request.fp16_kinds = line.List("execute-nodes-in-fp16");
  request.kept_kinds = line.List("keep-original-precision-for-nodes");
  return request;
}

QaicPoint PointOf(const Graph& graph, const PrecisionPlan& plan, QaicTool tool) {
  std::vector<std::optional<QaicPrecision>> precisions;
  std::optional<QaicPrecision> integers;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    precisions.push_back(HasChosenType(graph, node)
                             ? std::optional(PrecisionOf(graph, node, plan.nodes[n]))
                             : std::nullopt);
    if (!precisions.back() || !IsQuantized(*precisions.back())) {
      continue;
    }
    if (integers && integers != precisions.back()) {
      ThrowNode(node, "other nodes compute in integers of another size");
    }
    integers = precisions.back();
  }
  const bool names_fp32 = tool == QaicTool::kCompile;
  QaicPoint kept = PointIn(graph, precisions, {.names_fp32 = names_fp32, .integers = integers});
  if (integers || !names_fp32) {  // in a run in FP16 single nodes of FP32 have names
    return kept;
  }
  const QaicPoint lowered = PointIn(graph, precisions, {.to_fp16 = true});
  return SizeOf(lowered) < SizeOf(kept) ? lowered : kept;
}

std::vector<std::string> ScaleOptions(const GlowQuantizationRules& rules) {
  std::vector<std::string> options = {
      "-quantization-schema-activations=asymmetric",
      fmt::format("-quantization-schema-constants={}", rules.constant_schema),
      "-quantization-calibration=None",
      fmt::format("-quantization-precision-bias={}", rules.bias_precision)};
  if (rules.integers != QaicPrecision::kInt8) {
    options.push_back(fmt::format("-quantization-precision={}", NameOf(rules.integers)));
  }
  if (rules.channelwise) {
    options.emplace_back("-enable-channelwise");
  }
  if (rules.rowwise) {
    options.emplace_back("-enable-rowwise");
  }
  return options;
}

ValueProfiles ProfilesOf(const Graph& graph, const Quantization& quantization,
                         const ValueProfiles& measured, QaicPrecision integers) {
  ValueProfiles profiles;
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    const Value& value = graph.values[v];
    const auto scale = quantization.activations.find(value.name);
    if (scale == quantization.activations.end() || value.constant) {
      continue;
    }
    const auto id = static_cast<ValueId>(v);
    GlowHistogram profile = RangeOf(value.name, scale->second, IntegersOf(integers));
    const auto found = measured.find(id);
    const bool has_counts = found != measured.end() && !found->second.counts.empty() &&
                            found->second.min < found->second.max && profile.min < profile.max;
    profile.counts = has_counts
                         ? RescaledHistogram<float>(found->second.counts, found->second.min,
                                                    found->second.max, profile.min, profile.max)
                         : std::vector<float>{1};
    profiles.emplace(id, std::move(profile));
  }
  return profiles;
}

std::vector<std::string> ModelInputOptions(const Graph& graph) {
  std::vector<std::string> options;
  for (const ValueId id : graph.inputs) {
    const Value& input = graph.value(id);
    options.push_back(fmt::format(
        "-model-input={},{},[{}]", input.name,
        input.type.dtype == DType::kFloat32 ? std::string_view("float") : NameOf(input.type.dtype),
        fmt::join(input.type.shape.dims(), ",")));
  }
  return options;
}

std::map<std::string, std::string> QaicPointTexts(const QaicPointFiles& files) {
  std::map<std::string, std::string> texts;
  std::string arguments;
  const auto add = [&](std::string_view argument) {
    arguments += fmt::format("  {} \\\n", argument);
  };
  const auto add_file = [&](std::string_view option, std::string_view name, std::string content) {
    texts.emplace(name, std::move(content));
    add(fmt::format("{}=\"$folder\"/{}", option, name));
  };
  const auto add_words = [&](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      add(ShellArgument(word));
    }
  };
  add_words(files.model_options);
  add_words(files.point.options);
  if (files.point.lists != NodePrecisionLists()) {
    add_file("-node-precision-info", kNodePrecisionFile, WriteNodePrecision(files.point.lists));
  }
  if (!files.custom_io.empty()) {
    add_file("-custom-IO-list-file", kCustomIoFile, WriteCustomIo(files.custom_io));
  }
  if (files.profile != nullptr) {
    add_file("-load-profile", kQaicProfileFile, WriteGlowProfile(*files.profile));
    add_words(ScaleOptions(files.rules));
  }
  texts.emplace(
      kCompileScript,
      fmt::format(
          "#!/bin/sh\n"
          "# Compiles the network with {0} in the precision of this point, from any folder:\n"
          "#   MODEL=model.onnx sh {1} [OPTIONS OF {0}]\n"
          "set -eu\n"
          "folder=$(CDPATH= cd -- \"$(dirname -- \"$0\")\" && pwd)\n"
          "model={2}\n"
          "exec {0} -m=\"${{MODEL:-$model}}\" \\\n"
          "{3}  \"$@\"\n",
          NameOf(files.tool), kCompileScript, ShellWord(WholePath(files.model).string()),
          arguments));
  return texts;
}

GlowQuantizationRules RulesOfPoints() {
  return {.activation_schema = "asymmetric",
          .constant_schema = "symmetric_with_uint8",
          .bias_precision = "Int32",
          .calibration = "None",
          .percentile = 100,
          .channelwise = true,
          .rowwise = true};
}

Quantization CompilersQuantization(const Graph& graph, const Quantization& calibrated) {
  const ValueProfiles profiles = ProfilesOf(graph, calibrated, {});
  NodeChoices none;
  none.nodes.resize(graph.nodes.size());
  return GlowQuantization(graph, ScaledNodes(graph, none, profiles, {}), profiles, RulesOfPoints());
}

QaicPointText QaicPointTexts(const Graph& graph, const PrecisionPlan& plan,
                             const PointModel& model) {
  try {
    QaicPointFiles files;
    files.point = PointOf(graph, plan);
    files.model = model.path;
    files.rules = RulesOfPoints();
    if (model.has_own_shapes) {
      files.model_options = ModelInputOptions(graph);
    }
    FilledProfile filled;
    if (files.point.quantizes) {
      const ValueProfiles ranges = ProfilesOf(graph, *plan.quantization, {}, files.point.integers);
      filled =
          model.dumped_profile != nullptr
              ? Fill(graph, *model.dumped_profile, ranges)
              : FilledProfile{
                    .profile = MakeProfile(
                        graph, ranges,
                        {.model = model.hash, .node_precision = FingerprintOf(files.point.lists)},
                        fmt::format("halftone {}", model.version)),
                    .warnings = {}};
      files.profile = &filled.profile;
    }
    return {.files = QaicPointTexts(files), .warnings = std::move(filled.warnings)};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) {
      throw;
    }
    return {.files = {{std::string(kCompileScript),
                       fmt::format("#!/bin/sh\necho {} >&2\nexit 1\n", ShellWord(error.what()))}},
            .warnings = {}};
  }
}

}  // namespace halftone
