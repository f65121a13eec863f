#include "search/measure/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "src/target/destinations.h"

namespace halftone {
namespace {

// Figures of Ascend310P3 (src/target/specs/ascend310p.ini), for a target without its own.
constexpr double kFloat16OfOthers = 70e12;
constexpr double kBandwidthOfOthers = 204.8e9;
constexpr double kFloat32Share = 0.25;  // of the rate in float16, where no figure says
constexpr double kInt8Share = 2;        // likewise

// What holds a tensor: integers in a scaled format.
DType StorageOf(NumericFormat format) {
  return format.is_scaled() ? format.row().stored : format.dtype();
}

double FigureOr(const TargetSpec& target, std::string_view name, std::string_view unit,
                double scale, double missing) {
  const auto found = std::ranges::find_if(target.roofline, [&](const RooflineFigure& figure) {
    return figure.name == name && figure.unit == unit;
  });
  return found == target.roofline.end() ? missing : found->value * scale;
}

const Shape* ShapeOf(const Graph& graph, const std::vector<ValueId>& ids, std::size_t index) {
  return index < ids.size() && ids[index] != kNoValue ? &graph.value(ids[index]).type.shape
                                                      : nullptr;
}

double Elements(const Shape* shape) {
  return shape == nullptr ? 0 : static_cast<double>(shape->ElementCount());
}

double Extent(const Shape& shape, int axis) {
  return static_cast<double>(shape[axis]);
}

// Tensors that layers read in 8 bits and that make float16 (kQuantizedInFloat16): ATC fuses their
// quantisation into what makes them.
class FusedQuantization {
 public:
  FusedQuantization(const Graph& graph, const PrecisionPlan& plan) {
    read_as_floats_.insert(graph.outputs.begin(), graph.outputs.end());
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      const NodePrecision& precision = plan.nodes[n];
      const bool is_layer = !precision.outputs.empty() && precision.outputs[0] == DType::kFloat16;
      for (std::size_t i = 0; i < graph.nodes[n].inputs.size(); ++i) {
        const ValueId id = graph.nodes[n].inputs[i];
        if (is_layer && precision.inputs[i].is_scaled()) {
          formats_.emplace(id, precision.inputs[i]);
        } else {
          read_as_floats_.insert(id);
        }
      }
    }
  }

  // What is written of a result in `made`: the integers alone where nothing reads it in floats.
  [[nodiscard]] NumericFormat Written(ValueId id, NumericFormat made) const {
    const auto format = formats_.find(id);
    return format == formats_.end() || read_as_floats_.contains(id) ? made : format->second;
  }

  [[nodiscard]] bool Has(ValueId id) const { return formats_.contains(id); }

 private:
  std::map<ValueId, NumericFormat> formats_;
  std::set<ValueId> read_as_floats_;
};

}  // namespace

double ProductOperations(const Graph& graph, const Node& node) {
  const Shape* x = ShapeOf(graph, node.inputs, 0);
  const Shape* w = ShapeOf(graph, node.inputs, 1);
  const Shape* y = ShapeOf(graph, node.outputs, 0);
  if (x == nullptr || w == nullptr || x->rank() == 0 || w->rank() == 0 || Elements(x) == 0 ||
      Elements(w) == 0) {
    return 0;
  }
  switch (node.op) {
    case OpKind::kConv:  // weights [M, C / groups, kernel]: so many products a result
      return 2 * Elements(y) * Elements(w) / Extent(*w, 0);
    case OpKind::kConvTranspose:  // weights [C, M / groups, kernel]: an element of x meets a row
      return 2 * Elements(x) * Elements(w) / Extent(*w, 0);
    case OpKind::kMatMul:
      return 2 * Elements(y) * Extent(*x, x->rank() - 1);
    case OpKind::kGemm:  // A has M * K elements
      return y == nullptr || y->rank() == 0 ? 0 : 2 * Elements(x) * Elements(y) / Extent(*y, 0);
    case OpKind::kLstm:
    case OpKind::kGru:
    case OpKind::kRnn: {  // x [steps, batch, inputs]
      const Shape* r = ShapeOf(graph, node.inputs, 2);
      return x->rank() < 3 ? 0 : 2 * Extent(*x, 0) * Extent(*x, 1) * (Elements(w) + Elements(r));
    }
    default:
      return 0;
  }
}

double ScaledShare(const Graph& graph, const PrecisionPlan& plan) {
  double all = 0;
  double scaled = 0;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const double operations = ProductOperations(graph, graph.nodes[n]);
    all += operations;
    scaled += plan.nodes[n].compute_format().has_scale() ? operations : 0;
  }
  return all > 0 ? scaled / all : 0;
}

