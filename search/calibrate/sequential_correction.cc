#include "search/calibrate/sequential_correction.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "search/calibrate/channel_means.h"
#include "search/calibrate/products.h"
#include "search/probe/activation_cache.h"
#include "src/exec/integer_steps.h"
#include "src/precision/resolve/node_formats.h"

namespace halftone {
namespace {

std::size_t Index(int id) {
  return static_cast<std::size_t>(id);
}

// Evenly spaced samples of the dataset.
Dataset Spread(const Dataset& samples) {
  if (samples.empty()) {
    return {};
  }
  std::vector<std::size_t> indices;
  const std::size_t count = std::min(kSequentialSamples, samples.size());
  indices.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    indices.push_back(i * samples.size() / count);
  }
  return samples.Part(indices);
}

Hash128 DigestOfScales(Quantization quantization) {
  quantization.bias_shifts.clear();
  return quantization.Digest();
}

// By step: the values that no later step reads.
std::vector<std::vector<ValueId>> LastReads(const Graph& steps) {
  std::map<ValueId, std::size_t> last_reader;
  for (std::size_t step = 0; step < steps.nodes.size(); ++step) {
    for (const ValueId id : steps.nodes[step].inputs) {
      last_reader[id] = step;
    }
  }
  std::vector<std::vector<ValueId>> reads(steps.nodes.size());
  for (const auto& [id, step] : last_reader) {
    reads[step].push_back(id);
  }
  return reads;
}

}  // namespace

// A product with constant weights, and the BatchNormalization that goes into them.
struct SequentialCorrection::Product {
  NodeId node = kNoNode;
  std::vector<NodeId> nodes;
  int axis = 0;  // of the channels of its result
  // Of float32, per sample: ChannelMeans().
  std::vector<std::vector<std::vector<double>>> means;
  std::unique_ptr<LoneNodes> alone;  // in 8 bits with a float32 result, without a shift
};

SequentialCorrection::SequentialCorrection(const Graph& graph, const Dataset& samples,
                                           const CompileOptions& compile, const ThreadPool& pool)
    : graph_(graph),
      samples_(Spread(samples)),
      compile_(compile),
      pool_(pool),
      steps_(StepsOf(graph)),
      step_graph_(StepGraph(graph, steps_)) {
  for (NodeId n = 0; n < std::ssize(graph.nodes); ++n) {
    const Node& node = graph.node(n);
    if (!IsProduct(graph, node)) {
      continue;
    }
    const auto nodes = ProductAt(graph, steps_, n);
    const Value& result = graph.value(node.outputs[0]);
    if (nodes && result.type.dtype == DType::kFloat32 && result.type.shape.ElementCount() > 0) {
      products_.push_back(std::make_unique<Product>());
      Product& product = *products_.back();
      product.node = n;
      product.nodes = *nodes;
      product.axis = ResultChannelAxis(node, result.type.shape.rank());
    }
  }
}

SequentialCorrection::~SequentialCorrection() = default;

void SequentialCorrection::MeasureFloats() {
  if (!inputs_.empty()) {
    return;
  }
  const FloatValues values_of(graph_, compile_, pool_);
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    Values values = values_of.On(samples_.Read(s));
    for (const auto& product : products_) {
      const ValueId result = graph_.node(product->nodes.back()).outputs[0];
      product->means.push_back(ChannelMeans(values.at(result), product->axis));
    }
    Values& inputs = inputs_.emplace_back();
    for (const ValueId id : graph_.inputs) {
      inputs.emplace(id, std::move(values.at(id)));
    }
    runs_ += 1;
  }
}

const LoneNodes& SequentialCorrection::Alone(Product& product, const PrecisionPlan& plan) {
  if (product.alone == nullptr) {
    PrecisionPlan exact = ReferencePlan(graph_);
    ApplyFormat(graph_, graph_.node(product.node), "qint8 to float32",
                exact.nodes[Index(product.node)]);
    Quantization unshifted = *plan.quantization;
    unshifted.bias_shifts.clear();
    exact.quantization = SharedQuantization(std::move(unshifted));
    product.alone = std::make_unique<LoneNodes>(graph_, product.nodes, exact, compile_);
  }
  return *product.alone;
}

