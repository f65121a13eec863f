#include "search/calibrate/reader_ranges.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

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

// False for operators that move data, and for those without a float32 result.
bool ComputesFloats(const Graph& graph, const Node& node) {
  const OpInfo& info = InfoOf(node.op);
  return !info.Is(kMovesData) && !info.Is(kIsView) && node.op != OpKind::kMaxPool &&
         !node.outputs.empty() && node.outputs[0] != kNoValue &&
         graph.value(node.outputs[0]).type.dtype == DType::kFloat32;
}

using Candidates = std::map<ValueId, std::vector<ValueRange>>;
using ReadersOfValues = std::map<ValueId, std::vector<Reader>>;

ReadersOfValues ReadersOf(const Graph& graph, const Candidates& candidates) {
  const std::vector<ValueId> sources = RangeSources(graph);
  ReadersOfValues readers;
  for (NodeId n = 0; n < std::ssize(graph.nodes); ++n) {
    const Node& node = graph.node(n);
    if (!ComputesFloats(graph, node)) {
      continue;
    }
    for (const ValueId id : node.inputs) {
      if (id == kNoValue || graph.value(id).constant) {
        continue;
      }
      const ValueId source = sources[static_cast<std::size_t>(id)];
      if (!candidates.contains(source)) {
        continue;
      }
      std::vector<Reader>& of_value = readers[source];
      if (of_value.empty() || of_value.back().node != n) {
        of_value.push_back({n, id});
      }
    }
  }
  return readers;
}

// The errors of candidate ranges, each at the readers of its value.
class RangeErrors {
 public:
  RangeErrors(const Graph& graph, const Candidates& candidates,
              const std::map<ValueId, ChannelFactors>& factors, const SampleRuns& runs)
      : graph_(graph), factors_(factors), pool_(runs.pool), readers_(ReadersOf(graph, candidates)) {
    const PrecisionPlan plan = ReferencePlan(graph);
    for (const auto& [value, of_value] : readers_) {
      for (const Reader& reader : of_value) {
        if (!nodes_.contains(reader.node)) {
          nodes_[reader.node] =
              std::make_unique<LoneNodes>(graph, std::vector{reader.node}, plan, runs.compile);
        }
      }
    }
  }

  // Adds the errors of the ranges of `value` on one sample. `values` are the same afterwards.
  void Add(ValueId value, const std::vector<ValueRange>& ranges, std::map<ValueId, Tensor>& values,
           std::vector<double>& errors) const {
    errors.resize(ranges.size());
    const auto readers = readers_.find(value);
    if (readers == readers_.end()) {
      const Tensor& exact = values.at(value);
      AddEach(ranges, value, exact, ReferencePower(exact), std::identity(), errors);
      return;
    }
    for (const Reader& reader : readers->second) {
      const Tensor exact = values.at(reader.reads);
      const auto result_for = [&](Tensor rounded) {
        values.at(reader.reads) = std::move(rounded);
        return nodes_.at(reader.node)->Run(values, pool_);
      };
      AddEach(ranges, reader.reads, exact,
              ReferencePower(values.at(graph_.node(reader.node).outputs[0])), result_for, errors);
      values.at(reader.reads) = exact;
    }
  }

 private:
  // Adds, for each range, the error of the result for `exact` rounded by it, a tensor of `value`.
  template <typename ResultFor>
  void AddEach(const std::vector<ValueRange>& ranges, ValueId value, const Tensor& exact,
               const ReferencePower& result, const ResultFor& result_for,
               std::vector<double>& errors) const {
    std::vector<double> added(ranges.size());
    for (std::size_t c = 0; c < ranges.size(); ++c) {
      const auto same =
          static_cast<std::size_t>(std::ranges::find(ranges, ranges[c]) - ranges.begin());
      if (same == c) {  // else known already, and never better
        const ActivationScale scale = ActivationScaleOf(ranges[c]);
        added[c] = RelativeError(result, result_for(RoundedBy(exact, scale, FactorsAt(value))));
      } else {
        added[c] = added[same];
      }
      errors[c] += added[c];
    }
  }

  // Null: the value has none.
  [[nodiscard]] const ChannelFactors* FactorsAt(ValueId value) const {
    const auto found = factors_.find(value);
    return found == factors_.end() ? nullptr : &found->second;
  }

  const Graph& graph_;
  const std::map<ValueId, ChannelFactors>& factors_;
  const ThreadPool& pool_;
  ReadersOfValues readers_;
  std::map<NodeId, std::unique_ptr<LoneNodes>> nodes_;
};

}  // namespace

std::map<ValueId, std::size_t> BestAtReaders(
    const Graph& graph, const std::map<ValueId, std::vector<ValueRange>>& candidates,
    const std::map<ValueId, ChannelFactors>& factors, const SampleRuns& runs) {
  const FloatValues values_of(graph, runs.compile, runs.pool);
  const RangeErrors errors_of(graph, candidates, factors, runs);
  std::map<ValueId, std::vector<double>> errors;
  bool in_time = true;
  for (std::size_t s = 0; s < runs.samples.size() && in_time; ++s) {
    std::map<ValueId, Tensor> values = values_of.On(runs.samples.Read(s));
    for (const auto& [value, ranges] : candidates) {
      in_time = !runs.goes_on || runs.goes_on();
      if (!in_time) {
        break;
      }
      errors_of.Add(value, ranges, values, errors[value]);
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
