// Integer form of functions of one operand: tables by the byte of the operand.
#include <algorithm>
#include <array>
#include <vector>

#include "kernels/kernel_table.h"
#include "kernels/quantized/byte_table.h"
#include "src/exec/integer_task.h"

namespace halftone {
namespace {

ByteScale ByteScaleOf(const ActivationScale& scale) {
  return {.dtype = DType::kUInt8, .scale = scale.scale, .zero_point = scale.zero_point};
}

// Results of a float operator of one operand at the numbers that the bytes of `x` stand for, by its
// reference. Empty: it reads what is no constant.
std::optional<std::vector<float>> ResultsOfBytes(const IntegerTask& task, const ByteScale& x) {
  const Tensor numbers = ByteValues(x);
  const TensorType& type = numbers.type();
  KernelQuery query{
      .op = task.node.op, .attributes = &task.node.attributes, .fusion = &task.node.fusion};
  query.inputs = {&type};
  query.constants = {nullptr};
  std::vector<Tensor> constants;
  constants.reserve(task.node.inputs.size());
  std::vector<const void*> inputs = {numbers.data()};
  for (std::size_t i = 1; i < task.node.inputs.size(); ++i) {
    const Tensor* constant = task.Constant(i);
    if (constant == nullptr && task.Input(i) != kNoValue) {
      return std::nullopt;
    }
    if (constant == nullptr) {
      query.inputs.push_back(nullptr);
      query.constants.push_back(nullptr);
      inputs.push_back(nullptr);
      continue;
    }
    if (constant->ElementCount() != 1) {
      return std::nullopt;
    }
    constants.push_back(Convert(*constant, DType::kFloat32));
    query.inputs.push_back(&constants.back().type());
    query.constants.push_back(&constants.back());
    inputs.push_back(constants.back().data());
  }
  query.outputs = {&type};
  const KernelChoice choice = SelectKernel(query, {.reference_only = true});
  const std::unique_ptr<KernelState> state = choice.entry->prepare(query);
  const std::size_t scratch =
      choice.entry->scratch_bytes == nullptr ? 0 : choice.entry->scratch_bytes(*state);
  Tensor room(DType::kUInt8, Shape{static_cast<std::int64_t>(scratch)});
  std::vector<float> results(static_cast<std::size_t>(numbers.ElementCount()));
  const std::array<void*, 1> outputs = {results.data()};
  choice.entry->run(
      {.state = state.get(), .inputs = inputs, .outputs = outputs, .scratch = room.mutable_data()});
  return results;
}

// A table for each channel, of the operand's scale there to the result's, [channels, 256]; empty:
// as ResultsOfBytes().
std::optional<Tensor> TablesOfChannels(const IntegerTask& task, const ChannelFactors* read,
                                       const ChannelFactors* made) {
  const ActivationScale from = task.ScaleOfValue(task.Input(0));
  const ActivationScale to = task.ScaleOfValue(task.node.outputs.at(0));
  const auto channels = (read != nullptr ? read : made)->factors.size();
  const auto scales_of = [&](const ActivationScale& scale, const ChannelFactors* factors) {
    return factors == nullptr ? std::vector(channels, scale.scale)
                              : ScalesOfChannels(scale, *factors);
  };
  const std::vector<float> read_scales = scales_of(from, read);
  const std::vector<float> made_scales = scales_of(to, made);
  Tensor tables(DType::kUInt8, {static_cast<std::int64_t>(channels), 256});
  std::optional<std::vector<float>> results;
  for (std::size_t c = 0; c < channels; ++c) {
    if (c == 0 || read_scales[c] != read_scales[c - 1]) {
      results = ResultsOfBytes(task, {.scale = read_scales[c], .zero_point = from.zero_point});
    }
    if (!results) {
      return std::nullopt;
    }
    const Tensor table =
        MakeByteTable(*results, {.scale = made_scales[c], .zero_point = to.zero_point});
    std::copy_n(table.data(), table.size_bytes(), tables.mutable_data() + c * table.size_bytes());
  }
  return tables;
}

}  // namespace

// A function of one operand is a table of 256 results: exact with regard to its quantised operand.
// Where operand or result have channel factors, it is a table for each channel; one where f(a x) is
// a f(x) and both have the same.
std::optional<IntegerStep> IntegerFunction(const IntegerTask& task) {
  if (!task.MakesScaled() || !(task.node.fusion == kNoFusion)) {
    return std::nullopt;
  }
  IntegerStep step{.op = OpKind::kQLinearLookup, .attributes = {}, .fusion = {}, .inputs = {}};
  task.AddValue(0, step);
  const ChannelFactors* read = task.FactorsOfValue(task.Input(0));
  const ChannelFactors* made = task.FactorsOfValue(task.node.outputs.at(0));
  if ((read != nullptr || made != nullptr) &&
      !KeepsFactors(task.graph, task.node, task.quantization)) {
    if (read != nullptr && made != nullptr && read->axis != made->axis) {
      return std::nullopt;
    }
    std::optional<Tensor> tables = TablesOfChannels(task, read, made);
    if (!tables) {
      return std::nullopt;
    }
    step.attributes.Set("axis", std::int64_t{(read != nullptr ? read : made)->axis});
    step.inputs.emplace_back(task.Held(*std::move(tables)));
    return step;
  }
  const auto results = ResultsOfBytes(task, ByteScaleOf(task.ScaleOfValue(task.Input(0))));
  if (!results) {
    return std::nullopt;
  }
  step.inputs.emplace_back(
      task.Held(MakeByteTable(*results, ByteScaleOf(task.ScaleOfValue(task.node.outputs.at(0))))));
  return step;
}

}  // namespace halftone
