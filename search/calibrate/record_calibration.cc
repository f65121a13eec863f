#include "search/calibrate/record_calibration.h"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "search/calibrate/products.h"
#include "search/calibrate/range_classes.h"
#include "src/exec/fuse_by_plan.h"
#include "src/exec/integer_steps.h"
#include "src/ir/ir_type.h"
#include "src/precision/resolve/node_formats.h"

namespace halftone {
namespace {

// Operands of QLinearConv, QLinearConvTranspose and QLinearMatMul.
constexpr std::size_t kWeightsOperand = 3;
constexpr std::size_t kWeightScalesOperand = 4;
constexpr std::size_t kWeightZerosOperand = 5;

std::size_t Index(ValueId id) {
  return static_cast<std::size_t>(id);
}

std::optional<Spread> FactorSpread(const Quantization& quantization, const std::string& tensor) {
  const auto found = quantization.channel_factors.find(tensor);
  return found == quantization.channel_factors.end()
             ? std::nullopt
             : std::optional(SpreadOf(found->second.factors));
}

// Extents of the channels of the integers, in real numbers.
struct Channels {
  std::vector<WeightRecord::Place> each;
  std::vector<float> scales;  // of those that are not all 0
};

Channels ChannelsOf(const Tensor& integers, std::span<const float> scales,
                    std::span<const std::int8_t> zeros, int axis) {
  const Shape& shape = integers.shape();
  const std::int64_t inner = shape.ElementCount(axis + 1, shape.rank());
  Channels channels;
  channels.each.resize(static_cast<std::size_t>(shape[axis]));
  const auto elements = integers.values<std::int8_t>();
  const auto of = [](const auto& list, std::size_t channel) {
    return static_cast<double>(list[list.size() == 1 ? 0 : channel]);
  };
  for (std::int64_t i = 0; i < std::ssize(elements); ++i) {
    const auto channel = static_cast<std::size_t>(i / inner % shape[axis]);
    const double value =
        of(scales, channel) *
        (static_cast<double>(elements[static_cast<std::size_t>(i)]) - of(zeros, channel));
    WeightRecord::Place& place = channels.each[channel];
    place.low = std::min(place.low, value);
    place.high = std::max(place.high, value);
  }
  for (std::size_t channel = 0; channel < channels.each.size(); ++channel) {
    WeightRecord::Place& place = channels.each[channel];
    place.scale = of(scales, channel);
    if (place.low < 0 || place.high > 0) {
      channels.scales.push_back(scales[scales.size() == 1 ? 0 : channel]);
    }
  }
  return channels;
}

// The axis of the integers along which the channels of the result lie.
int ResultAxisOfWeights(const IntegerStep& step) {
  if (step.op == OpKind::kQLinearConvTranspose) {
    return step.attributes.Int("group", 1) == 1 ? 1 : 0;
  }
  return step.op == OpKind::kQLinearConv ? 0 : 1;
}

// At most kRecordPlaces of them, each the hull of neighbours.
void AddPlaces(const std::vector<WeightRecord::Place>& channels, WeightRecord& weight) {
  const std::size_t each = (channels.size() + kRecordPlaces - 1) / kRecordPlaces;
  weight.channels_a_place = static_cast<std::int64_t>(std::max<std::size_t>(each, 1));
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (i % each == 0) {
      weight.places.emplace_back();
    }
    WeightRecord::Place& place = weight.places.back();
    place.low = std::min(place.low, channels[i].low);
    place.high = std::max(place.high, channels[i].high);
    place.scale = std::max(place.scale, channels[i].scale);
  }
}

class Recorder {
 public:
  Recorder(const Graph& graph, const Quantization& quantization,
           const std::map<std::string, CalibratedTensor>& tensors)
      : graph_(graph),
        quantization_(quantization),
        calibrated_(tensors),
        sources_(RangeSources(graph)) {}