std::vector<float> SequentialCorrection::ShiftsOf(Product& product, const PrecisionPlan& plan,
                                                  const std::vector<Values>& values) {
  const LoneNodes& alone = Alone(product, plan);
  const std::size_t channels = product.means[0][0].size();
  std::vector<std::vector<double>> differences(channels);  // per channel and observation
  for (std::size_t s = 0; s < values.size(); ++s) {
    const auto means = ChannelMeans(alone.Run(values[s], pool_), product.axis);
    for (std::size_t part = 0; part < means.size(); ++part) {
      for (std::size_t c = 0; c < channels; ++c) {
        differences[c].push_back(product.means[s][part][c] - means[part][c]);
      }
    }
  }
  std::vector<float> shifts;
  shifts.reserve(channels);
  for (const std::vector<double>& of_channel : differences) {
    shifts.push_back(static_cast<float>(ShiftOf(of_channel)));
  }
  runs_ += static_cast<double>(values.size() * product.nodes.size()) /
           static_cast<double>(graph_.nodes.size());
  return shifts;
}

std::vector<std::vector<SequentialCorrection::Product*>> SequentialCorrection::ProductsInt8(
    const PrecisionPlan& plan) const {
  std::vector<std::vector<Product*>> of_step(steps_.nodes.size());
  bool has_any = false;
  SharedConstants constants;
  for (const auto& product : products_) {
    const Node& node = graph_.node(product->node);
    NodePrecision precision = plan.node(product->node);
    if (!precision.inputs[0].is_scaled()) {
      continue;
    }
    NodePrecision exact = ReferencePlan(graph_).node(product->node);
    ApplyFormat(graph_, node, "qint8 to float32", exact);
    if (IntegerStepOf(graph_, node, exact, *plan.quantization, constants)) {
      of_step[Index(steps_.step_of[Index(product->node)])].push_back(product.get());
      has_any = true;
    }
  }
  return has_any ? of_step : std::vector<std::vector<Product*>>();
}

std::vector<bool> SequentialCorrection::StepsBefore(
    const std::vector<std::vector<Product*>>& products) const {
  std::vector<bool> before(steps_.nodes.size());
  std::set<ValueId> wanted;
  for (std::size_t step = before.size(); step-- > 0;) {
    const Node& node = step_graph_.nodes[step];
    before[step] =
        std::ranges::any_of(node.outputs, [&](ValueId id) { return wanted.contains(id); });
    if (before[step]) {
      wanted.insert(node.inputs.begin(), node.inputs.end());
    }
    for (const Product* product : products[step]) {
      // Operands of a product that its own step makes are not kept: it is not corrected.
      wanted.insert(graph_.node(product->node).inputs[0]);
    }
  }
  return before;
}

void SequentialCorrection::RunStep(std::size_t step, const PrecisionPlan& plan,
                                   std::vector<Values>& values) const {
  const Subgraph part =
      Expanded(graph_, steps_, PartOf(step_graph_, std::vector{static_cast<NodeId>(step)}));
  const Executable executable = Compile(part.graph, PlanOf(part, plan), compile_);
  for (Values& of_sample : values) {
    std::vector<Tensor> inputs;
    for (const ValueId id : part.graph.inputs) {
      inputs.push_back(of_sample.at(id));
    }
    std::vector<Tensor> made = RunOnce(executable, inputs, pool_);
    for (std::size_t i = 0; i < made.size(); ++i) {
      of_sample.insert_or_assign(part.graph.outputs[i], std::move(made[i]));
    }
  }
}

PrecisionPlan SequentialCorrection::Corrected(const PrecisionPlan& plan) {
  if (!plan.quantization || samples_.empty()) {
    return plan;
  }
  const auto products = ProductsInt8(plan);
  if (products.empty()) {
    return plan;
  }
  MeasureFloats();
  if (const Hash128 scales = DigestOfScales(*plan.quantization); scales != scales_) {
    for (const auto& product : products_) {
      product->alone.reset();
    }
    scales_ = scales;
  }
  const std::vector<bool> runs = StepsBefore(products);
  const std::vector<std::vector<ValueId>> last_reads = LastReads(step_graph_);
  Quantization quantization = *plan.quantization;
  PrecisionPlan corrected = plan;
  std::vector<Values> values = inputs_;
  for (std::size_t step = 0; step < step_graph_.nodes.size(); ++step) {
    for (Product* product : products[step]) {
      if (values[0].contains(graph_.node(product->node).inputs[0])) {
        quantization.bias_shifts[graph_.node(product->node).name] =
            ShiftsOf(*product, plan, values);
      }
    }
    if (!products[step].empty()) {
      corrected.quantization = SharedQuantization(quantization, plan.quantization.source());
    }
    if (runs[step]) {
      RunStep(step, corrected, values);
      runs_ += static_cast<double>(values.size() * steps_.nodes[step].size()) /
               static_cast<double>(graph_.nodes.size());
    }
    for (const ValueId id : last_reads[step]) {
      for (Values& of_sample : values) {
        of_sample.erase(id);
      }
    }
  }
  return corrected;
}

}  // namespace halftone
