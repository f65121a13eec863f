#include "search/calibrate/reader_ranges.h"

#include <algorithm>
#include <memory>

#include "search/calibrate/float_values.h"
#include "search/calibrate/range_classes.h"
#include "search/calibrate/relative_error.h"
#include "src/ir/op_table.h"
#include "src/quantization/quantize.h"
#include "src/quantization/schemes.h"

namespace halftone {
namespace {

// An operator that computes from a value, directly or through movers, and the value that it reads.
struct Reader {
  NodeId node;
  ValueId reads;
};

std::map<ValueId, std::vector<Reader>> ReadersOf(
    const Graph& graph, const std::map<ValueId, std::vector<ValueRange>>& candidates) {
  const std::vector<ValueId> sources = RangeSources(graph);
  std::map<ValueId, std::vector<Reader>> readers;
  for (NodeId n = 0; n < std::ssize(graph.nodes); ++n) {
    const Node& node = graph.node(n);
    const OpInfo& info = InfoOf(node.op);
    if (info.Is(kMovesData) || info.Is(kIsView) || node.op == OpKind::kMaxPool ||
        node.outputs.empty() || node.outputs[0] == kNoValue ||
        graph.value(node.outputs[0]).type.dtype != DType::kFloat32) {
      continue;
    }
    for (const ValueId id : node.inputs) {
      if (id != kNoValue && !graph.value(id).constant) {
        const ValueId source = sources[static_cast<std::size_t>(id)];
        auto& of_value = readers[source];
        const bool known =
            std::ranges::any_of(of_value, [&](const Reader& reader) { return reader.node == n; });
        if (candidates.contains(source) && !known) {
          of_value.push_back({n, id});
        }
      }
    }
  }
  return readers;
}

}  // namespace

std::map<ValueId, std::size_t> BestAtReaders(
    const Graph& graph, const std::map<ValueId, std::vector<ValueRange>>& candidates,
    const std::map<ValueId, ChannelFactors>& factors, const SampleRuns& runs) {
  const auto factors_of = [&](ValueId value) {
    const auto found = factors.find(value);
    return found == factors.end() ? nullptr : &found->second;
  };
  const FloatValues values_of(graph, runs.compile, runs.pool);
  const PrecisionPlan plan = ReferencePlan(graph);
  const auto readers = ReadersOf(graph, candidates);
  std::map<NodeId, std::unique_ptr<LoneNodes>> nodes;
  for (const auto& [value, of_value] : readers) {
    for (const Reader& reader : of_value) {
      if (!nodes.contains(reader.node)) {
        nodes[reader.node] =
            std::make_unique<LoneNodes>(graph, std::vector{reader.node}, plan, runs.compile);
      }
    }
  }
  std::map<ValueId, std::vector<double>> errors;
  bool in_time = true;
  for (std::size_t s = 0; s < runs.samples.size() && in_time; ++s) {
    std::map<ValueId, Tensor> values = values_of.On(runs.samples.Read(s));
    for (const auto& [value, ranges] : candidates) {
      in_time = !runs.goes_on || runs.goes_on();
      if (!in_time) {
        break;
      }
      std::vector<double>& of_value = errors[value];
      of_value.resize(ranges.size());
      const auto found = readers.find(value);
      const std::vector<Reader> read_by =
          found == readers.end() ? std::vector<Reader>() : found->second;
      for (std::size_t c = 0; c < ranges.size(); ++c) {
        const std::size_t same =
            static_cast<std::size_t>(std::ranges::find(ranges, ranges[c]) - ranges.begin());
        if (same < c) {  // known already, and never better
          of_value[c] = of_value[same];
          continue;
        }
        const ActivationScale scale = ActivationScaleOf(ranges[c]);
        if (read_by.empty()) {
          of_value[c] += RelativeError(values.at(value),
                                       RoundedBy(values.at(value), scale, factors_of(value)));
        }
        for (const Reader& reader : read_by) {
          const Tensor exact = values.at(reader.reads);
          const Tensor& result = values.at(graph.node(reader.node).outputs[0]);
          values.at(reader.reads) = RoundedBy(exact, scale, factors_of(reader.reads));
          of_value[c] += RelativeError(result, nodes.at(reader.node)->Run(values, runs.pool));
          values.at(reader.reads) = exact;
        }
      }
    }
    in_time = in_time && runs.on_sample();
  }
  std::map<ValueId, std::size_t> best;
  for (const auto& [value, of_value] : errors) {
    best[value] = static_cast<std::size_t>(std::ranges::min_element(of_value) - of_value.begin());
  }
  return best;
}

}  // namespace halftone
