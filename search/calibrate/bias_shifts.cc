#include "search/calibrate/bias_shifts.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "search/calibrate/float_values.h"
#include "search/calibrate/products.h"
#include "search/space/network_steps.h"
#include "src/exec/integer_steps.h"
#include "src/ir/op_table.h"
#include "src/precision/resolve/node_formats.h"

namespace halftone {
namespace {

// Sums of each channel of the result of a product.
struct ChannelSums {
  std::vector<double> sums;
  std::int64_t each = 0;  // values a channel

  void Add(const Tensor& exact, const Tensor& actual, int axis) {
    const Shape& shape = exact.shape();
    const std::int64_t channels = shape[axis];
    std::int64_t inner = 1;
    for (int i = axis + 1; i < shape.rank(); ++i) {
      inner *= shape[i];
    }
    sums.resize(static_cast<std::size_t>(channels));
    const auto a = exact.values<float>();
    const auto b = actual.values<float>();
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double off = static_cast<double>(a[i]) - static_cast<double>(b[i]);
      const auto channel = static_cast<std::int64_t>(i) / inner % channels;
      sums[static_cast<std::size_t>(channel)] += std::isfinite(off) ? off : 0;
    }
    each += exact.ElementCount() / channels;
  }
};

}  // namespace

BiasShifts LocalBiasShifts(const Graph& graph, const Quantization& quantization,
                           const Dataset& samples, const CompileOptions& compile,
                           const ThreadPool& pool, const std::function<void()>& on_sample) {
  const FloatValues values_of(graph, compile, pool);
  PrecisionPlan plan = ReferencePlan(graph);
  plan.quantization = SharedQuantization(quantization);
  std::map<NodeId, std::unique_ptr<LoneNodes>> nodes;
  std::map<NodeId, ValueId> results;
  const NetworkSteps steps = StepsOf(graph);
  std::map<NodeId, ChannelSums> sums;
  SharedConstants constants;
  for (NodeId n = 0; n < std::ssize(graph.nodes); ++n) {
    const Node& node = graph.node(n);
    if (!IsProduct(graph, node)) {
      continue;
    }
    NodePrecision& precision = plan.nodes[static_cast<std::size_t>(n)];
    ApplyFormat(graph, node, "qint8 to float32", precision);
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
        sums[n].Add(exact, lone->Run(values, pool), axis);
      }
    }
    on_sample();
  }
  BiasShifts shifts;
  for (const auto& [n, of_node] : sums) {
    std::vector<float>& shift = shifts[graph.node(n).name];
    for (const double sum : of_node.sums) {
      shift.push_back(static_cast<float>(sum / static_cast<double>(of_node.each)));
    }
  }
  return shifts;
}

}  // namespace halftone