Roofline::Roofline(const TargetSpec& target)
    : target_(target),
      float16_(FigureOr(target, "cube_float16", "TFLOP/s", 1e12, kFloat16OfOthers)),
      bfloat16_(FigureOr(target, "cube_bfloat16", "TFLOP/s", 1e12, float16_)),
      float32_(FigureOr(target, "cube_float32", "TFLOP/s", 1e12, kFloat32Share * float16_)),
      int8_(FigureOr(target, "cube_int8", "TOP/s", 1e12, kInt8Share * float16_)),
      bandwidth_(FigureOr(target, "memory_bandwidth", "GB/s", 1e9, kBandwidthOfOthers)) {
  if (target.destination != nullptr) {
    border_ = target.destination->conversion;
    casts_outputs_ = true;
    description_ = fmt::format(
        "predicted for {} by the roofline of {:.3g} TOP/s in int8, {:.3g} TFLOP/s in float32 and "
        "{:.3g} GB/s",
        target.destination->runtime, int8_ / 1e12, float32_ / 1e12, bandwidth_ / 1e9);
    return;
  }
  const bool own = FigureOr(target, "cube_float16", "TFLOP/s", 1, 0) > 0 &&
                   FigureOr(target, "memory_bandwidth", "GB/s", 1, 0) > 0;
  description_ = fmt::format(
      "predicted for {} by the roofline of {:.3g} TFLOP/s in float16 and "
      "{:.3g} GB/s{}",
      target.name, float16_ / 1e12, bandwidth_ / 1e9,
      own ? "" : " (of Ascend310P3: its own data file has no figures)");
}

StepTimes Roofline::StepsOf(const Graph& graph, const PrecisionPlan& plan, double unit) const {
  std::map<ValueId, NumericFormat> made;  // the format in which a value lies
  std::set<std::pair<ValueId, DType>> cast;
  const FusedQuantization fused(graph, plan);
  StepTimes times;
  const auto bytes_of = [&](ValueId id, DType dtype) {
    return static_cast<double>(graph.value(id).type.shape.ElementCount()) *
           static_cast<double>(SizeOf(dtype));
  };
  const auto add_cast = [&](ValueId id, double bytes) {
    const double seconds = border_ * bytes / bandwidth_;
    times.casts.emplace_back(static_cast<double>(graph.value(id).type.shape.ElementCount()),
                             seconds / unit);
    times.total += seconds / unit;
  };
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const NodePrecision& precision = plan.nodes[n];
    double bytes = 0;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == kNoValue) {
        continue;
      }
      const DType dtype = StorageOf(precision.inputs[i]);
      bytes += bytes_of(id, dtype);
      const auto lies = made.find(id);
      const DType from = lies != made.end() ? StorageOf(lies->second) : graph.value(id).type.dtype;
      // Constants are cast when the network is compiled.
      if (from != dtype && !graph.value(id).constant && cast.emplace(id, dtype).second) {
        // What makes the tensor has it at hand.
        const bool is_fused = lies != made.end() && dtype == DType::kUInt8 && fused.Has(id);
        add_cast(id, (is_fused ? 0 : bytes_of(id, from)) + bytes_of(id, dtype));
      }
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNoValue) {
        const NumericFormat written = fused.Written(node.outputs[i], precision.outputs[i]);
        bytes += bytes_of(node.outputs[i], StorageOf(written));
        made.insert_or_assign(node.outputs[i], written);
      }
    }
    const DType computed = StorageOf(precision.compute_format());
    const double rate = computed == DType::kUInt8      ? int8_
                        : computed == DType::kFloat16  ? float16_
                        : computed == DType::kBFloat16 ? bfloat16_
                                                       : float32_;
    const double seconds = std::max(ProductOperations(graph, node) / rate, bytes / bandwidth_);
    times.nodes[node.name] += seconds / unit;
    times.total += seconds / unit;
  }
  for (const ValueId id : casts_outputs_ ? graph.outputs : std::vector<ValueId>()) {
    const auto lies = made.find(id);
    const DType outside = graph.value(id).type.dtype;
    if (lies != made.end() && StorageOf(lies->second) != outside &&
        cast.emplace(id, outside).second) {
      add_cast(id, bytes_of(id, StorageOf(lies->second)) + bytes_of(id, outside));
    }
  }
  return times;
}

}  // namespace halftone