  CalibrationRecord Run(QuantizationSource source) {
    CalibrationRecord record{.source = std::move(source),
                             .per_channel_weights = quantization_.per_channel_weights};
    const std::vector<NodeId> producers = ProducersOf(graph_);
    std::vector<std::vector<std::string>> readers(graph_.values.size());
    for (const Node& node : graph_.nodes) {
      for (const ValueId id : node.inputs) {
        if (id != kNoValue &&
            (readers[Index(id)].empty() || readers[Index(id)].back() != node.name)) {
          readers[Index(id)].push_back(node.name);
        }
      }
    }
    for (const ValueId id : InOrder(producers)) {
      const Value& value = graph_.value(id);
      const auto scale = quantization_.activations.find(value.name);
      if (scale == quantization_.activations.end()) {
        continue;
      }
      TensorRecord tensor{.name = value.name,
                          .type = value.type.ToString(),
                          .producer = {},
                          .op = {},
                          .readers = readers[Index(id)],
                          .scale = scale->second,
                          .factors = FactorSpread(quantization_, value.name)};
      if (const NodeId producer = producers[Index(id)]; producer != kNoNode) {
        tensor.producer = graph_.node(producer).name;
        tensor.op = IrTypeOf(graph_, graph_.node(producer));
      }
      AddSeen(id, tensor);
      record.tensors.push_back(std::move(tensor));
    }
    record.weights = Weights();
    return record;
  }

 private:
  // Inputs of the network, then results of its nodes.
  [[nodiscard]] std::vector<ValueId> InOrder(const std::vector<NodeId>& producers) const {
    std::vector<ValueId> order;
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      if (!graph_.values[i].constant) {
        order.push_back(static_cast<ValueId>(i));
      }
    }
    std::ranges::stable_sort(order, {}, [&](ValueId id) { return producers[Index(id)]; });
    return order;
  }

  void AddSeen(ValueId id, TensorRecord& tensor) const {
    const auto found = calibrated_.find(tensor.name);
    if (found == calibrated_.end()) {
      return;
    }
    const TensorStatistics& statistics = found->second.statistics;
    const std::string& source = graph_.value(sources_[Index(id)]).name;
    tensor.seen = TensorRecord::Seen{.method = found->second.method,
                                     .observed = statistics.observed,
                                     .loss = LossByScale(statistics.histogram, tensor.scale),
                                     .source = source};
    if (source == tensor.name) {
      tensor.histogram = Coarsened(statistics.histogram, kRecordBins);
    }
  }

  // Products that have scales for what they read, with float32 results: nothing else is asked of
  // their neighbours.
  [[nodiscard]] std::vector<WeightRecord> Weights() const {
    PrecisionPlan plan = ReferencePlan(graph_);
    plan.quantization = SharedQuantization(quantization_);
    std::map<std::string, const Node*> products;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      if (IsProduct(graph_, node) &&
          quantization_.activations.contains(graph_.value(node.inputs[0]).name)) {
        ApplyFormat(graph_, node, "qint8 to float32", plan.nodes[n]);
        products.emplace(node.name, &node);
      }
    }
    const FusedNetwork fused = FuseByPlan(graph_, plan, nullptr);
    SharedConstants constants;
    std::vector<WeightRecord> weights;
    for (std::size_t n = 0; n < fused.graph.nodes.size(); ++n) {
      const auto product = products.find(fused.graph.nodes[n].name);
      if (product == products.end()) {
        continue;
      }
      const auto step = IntegerStepOf(fused.graph, fused.graph.nodes[n], fused.plan.nodes[n],
                                      quantization_, constants);
      if (step) {
        weights.push_back(RecordOf(*product->second, *step));
      }
    }
    return weights;
  }

  [[nodiscard]] WeightRecord RecordOf(const Node& node, const IntegerStep& step) const {
    WeightRecord weight{.name = graph_.value(node.inputs[1]).name,
                        .node = node.name,
                        .op = std::string(IrTypeOf(graph_, node))};
    const int axis = ResultAxisOfWeights(step);
    const Channels channels =
        ChannelsOf(std::get<Tensor>(step.inputs[kWeightsOperand]),
                   std::get<Tensor>(step.inputs[kWeightScalesOperand]).values<float>(),
                   std::get<Tensor>(step.inputs[kWeightZerosOperand]).values<std::int8_t>(), axis);
    weight.channels = std::ssize(channels.each);
    weight.zero_channels = std::ssize(channels.each) - std::ssize(channels.scales);
    weight.scales = SpreadOf(channels.scales);
    weight.factors = FactorSpread(quantization_, graph_.value(node.inputs[0]).name);
    weight.bias_shifts = ShiftSpread(quantization_, node.name);
    AddPlaces(channels.each, weight);
    return weight;
  }

  const Graph& graph_;
  const Quantization& quantization_;
  const std::map<std::string, CalibratedTensor>& calibrated_;
  std::vector<ValueId> sources_;
};

}  // namespace

CalibrationRecord RecordCalibration(const Graph& graph, const Quantization& quantization,
                                    const std::map<std::string, CalibratedTensor>& tensors,
                                    QuantizationSource source) {
  return Recorder(graph, quantization, tensors).Run(std::move(source));
}

}  // namespace halftone
