#include "src/qaic/glow_quantization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/exec/fuse_by_plan.h"
#include "src/ir/ir_type.h"
#include "src/precision/resolve/node_formats.h"
#include "src/qaic/integer_precision.h"
#include "src/qaic/quantized_kinds.h"
#include "src/quantization/calibration_method.h"

namespace halftone {
namespace {

constexpr std::size_t kMostNames = 5;  // that a message quotes
constexpr std::string_view kNoCalibration = "None";
constexpr std::string_view kGlowKl = "KLMinimization";

struct CalibrationName {
  std::string_view option;
  std::string_view method;  // of calibration_method.h
};

// KLMinimization is Glow's own and part of GlowScale().
constexpr CalibrationName kCalibrations[] = {
    {"KLMinimizationV2", "kl2"}, {"Percentile", "percentile"}, {"MSE", "mse"}, {"SQNR", "sqnr"}};

bool IsSymmetric(QuantizationSchema schema, float min) {
  return schema == QuantizationSchema::kSymmetric ||
         schema == QuantizationSchema::kSymmetricWithPower2Scale ||
         (schema == QuantizationSchema::kSymmetricWithUint8 && min < 0);
}

CalibrationChoice MethodOf(const GlowQuantizationRules& rules, bool symmetric) {
  for (const CalibrationName& row : kCalibrations) {
    if (row.option == rules.calibration) {
      const bool takes_value = row.option == "Percentile";
      CalibrationChoice choice =
          ParseCalibrationMethod(takes_value ? fmt::format("{}:{}", row.method, rules.percentile)
                                             : std::string(row.method));
      choice.settings.symmetric = symmetric;
      return choice;
    }
  }
  throw Error(ErrorKind::kInternal,
              fmt::format("-quantization-calibration={} has no method", rules.calibration));
}

std::vector<float> FloatsOf(const Tensor& tensor) {
  const Tensor floats = Convert(tensor, DType::kFloat32);
  const auto values = floats.values<float>();
  return {values.begin(), values.end()};
}

// Least and greatest finite value, and 0.
struct Ends {
  float min = 0;
  float max = 0;

  void Add(float value) {
    if (std::isfinite(value)) {
      min = std::min(min, value);
      max = std::max(max, value);
    }
  }
};

Ends EndsOf(std::span<const float> values) {
  Ends ends;
  for (const float value : values) {
    ends.Add(value);
  }
  return ends;
}

bool IsProduct(OpKind op) {
  return op == OpKind::kConv || op == OpKind::kConvTranspose || op == OpKind::kGemm ||
         op == OpKind::kMatMul;
}

constexpr std::size_t kWeights = 1;  // operands of products
constexpr std::size_t kBias = 2;

const Tensor* ConstantOperand(const Graph& graph, const Node& node, std::size_t index) {
  if (index >= node.inputs.size() || node.inputs[index] == kNoValue) {
    return nullptr;
  }
  const auto& constant = graph.value(node.inputs[index]).constant;
  return constant ? &*constant : nullptr;
}

// The axis of the weights along which the results of the node lie; empty: one scale for all.
std::optional<std::size_t> ScaledAxis(const Node& node, const Shape& weights,
                                      const GlowQuantizationRules& rules) {
  if (node.op == OpKind::kConv) {  // one of stride 1 may be a ConvTranspose of the model
    return rules.channelwise && OnnxKindOf(node) != "ConvTranspose" ? std::optional<std::size_t>(0)
                                                                    : std::nullopt;
  }
  const auto rank = weights.dims().size();
  if (!rules.rowwise || rank != 2) {
    return std::nullopt;
  }
  if (node.op == OpKind::kGemm) {
    return node.attributes.Int("transB", 0) != 0 ? 0 : 1;
  }
  return node.op == OpKind::kMatMul ? std::optional<std::size_t>(1) : std::nullopt;
}

class Builder {
 public:
  Builder(const Graph& graph, const NodeChoices& choices, const ValueProfiles& profiles,
          const GlowQuantizationRules& rules, const GivenScales& given)
      : graph_(graph),
        choices_(choices),
        profiles_(profiles),
        rules_(rules),
        given_(given),
        fused_(graph, choices),
        constant_schema_(ParseQuantizationSchema(rules.constant_schema)),
        integers_(IntegersOf(rules.integers)) {}

