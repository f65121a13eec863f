#include "src/export/rounded_tensors.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/exec/channel_factors.h"
#include "src/exec/clipped_weights.h"
#include "src/exec/integer_steps.h"
#include "src/quantization/quantize.h"

namespace halftone {
namespace {

// int8 has the value of uint8 less this.
constexpr std::int32_t kMiddle = 128;

std::string_view ShortWord(NumericFormat format) {
  return format == DType::kFloat16 ? "fp16" : "bf16";
}

Tensor Int8Of(const Tensor& bytes) {
  Tensor shifted(DType::kInt8, bytes.shape());
  for (std::int64_t i = 0; i < bytes.ElementCount(); ++i) {
    shifted.mutable_data()[i] = bytes.data()[i] ^ std::byte{kMiddle};
  }
  return shifted;
}

}  // namespace

bool IsRounding(NumericFormat format) {
  return format.is_scaled() || format == DType::kFloat16 || format == DType::kBFloat16;
}

RoundedTensors::RoundedTensors(onnx::GraphProto& file, onnx::GraphProto& made, const Graph& graph,
                               const PrecisionPlan& plan, QdqFlavour flavour,
                               const std::set<std::string>& outputs)
    : made_(made), graph_(graph), plan_(plan), flavour_(flavour), outputs_(outputs), parts_(file) {}

bool RoundedTensors::KeepsType(const Value& value) {
  return IsFloating(value.type.dtype) && value.type.dtype != DType::kFloat32;
}

void RoundedTensors::SetFormat(ValueId id, NumericFormat format) {
  const Value& value = graph_.value(id);
  if (!IsRounding(format) && !format.is_dtype()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("tensor '{}' is in {}, which no ONNX operator rounds to; expected "
                            "qint8, float16, bfloat16 or float32",
                            value.name, NameOf(format)));
  }
  if (!KeepsType(value)) {
    formats_[id] = format;
    return;
  }
  formats_[id] = value.type.dtype;
  if (format != value.type.dtype) {
    kept_types_.push_back(LossOf(value.name, format, std::string(NameOf(value.type.dtype)),
                                 "tensors that the model has in another floating type than "
                                 "float32, which keep it"));
  }
}

bool RoundedTensors::Rounds(ValueId value) const {
  const auto found = formats_.find(value);
  return found != formats_.end() && IsRounding(found->second) &&
         found->second != graph_.value(value).type.dtype;
}

std::string RoundedTensors::RawName(ValueId value) {
  const std::string& name = graph_.value(value).name;
  raw_[value] = Rounds(value) && outputs_.contains(name)
                    ? parts_.FreeName(name + "_QuantizeLinear_Input")
                    : name;
  return raw_.at(value);
}

void RoundedTensors::RoundMade(ValueId value) {
  if (!Rounds(value)) {
    return;
  }
  const std::string& name = graph_.value(value).name;
  const std::string raw = raw_.at(value);
  const NumericFormat format = formats_.at(value);
  rounded_[{value, format}] = Round(name, raw, value, format, raw == name ? "" : name);
}

const ChannelFactors* RoundedTensors::Factors(ValueId value) const {
  return plan_.quantization ? FactorsOf(graph_, value, *plan_.quantization) : nullptr;
}

void RoundedTensors::ScaleChannels(std::string_view op, const ChannelFactors& factors,
                                   ValueId value, const std::string& from, const std::string& to) {
  std::vector<std::int64_t> dims(static_cast<std::size_t>(graph_.value(value).type.shape.rank()),
                                 1);
  dims[static_cast<std::size_t>(factors.axis)] = std::ssize(factors.factors);
  const std::string constant = parts_.AddTensor(
      to + "_factors", Tensor::From<float>(Shape(std::move(dims)), factors.factors));
  AddNode(MakeNode(op, parts_.FreeName(fmt::format("{}_{}", to, op)), {from, constant}, to));
}

std::string RoundedTensors::Undivided(ValueId value, const ChannelFactors& factors,
                                      const std::string& divided) {
  const auto known = undivided_.find(value);
  if (known != undivided_.end()) {
    return known->second;
  }
  std::string name = parts_.FreeName(graph_.value(value).name + "_undivided");
  ScaleChannels("Mul", factors, value, divided, name);
  undivided_[value] = name;
  return name;
}

std::string RoundedTensors::NameIn(ValueId value, NumericFormat format) {
  std::string name = DividedIn(value, format);
  const bool scaled = format.is_scaled() ||
                      (!IsRounding(format) && Rounds(value) && formats_.at(value).is_scaled());
  const ChannelFactors* factors = scaled ? Factors(value) : nullptr;
  return factors == nullptr ? name : Undivided(value, *factors, name);
}

std::string RoundedTensors::DividedIn(ValueId value, NumericFormat format) {
  const Value& of = graph_.value(value);
  const bool rounds = Rounds(value);
  const auto as_made = [&] {
    return rounds ? rounded_.at({value, formats_.at(value)}) : raw_.at(value);
  };
  if (!of.constant && (!IsRounding(format) || (rounds && format == formats_.at(value)))) {
    return as_made();
  }
  const auto known = rounded_.find({value, format});
  if (known != rounded_.end()) {
    return known->second;
  }
  std::string name = of.constant
                         ? RoundedConstant(value, format)
                         : Round(of.name, NameIn(value, NumericFormat()), value, format, "");
  rounded_[{value, format}] = name;
  return name;
}

