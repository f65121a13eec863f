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

void AddDifferences(const std::vector<std::vector<double>>& wanted,
                    const std::vector<std::vector<double>>& found, Observations& to) {
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

// A product in its integer form under one quantisation, and what it differs by from float32.
struct IntegerProduct {
  std::size_t quantization;
  LoneNodes alone;
  Observations differences;
};

// The integer forms of one product, which share its result.
struct Product {
  ValueId result;
  std::vector<std::unique_ptr<IntegerProduct>> forms;
};

// Plans in float32, one for each quantisation.
std::vector<PrecisionPlan> FloatPlans(const Graph& graph,
                                      std::span<const Quantization* const> quantizations) {
  std::vector<PrecisionPlan> plans(quantizations.size(), ReferencePlan(graph));
  for (std::size_t q = 0; q < plans.size(); ++q) {
    plans[q].quantization = SharedQuantization(*quantizations[q]);
  }
  return plans;
}

std::map<NodeId, Product> IntegerProducts(const Graph& graph,
                                          std::span<const Quantization* const> quantizations,
                                          const SampleRuns& runs) {
  std::vector<PrecisionPlan> plans = FloatPlans(graph, quantizations);
  const NetworkSteps steps = StepsOf(graph);
  SharedConstants constants;
  std::map<NodeId, Product> products;
  for (NodeId n = 0; n < std::ssize(graph.nodes); ++n) {
    const Node& node = graph.node(n);
    if (!IsProduct(graph, node)) {
      continue;
    }
    if (runs.goes_on && !runs.goes_on()) {
      break;
    }
    const auto product = ProductAt(graph, steps, n);
    for (std::size_t q = 0; q < plans.size() && product; ++q) {
      NodePrecision& precision = plans[q].nodes[static_cast<std::size_t>(n)];
      const NodePrecision in_float32 = precision;
      ApplyFormat(graph, node, "qint8 to float32", precision);
      if (!HasScales(graph, node, precision, *quantizations[q])) {
        precision = in_float32;
        continue;
      }
      if (IntegerStepOf(graph, node, precision, *quantizations[q], constants)) {
        Product& of_node = products[n];
        of_node.result = graph.node(product->back()).outputs[0];
        of_node.forms.push_back(std::make_unique<IntegerProduct>(
            IntegerProduct{q, LoneNodes(graph, *product, plans[q], runs.compile), {}}));
      }
    }
  }
  return products;
}

}  // namespace

std::vector<BiasShifts> LocalBiasShifts(const Graph& graph,
                                        std::span<const Quantization* const> quantizations,
                                        const SampleRuns& runs) {
  const FloatValues values_of(graph, runs.compile, runs.pool);
  const std::map<NodeId, Product> products = IntegerProducts(graph, quantizations, runs);
  for (std::size_t s = 0; s < runs.samples.size(); ++s) {
    const std::map<ValueId, Tensor> values = values_of.On(runs.samples.Read(s));
    for (const auto& [n, product] : products) {
      const Tensor& exact = values.at(product.result);
      if (exact.ElementCount() == 0) {
        continue;
      }
      const int axis = ResultChannelAxis(graph.node(n), exact.shape().rank());
      const auto wanted = ChannelMeans(exact, axis);
      for (const auto& form : product.forms) {
        AddDifferences(wanted, ChannelMeans(form->alone.Run(values, runs.pool), axis),
                       form->differences);
      }
    }
    if (!runs.on_sample()) {
      break;
    }
  }
  std::vector<BiasShifts> shifts(quantizations.size());
  for (const auto& [n, product] : products) {
    for (const auto& form : product.forms) {
      if (form->differences.empty()) {
        continue;
      }
      std::vector<float>& shift = shifts[form->quantization][graph.node(n).name];
      for (const std::vector<double>& of_channel : form->differences) {
        shift.push_back(static_cast<float>(ShiftOf(of_channel)));
      }
    }
  }
  return shifts;
}

}  // namespace halftone