  Quantization Build() {
    made_.per_channel_weights = false;
    made_.weights = given_.weights;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (IsQuantized(choices_.nodes[n].precision)) {
        AddNode(graph_.nodes[n]);
      }
    }
    AddWeights();
    if (!missing_.empty()) {
      std::vector<std::string> shown;
      for (std::size_t i = 0; i < std::min(kMostNames, missing_.size()); ++i) {
        shown.push_back(fmt::format("'{}'", missing_[i]));
      }
      throw Error(
          ErrorKind::kUsage,
          fmt::format(
              "no range for {} of nodes that are to be quantized: {}{}; profile the network "
              "again, or keep those nodes in FP16 or FP32",
              Counted(static_cast<std::int64_t>(missing_.size()), "tensor"), Join(shown, ", "),
              missing_.size() > kMostNames ? ", ..." : ""));
    }
    return std::move(made_);
  }

 private:
  void AddNode(const Node& node) {
    const OpInfo& info = InfoOf(node.op);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == kNoValue || !FollowsModes(info.inputs, i, graph_.value(id).type.dtype)) {
        continue;
      }
      const bool is_constant = graph_.value(id).constant.has_value();
      if (!is_constant) {
        AddActivation(id);
      } else if (!IsProduct(node.op) || (i != kWeights && i != kBias)) {
        AddConstant(id);
      }
    }
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
      const ValueId id = node.outputs[o];
      if (id != kNoValue && FollowsModes(info.outputs, o, graph_.value(id).type.dtype)) {
        AddResult(node, id);
      }
    }
  }

  void AddActivation(ValueId id) {
    const Value& value = graph_.value(id);
    if (made_.activations.contains(value.name)) {
      return;
    }
    if (const auto given = given_.activations.find(value.name); given != given_.activations.end()) {
      made_.activations.insert(*given);
      return;
    }
    const auto found = profiles_.find(id);
    if (found == profiles_.end()) {
      missing_.push_back(value.name);
      made_.activations.emplace(value.name, ActivationScale());
      return;
    }
    GlowQuantizationRules rules = rules_;
    if (value.type.shape.ElementCount() == 1) {
      rules.calibration = kNoCalibration;  // as Glow
    }
    made_.activations.emplace(value.name, GlowActivationScale(found->second, rules));
  }

  void AddResult(const Node& node, ValueId id) {
    const Value& source = graph_.value(node.inputs.empty() ? id : node.inputs[0]);
    const auto same = made_.activations.find(source.name);
    if (QuantizedRuleOf(OnnxKindOf(node)) == QuantizedRule::kSameParameters &&
        same != made_.activations.end()) {
      made_.activations.emplace(graph_.value(id).name, same->second);
      return;
    }
    const ValueId behind = fused_.ResultBehind(id);
    if (behind == kNoValue || given_.activations.contains(graph_.value(id).name)) {
      AddActivation(id);
      return;
    }
    AddActivation(behind);
    made_.activations.emplace(graph_.value(id).name,
                              made_.activations.at(graph_.value(behind).name));
  }

  void AddConstant(ValueId id) {
    const Value& value = graph_.value(id);
    const Ends ends = EndsOf(FloatsOf(*value.constant));
    const ScaleAndZero scale = GlowScale(ends.min, ends.max, constant_schema_, integers_.type);
    made_.activations.emplace(
        value.name, ActivationScale{scale.scale, scale.zero_point + integers_.unsigned_shift});
  }

  // Weights as the products multiply them, which have names of their own where something was folded
  // into them, and those of the network, for plans that keep what is behind a product apart.
  void AddWeights() {
    PrecisionPlan plan = ReferencePlan(graph_);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (IsQuantized(choices_.nodes[n].precision) &&
          plan.nodes[n].compute_format() == DType::kFloat32) {
        ApplyFormat(graph_, graph_.nodes[n], integers_.format, plan.nodes[n]);
      }
    }
    const FusedNetwork fused = FuseByPlan(graph_, plan, nullptr);
    for (const FusedNetwork& network : {fused, Unfused(graph_, plan)}) {
      for (const Node& node : network.graph.nodes) {
        const auto main = static_cast<std::size_t>(node.parts.at(0));
        if (IsQuantized(choices_.nodes[main].precision) && IsProduct(node.op) &&
            ConstantOperand(network.graph, node, kWeights) != nullptr) {
          AddWeightsOf(network.graph, node);
        }
      }
    }
  }

  // Whether a table has scales for a constant, or for what it was made of.
  [[nodiscard]] bool HasGiven(const Graph& graph, ValueId weights) const {
    while (weights != kNoValue && !given_.weights.contains(graph.value(weights).name)) {
      weights = graph.value(weights).stands_for;
    }
    return weights != kNoValue;
  }

  void AddWeightsOf(const Graph& graph, const Node& node) {
    const Value& value = graph.value(node.inputs[kWeights]);
    const Tensor& weights = *value.constant;
    if (HasGiven(graph, node.inputs[kWeights])) {
      return;
    }
    const auto axis = ScaledAxis(node, weights.shape(), rules_);
    // Glow makes the asymmetric schema symmetric for weights of channelwise convolutions.
    const QuantizationSchema schema =
        node.op == OpKind::kConv && axis && constant_schema_ == QuantizationSchema::kAsymmetric
            ? QuantizationSchema::kSymmetric
            : constant_schema_;
    WeightScales scales;
    for (const Ends& ends : EndsByChannel(weights, axis)) {
      const ScaleAndZero scale = GlowScale(ends.min, ends.max, schema, integers_.type);
      scales.scales.push_back(scale.scale);
      scales.zero_points.push_back(scale.zero_point);
    }
    AddBias(graph, node, scales);
    made_.weights.insert_or_assign(value.name, std::move(scales));
  }

  static std::vector<Ends> EndsByChannel(const Tensor& weights, std::optional<std::size_t> axis) {
    const std::vector<float> values = FloatsOf(weights);
    if (!axis) {
      return {EndsOf(values)};
    }
    const ChannelLayout layout = ChannelLayout::Of(weights.shape().dims(), *axis);
    std::vector<Ends> ends(layout.channels);
    for (std::size_t i = 0; i < values.size(); ++i) {
      ends[i / layout.inner % layout.channels].Add(values[i]);
    }
    return ends;
  }

  void AddBias(const Graph& graph, const Node& node, WeightScales& scales) {
    const Tensor* bias = ConstantOperand(graph, node, kBias);
    if (bias == nullptr || bias->ElementCount() == 0) {
      return;
    }
    const std::vector<float> values = FloatsOf(*bias);
    if (rules_.bias_precision == "Int8") {
      AddRounding(node, values);
      return;
    }
    const auto input = made_.activations.find(graph.value(node.inputs[0]).name);
    if (input == made_.activations.end()) {
      return;
    }
    for (std::size_t c = 0; c < scales.scales.size(); ++c) {
      const Ends ends = scales.scales.size() == values.size()
                            ? EndsOf(std::span(values).subspan(c, 1))
                            : EndsOf(values);
      if (ends.min == 0 && ends.max == 0) {
        continue;  // any scale does
      }
      const float own = GlowScale(ends.min, ends.max, constant_schema_, DType::kInt32).scale;
      scales.scales[c] = GlowBiasScalesOf(own, input->second.scale, scales.scales[c]).weights;
    }
  }

  // What 8 bits change of a bias: first of the one with everything in it.
  void AddRounding(const Node& node, const std::vector<float>& bias) {
    const Ends ends = EndsOf(bias);
    const ScaleAndZero scale = GlowScale(ends.min, ends.max, constant_schema_, DType::kInt8);
    std::vector<float> shifts;
    for (const float value : bias) {
      const float q =
          std::clamp(std::nearbyint(value / scale.scale + static_cast<float>(scale.zero_point)),
                     -128.0F, 127.0F);
      shifts.push_back(scale.scale * (q - static_cast<float>(scale.zero_point)) - value);
    }
    made_.bias_shifts.emplace(node.name, std::move(shifts));
  }

  const Graph& graph_;
  const NodeChoices& choices_;
  const ValueProfiles& profiles_;
  const GlowQuantizationRules& rules_;
  const GivenScales& given_;
  FusedActivations fused_;
  QuantizationSchema constant_schema_;
  const IntegerPrecision& integers_;
  Quantization made_;
  std::vector<std::string> missing_;
};

}  // namespace