// A pair of nodes that rounds `from`; `to`: the name of its result, if it has to have one. Of a
// value with channel factors in one scale: x / f.
std::string RoundedTensors::Round(const std::string& name, const std::string& from, ValueId value,
                                  NumericFormat format, std::string to) {
  ++count_;
  if (!format.is_scaled()) {
    return CastPair(name, from, format, std::move(to));
  }
  const auto [scale, zero_point] = AddScale(name, ScaleOf(graph_, value, *plan_.quantization));
  const ChannelFactors* factors = Factors(value);
  std::string source = from;
  if (factors != nullptr && !divided_.contains(value)) {
    source = parts_.FreeName(name + "_divided");
    ScaleChannels("Div", *factors, value, from, source);
  }
  // The name that is asked for is that of x.
  const std::string undivided = factors == nullptr ? "" : std::exchange(to, "");
  const std::string integers = parts_.FreeName(name + "_QuantizeLinear_Output");
  to = to.empty() ? parts_.FreeName(name + "_DequantizeLinear_Output") : to;
  AddNode(MakeNode("QuantizeLinear", parts_.FreeName(name + "_QuantizeLinear"),
                   {source, scale, zero_point}, integers));
  AddNode(MakeNode("DequantizeLinear", parts_.FreeName(name + "_DequantizeLinear"),
                   {integers, scale, zero_point}, to));
  if (!undivided.empty()) {
    ScaleChannels("Mul", *factors, value, to, undivided);
    undivided_[value] = undivided;
  }
  return to;
}

std::string RoundedTensors::CastPair(const std::string& name, const std::string& from,
                                     NumericFormat format, std::string to) {
  const std::string low = parts_.FreeName(fmt::format("{}_round_{}", name, ShortWord(format)));
  to = to.empty() ? parts_.FreeName(fmt::format("{}_rounded_{}", name, ShortWord(format))) : to;
  onnx::NodeProto down = MakeNode("Cast", parts_.FreeName(low + "_Cast"), {from}, low);
  SetInt(down, "to", RowOf(format.dtype()).onnx_type);
  AddNode(std::move(down));
  onnx::NodeProto up = MakeNode("Cast", parts_.FreeName(low + "_Cast_back"), {low}, to);
  SetInt(up, "to", onnx::TensorProto::FLOAT);
  AddNode(std::move(up));
  return to;
}

std::string RoundedTensors::RoundedConstant(ValueId id, NumericFormat format) {
  const Value& value = graph_.value(id);
  if (!format.is_scaled()) {
    ClippedWeight clipped;
    const Tensor low = ConvertWeight(*value.constant, format, plan_.clip_weights, clipped);
    return parts_.AddTensor(fmt::format("{}_rounded_{}", value.name, ShortWord(format)),
                            Convert(low, DType::kFloat32));
  }
  const ActivationScale scale = ScaleFor(value.name, ScaleOf(graph_, id, *plan_.quantization));
  const Tensor bytes = QuantizedBy(*value.constant, scale);
  const std::string integers = parts_.AddTensor(
      value.name + "_quantized", flavour_ == QdqFlavour::kTensorRt ? Int8Of(bytes) : bytes);
  const auto [scale_name, zero_point] = AddScale(value.name, scale);
  return Dequantize(value.name, {integers, scale_name, zero_point}, std::nullopt);
}

std::string RoundedTensors::Dequantize(const std::string& name,
                                       const std::vector<std::string>& inputs,
                                       std::optional<std::int64_t> axis) {
  std::string to = parts_.FreeName(name + "_DequantizeLinear_Output");
  onnx::NodeProto node =
      MakeNode("DequantizeLinear", parts_.FreeName(name + "_DequantizeLinear"), inputs, to);
  if (axis) {
    SetInt(node, "axis", *axis);
  }
  AddNode(std::move(node));
  return to;
}

ActivationScale RoundedTensors::ScaleFor(const std::string& name, const ActivationScale& scale) {
  scaled_.insert(name);
  if (flavour_ == QdqFlavour::kOrt || scale.zero_point == kMiddle) {
    return scale;
  }
  const ActivationScale wider = AroundZero(scale);
  wider_[name] = static_cast<double>(wider.scale) / static_cast<double>(scale.scale);
  return wider;
}

std::pair<std::string, std::string> RoundedTensors::AddScale(const std::string& name,
                                                             const ActivationScale& of_plan) {
  const ActivationScale scale = ScaleFor(name, of_plan);
  std::string scale_name =
      parts_.AddTensor(name + "_scale", Tensor::From<float>({}, std::vector{scale.scale}));
  const Tensor zero =
      flavour_ == QdqFlavour::kOrt
          ? Tensor::From<std::uint8_t>({}, std::vector{static_cast<std::uint8_t>(scale.zero_point)})
          : Tensor::From<std::int8_t>({}, std::vector{std::int8_t{0}});
  return {std::move(scale_name), parts_.AddTensor(name + "_zero_point", zero)};
}

void RoundedTensors::AddNode(onnx::NodeProto node) {
  *made_.add_node() = std::move(node);
}

std::string RoundedTensors::WiderSteps() const {
  if (wider_.empty()) {
    return {};
  }
  const auto worst =
      std::ranges::max_element(wider_, {}, [](const auto& entry) { return entry.second; });
  return fmt::format(
      "TensorRT has no zero points: the step of {} of {} tensors is wider than in the plan, that "
      "of '{}' by a factor of {:.2f}; the accuracy that was measured is not that of this file "
      "(calibrate symmetrically to keep it)",
      wider_.size(), scaled_.size(), worst->first, worst->second);
}

std::vector<Loss> RoundedTensors::WiderTensors() const {
  std::vector<Loss> losses;
  for (const auto& [name, factor] : wider_) {
    losses.push_back({name, "int8 with a zero point",
                      fmt::format("int8, steps {:.2f} times as wide", factor),
                      "TensorRT has no zero points"});
  }
  return losses;
}

}  // namespace halftone
