#include "src/export/encodings.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "src/exec/fuse_by_plan.h"
#include "src/exec/integer_steps.h"
#include "src/export/write_product.h"

namespace halftone {
namespace {

// Of the operands of QLinearConv and QLinearMatMul.
constexpr std::size_t kWeightScale = 4;
constexpr std::size_t kWeightZeroPoint = 5;

// Collects the encodings of a plan.
class Encodings {
 public:
  Encodings(const Graph& network, const PrecisionPlan& plan) : network_(network), plan_(plan) {}

  PlanEncodings Collect() {
    for (std::size_t n = 0; n < network_.nodes.size(); ++n) {
      Add(network_.nodes[n].outputs, plan_.nodes[n].outputs);
    }
    // Inputs and constants, as their first reader has them.
    for (std::size_t n = 0; n < network_.nodes.size(); ++n) {
      Add(network_.nodes[n].inputs, plan_.nodes[n].inputs);
    }
    AddWeights();
    AddShifts();
    return std::move(result_);
  }

 private:
  void Add(const std::vector<ValueId>& ids, const std::vector<NumericFormat>& formats) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == kNoValue) {
        continue;
      }
      const Value& value = network_.value(ids[i]);
      if (IsTunable(value.type.dtype) && !result_.table.entries.contains(value.name)) {
        if (auto entry = EntryOf(ids[i], formats[i])) {
          result_.table.entries.emplace(value.name, *std::move(entry));
        }
      }
    }
  }

  // Empty: weights in 8 bits, whose scales are those of the product that reads them.
  std::optional<TableEntry> EntryOf(ValueId id, NumericFormat format) {
    const Value& value = network_.value(id);
    if (!format.is_scaled()) {
      if (format == DType::kBFloat16) {
        result_.losses.push_back(
            LossOf(value.name, format, "float of 16 bits",
                   "tensors in bfloat16, which stand as 16 bits of floating point: encodings do "
                   "not tell it from float16"));
      }
      return TableEntry{.grid = TableEntry::Grid::kFloat,
                        .bits = IsReduced(format) && format.is_dtype() ? 16 : 32,
                        .is_parameter = value.constant.has_value()};
    }
    if (value.constant) {
      return std::nullopt;
    }
    const ActivationScale scale = ScaleOf(network_, id, *plan_.quantization);
    if (plan_.quantization->channel_factors.contains(value.name)) {
      result_.losses.push_back(
          {value.name, "a factor for each channel", "one scale",
           "tensors with a factor for each channel, which encodings do not have: the accuracy that "
           "was measured is not that of this file"});
    }
    return TableEntry{.grid = TableEntry::Grid::kUnsigned,
                      .range = scale.range(),
                      .scales = {scale.scale},
                      .zero_points = {scale.zero_point}};
  }

  void AddShifts() {
    for (std::size_t n = 0; plan_.quantization && n < network_.nodes.size(); ++n) {
      const std::string& name = network_.nodes[n].name;
      if (std::ranges::any_of(plan_.nodes[n].inputs, &NumericFormat::is_scaled) &&
          plan_.quantization->bias_shifts.contains(name)) {
        result_.losses.push_back(
            {name, "bias correction", "", "operators whose bias correction is not in the file"});
      }
    }
  }

  void AddWeights() {
    if (!plan_.quantization) {
      return;
    }
    SharedConstants constants;
    const FusedNetwork fused = FuseByPlan(network_, plan_, &constants);
    for (std::size_t n = 0; n < fused.graph.nodes.size(); ++n) {
      const Node& node = fused.graph.nodes[n];
      const auto step =
          IntegerStepOf(fused.graph, node, fused.plan.nodes[n], *plan_.quantization, constants);
      if (!step || !HasIntegerWeights(*step)) {
        continue;
      }
      const Node& product = network_.node(node.parts[0]);
      const ValueId own = product.inputs.at(1);
      const auto scales = std::get<Tensor>(step->inputs.at(kWeightScale)).values<float>();
      const auto zeros = std::get<Tensor>(step->inputs.at(kWeightZeroPoint)).values<std::int8_t>();
      result_.products[product.name] = {.scales = {scales.begin(), scales.end()},
                                        .zero_points = {zeros.begin(), zeros.end()}};
      if (own != node.inputs.at(1)) {
        result_.folded.push_back(LossOf(
            network_.value(own).name, fused.plan.nodes[n].inputs.at(0), "",
            "weights that BatchNormalization is folded into in the plan, which the converter "
            "has to quantise by itself"));
        continue;
      }
      result_.table.entries[network_.value(own).name] = EntryOfWeights(scales, zeros);
      result_.axes[network_.value(own).name] = AxisOf(product, own, scales.size());
      AddBiases(node, own, ScaleOf(fused.graph, node.inputs.at(0), *plan_.quantization).scale,
                scales);
    }
  }

  // The range is the hull of those of all channels.
  static TableEntry EntryOfWeights(std::span<const float> scales,
                                   std::span<const std::int8_t> zeros) {
    const bool symmetric = std::ranges::all_of(zeros, [](int zero) { return zero == 0; });
    TableEntry entry{.grid = TableEntry::Grid::kSigned,
                     .symmetric = symmetric,
                     .is_parameter = true,
                     .range = ValueRange{},
                     .scales = {scales.begin(), scales.end()},
                     .zero_points = {zeros.begin(), zeros.end()}};
    for (std::size_t c = 0; c < scales.size(); ++c) {
      const auto step = static_cast<double>(scales[c]);
      entry.range->low = std::min(entry.range->low, step * ((symmetric ? -127 : -128) - zeros[c]));
      entry.range->high = std::max(entry.range->high, step * (127 - zeros[c]));
    }
    return entry;
  }

  // Axis of constant weights that has a scale for each index; `scales`: how many.
  [[nodiscard]] int AxisOf(const Node& node, ValueId weights, std::size_t scales) const {
    const Shape& shape = network_.value(weights).type.shape;
    const bool is_depthwise =
        node.op == OpKind::kConvTranspose && shape[1] == 1 && std::cmp_equal(shape[0], scales);
    const bool along_first = node.op == OpKind::kConv || is_depthwise ||
                             (node.op == OpKind::kGemm && node.attributes.Int("transB", 0) != 0);
    return along_first ? 0 : 1;
  }

  // int32 in steps of the product of both scales: of the operand, and of the weights of a channel.
  static TableEntry EntryOfBias(float scale, std::span<const float> scales) {
    TableEntry entry{.grid = TableEntry::Grid::kSigned,
                     .bits = 32,
                     .symmetric = true,
                     .is_parameter = true,
                     .range = ValueRange{},
                     .scales = {},
                     .zero_points = std::vector<std::int64_t>(scales.size(), 0)};
    for (const float of_weights : scales) {
      entry.scales.push_back(scale * of_weights);
      entry.range->high = std::max(entry.range->high, 0x1p31 * entry.scales.back());
    }
    entry.range->low = -entry.range->high;
    return entry;
  }

  // Constants that a product adds.
  void AddBiases(const Node& node, ValueId weights, float scale, std::span<const float> scales) {
    for (const NodeId part : node.parts) {
      for (const ValueId id : network_.node(part).inputs) {
        if (id != kNoValue && id != weights) {
          AddBias(network_.value(id), scale, scales);
        }
      }
    }
  }

  // Adds an operand if it is a constant with an element for each channel.
  void AddBias(const Value& bias, float scale, std::span<const float> scales) {
    const Shape& shape = bias.type.shape;
    if (!bias.constant || bias.type.dtype != DType::kFloat32 ||
        shape.ElementCount() != std::ssize(scales)) {
      return;
    }
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (std::cmp_equal(shape[axis], scales.size())) {
        result_.axes[bias.name] = axis;
      }
    }
    result_.table.entries[bias.name] = EntryOfBias(scale, scales);
  }

  const Graph& network_;
  const PrecisionPlan& plan_;
  PlanEncodings result_;
};

}  // namespace

PlanEncodings EncodingsOf(const Graph& network, const PrecisionPlan& plan) {
  return Encodings(network, plan).Collect();
}

ExportedText WriteEncodings(const Graph& network, const PrecisionPlan& plan, AimetVersion version) {
  PlanEncodings encodings = EncodingsOf(network, plan);
  std::ranges::move(encodings.folded, std::back_inserter(encodings.losses));
  WrittenTable written = WriteAimet(encodings.table, version);
  return {.text = std::move(written.text),
          .losses = std::move(encodings.losses),
          .notes = std::move(written.notes)};
}

}  // namespace halftone