FusedActivations::FusedActivations(const Graph& graph, const NodeChoices& choices)
    : behind_(graph.values.size(), kNoValue) {
  const auto consumers = ConsumersOf(graph);
  const auto is_int8 = [&](NodeId id) {
    return IsQuantized(choices.nodes[static_cast<std::size_t>(id)].precision);
  };
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const ValueId id : graph.nodes[n].outputs) {
      if (id == kNoValue || !is_int8(static_cast<NodeId>(n)) ||
          consumers[static_cast<std::size_t>(id)].size() != 1 ||
          std::ranges::find(graph.outputs, id) != graph.outputs.end()) {
        continue;
      }
      const NodeId reader = consumers[static_cast<std::size_t>(id)][0];
      const Node& node = graph.node(reader);
      if (is_int8(reader) && (node.op == OpKind::kRelu || node.op == OpKind::kClip) &&
          node.inputs[0] == id) {
        behind_[static_cast<std::size_t>(id)] = node.outputs[0];
      }
    }
  }
}

ValueId FusedActivations::ResultBehind(ValueId value) const {
  return behind_[static_cast<std::size_t>(value)];
}

GlowQuantizationRules RulesOf(const QaicCompileOptions& options) {
  return {.activation_schema = options.activation_schema,
          .constant_schema = options.constant_schema,
          .bias_precision = options.bias_precision,
          .calibration = options.calibration,
          .percentile = options.percentile,
          .channelwise = options.channelwise,
          .rowwise = options.rowwise,
          .integers = options.integers};
}

ActivationScale GlowActivationScale(const GlowHistogram& profile,
                                    const GlowQuantizationRules& rules) {
  const IntegerPrecision& integers = IntegersOf(rules.integers);
  const QuantizationSchema schema = ParseQuantizationSchema(rules.activation_schema);
  const ScaleAndZero scale = [&] {
    if (rules.calibration == kNoCalibration) {
      return GlowScale(profile.min, profile.max, schema, integers.type);
    }
    if (rules.calibration == kGlowKl) {
      return GlowScale(profile.min, profile.max, schema, integers.type, &profile);
    }
    const ValueRange range =
        MethodOf(rules, IsSymmetric(schema, profile.min)).Range(StatisticsOfProfile(profile));
    return GlowScale(static_cast<float>(range.low), static_cast<float>(range.high), schema,
                     integers.type);
  }();
  return {scale.scale, scale.zero_point + integers.unsigned_shift};
}

Quantization GlowQuantization(const Graph& graph, const NodeChoices& choices,
                              const ValueProfiles& profiles, const GlowQuantizationRules& rules,
                              const GivenScales& given) {
  return Builder(graph, choices, profiles, rules, given).Build();
}

}  // namespace halftone
