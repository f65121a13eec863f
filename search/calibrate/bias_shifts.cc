#include "search/calibrate/bias_shifts.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "search/calibrate/channel_means.h"
#include "search/calibrate/float_values.h"
#include "search/calibrate/products.h"
#include "search/space/network_steps.h"
#include "src/exec/integer_steps.h"
#include "src/precision/resolve/node_formats.h"

namespace halftone {
namespace {

using Observations = std::vector<std::vector<double>>;  // per channel

void AddDifferences(const Tensor& exact, const Tensor& actual, int axis, Observations& to) {
  const auto wanted = ChannelMeans(exact, axis);
  const auto found = ChannelMeans(actual, axis);
  to.resize(wanted[0].size());
  for (std::size_t part = 0; part < wanted.size(); ++part) {
    for (std::size_t c = 0; c < to.size(); ++c) {
      to[c].push_back(wanted[part][c] - found[part][c]);
    }
  }
}

// True if every operand in a scaled format has a scale. Values that are float16 in the model have
// none, because they already have 16 bits.
bool HasScales(const Graph& graph, const Node& node, const NodePrecision& precision,
               const Quantization& quantization) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] != kNoValue && precision.inputs[i].is_scaled() &&
        !FindScale(graph, node.inputs[i], quantization)) {
      return false;
    }
  }
  return true;
}

}  // namespace

BiasShifts LocalBiasShifts(const Graph& graph, const Quantization& quantization,
                           const Dataset& samples, const CompileOptions& compile,
                           const ThreadPool& pool, const std::function<bool()>& on_sample,
                           const std::function<bool()>& goes_on) {
  const FloatValues values_of(graph, compile, pool);
  PrecisionPlan plan = ReferencePlan(graph);
  plan.quantization = SharedQuantization(quantization);
  std::map<NodeId, std::unique_ptr<LoneNodes>> nodes;
  std::map<NodeId, ValueId> results;
  const NetworkSteps steps = StepsOf(graph);
  std::map<NodeId, Observations> differences;
  SharedConstants constants;
  for (NodeId n = 0; n < std::ssize(graph.nodes); ++n) {
    const Node& node = graph.node(n);
    if (!IsProduct(graph, node)) {
      continue;
    }
    if (goes_on && !goes_on()) {
      break;
    }
    NodePrecision& precision = plan.nodes[static_cast<std::size_t>(n)];
    const NodePrecision in_float32 = precision;
    ApplyFormat(graph, node, "qint8 to float32", precision);
    if (!HasScales(graph, node, precision, quantization)) {
      precision = in_float32;
      continue;
    }
    const auto product = ProductAt(graph, steps, n);
    if (product && IntegerStepOf(graph, node, precision, quantization, constants)) {
      nodes[n] = std::make_unique<LoneNodes>(graph, *product, plan, compile);
      results[n] = graph.node(product->back()).outputs[0];
    }
  }
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const std::map<ValueId, Tensor> values = values_of.On(samples.Read(s));
    for (const auto& [n, lone] : nodes) {
      const Tensor& exact = values.at(results.at(n));
      const int axis = ResultChannelAxis(graph.node(n), exact.shape().rank());
      if (exact.ElementCount() > 0) {
        AddDifferences(exact, lone->Run(values, pool), axis, differences[n]);
      }
    }
    if (!on_sample()) {
      break;
    }
  }
  BiasShifts shifts;
  for (const auto& [n, of_node] : differences) {
    std::vector<float>& shift = shifts[graph.node(n).name];
    for (const std::vector<double>& of_channel : of_node) {
      shift.push_back(static_cast<float>(ShiftOf(of_channel)));
    }
  }
  return shifts;
}

}  // namespace halftone
