#include "src/api/run/overflow_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/exec/checked_run.h"
#include "src/exec/vanished_constants.h"
#include "src/precision/files/keep_dtype.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

// A line or two mend most; each further round keeps what the last one found.
constexpr int kRounds = 10;

using Zeros = std::map<ValueId, std::int64_t>;

// Zeros in each floating value that a step makes.
Zeros ZerosIn(const Executable& executable, std::span<const Tensor> sample) {
  Zeros zeros;
  Workspace workspace = executable.NewWorkspace();
  std::vector<Tensor> outputs = executable.NewOutputs();
  executable.RunObserved(
      workspace, executable.ConvertInputs(sample), outputs,
      [&](std::size_t step, std::span<void* const> data) {
        const auto types = executable.step_output_types(step);
        const StepInfo& info = executable.steps()[step];
        for (std::size_t i = 0; i < data.size(); ++i) {
          if (data[i] == nullptr || info.values[i] == kNoValue || !IsFloating(types[i].dtype)) {
            continue;
          }
          std::int64_t& count = zeros[info.values[i]] = 0;
          for (std::int64_t e = 0; e < types[i].shape.ElementCount(); ++e) {
            count += DoubleAt(types[i].dtype, data[i], e) == 0 ? 1 : 0;
          }
        }
      });
  return zeros;
}

// Values that a plan makes 0 where float32 has other values, with the nodes behind them.
class Trace {
 public:
  Trace(const Graph& graph, const PrecisionPlan& plan, const Executable& executable,
        const Executable& reference, std::span<const Tensor> sample)
      : graph_(graph),
        plan_(plan),
        producers_(ProducersOf(graph)),
        here_(ZerosIn(executable, sample)),
        float32_(ZerosIn(reference, sample)) {}

  // From the node that overflowed to the one where it begins.
  [[nodiscard]] std::vector<NodeId> PathFrom(NodeId node) const {
    std::vector<NodeId> path = {node};
    std::set<NodeId> seen = {node};
    while (VanishedConstants(graph_, path.back(), plan_.node(path.back())).empty()) {
      const auto next = std::ranges::find_if(graph_.node(path.back()).inputs, [&](ValueId input) {
        return HasLost(input) && !seen.contains(ProducerOf(input));
      });
      if (next == graph_.node(path.back()).inputs.end()) {
        break;
      }
      path.push_back(ProducerOf(*next));
      seen.insert(path.back());
    }
    return path;
  }

 private:
  [[nodiscard]] NodeId ProducerOf(ValueId value) const {
    return value == kNoValue ? kNoNode : producers_[static_cast<std::size_t>(value)];
  }

  // More zeros than in float32; a view has those of what it views.
  [[nodiscard]] bool HasLost(ValueId value) const {
    NodeId producer = ProducerOf(value);
    if (producer == kNoNode) {
      return false;
    }
    const auto here = here_.find(value);
    const auto there = float32_.find(value);
    return here == here_.end() || there == float32_.end()
               ? HasLost(graph_.node(producer).inputs.empty() ? kNoValue
                                                              : graph_.node(producer).inputs[0])
               : here->second > there->second;
  }

  const Graph& graph_;
  const PrecisionPlan& plan_;
  std::vector<NodeId> producers_;
  Zeros here_;
  Zeros float32_;
};

class Adviser {
 public:
  explicit Adviser(const OverflowCase& overflow) : case_(overflow), compile_(overflow.compile) {
    compile_.fuse = false;  // every value is made
    for (NodeId node = 0; node < std::ssize(case_.graph.nodes); ++node) {
      node_of_.emplace(case_.graph.node(node).name, node);
    }
  }

  std::string Run() {
    reference_.emplace(Compile(case_.graph, ReferencePlan(case_.graph), compile_));
    const PrecisionPlan plan = ResolvePrecision(case_.graph, case_.precision, case_.target);
    const Executable executable = Compile(case_.graph, plan, compile_);
    for (std::size_t i = 0; i < case_.dataset.size(); ++i) {
      sample_ = case_.dataset.Read(i);
      const Overflow found = Overflowed(executable);
      if (!found.nodes.empty()) {
        return Advise(plan, executable, found);
      }
    }
    return {};
  }

 private:
  // The first overflow on a sample.
  struct Overflow {
    // Nodes that the finding names, empty without one: a node, or those that read a value which a
    // cast made infinite, and its producer.
    std::vector<NodeId> nodes;
    std::vector<Tensor> inputs;  // of the run in which it is: of a sequence, of that step
  };

  // A sequence runs step by step on the states that it makes, until one overflows.
  [[nodiscard]] Overflow Overflowed(const Executable& executable) const {
    Overflow overflow;
    RunSteps(sample_, case_.dataset.state, [&](std::span<const Tensor> inputs) {
      CheckedRunner runner(case_.graph, executable,
                           [this]() -> const Executable& { return *reference_; });
      std::vector<Tensor> outputs = runner.Run(inputs, sample_.name);
      const OverflowCensus census = runner.census();
      if (const OverflowFinding* first = census.FirstNonFinite()) {
        overflow = {NodesOf(first), std::vector<Tensor>(inputs.begin(), inputs.end())};
        outputs.clear();
      }
      return outputs;
    });
    return overflow;
  }

  [[nodiscard]] std::vector<NodeId> NodesOf(const OverflowFinding* first) const {
    if (const auto node = node_of_.find(first->node); node != node_of_.end()) {
      return {node->second};
    }
    std::vector<NodeId> nodes;
    for (NodeId node = 0; node < std::ssize(case_.graph.nodes); ++node) {
      const auto is_cast_value = [&](ValueId value) {
        return value != kNoValue &&
               (first->node.starts_with(
                    fmt::format("cast {} to ", case_.graph.value(value).name)) ||
                first->node == fmt::format("input {}", case_.graph.value(value).name));
      };
      const Node& at = case_.graph.node(node);
      if (std::ranges::any_of(at.inputs, is_cast_value) ||
          std::ranges::any_of(at.outputs, is_cast_value)) {
        nodes.push_back(node);
      }
    }
    return nodes;
  }

  // The lines that keep these nodes; empty: a name that no line can express.
  [[nodiscard]] std::optional<std::set<std::string>> LinesFor(const std::set<NodeId>& nodes) const {
    std::set<std::string> lines;
    for (const NodeId node : nodes) {
      const auto line = KeepLineFor(case_.graph.node(node).origins.empty()
                                        ? case_.graph.node(node).name
                                        : case_.graph.node(node).origins.front().name);
      if (!line) {
        return std::nullopt;
      }
      lines.insert(*line);
    }
    return lines;
  }

  // Lines with which nothing overflows on the sample; empty: none within kRounds.
  [[nodiscard]] std::optional<std::set<std::string>> Mending(std::set<NodeId> kept) const {
    for (int round = 0; round < kRounds; ++round) {
      auto lines = LinesFor(kept);
      if (!lines) {
        return std::nullopt;
      }
      PrecisionOptions options = case_.precision;
      std::set<std::string> all(lines->begin(), lines->end());
      all.insert(options.keep_dtype.begin(), options.keep_dtype.end());
      options.keep_dtype.assign(all.begin(), all.end());
      const PrecisionPlan plan = ResolvePrecision(case_.graph, options, case_.target);
      const std::vector<NodeId> found = Overflowed(Compile(case_.graph, plan, compile_)).nodes;
      if (found.empty()) {
        return lines;
      }
      const std::size_t before = kept.size();
      kept.insert(found.begin(), found.end());
      if (kept.size() == before) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string Advise(const PrecisionPlan& plan, const Executable& executable,
                                   const Overflow& overflow) const {
    const std::vector<NodeId>& found = overflow.nodes;
    const std::vector<NodeId> path =
        Trace(case_.graph, plan, executable, *reference_, overflow.inputs).PathFrom(found.front());
    std::string text;
    const auto vanished = VanishedConstants(case_.graph, path.back(), plan.node(path.back()));
    if (!vanished.empty()) {
      text += "; it begins where " + Describe(vanished.front());
    } else if (path.size() > 1) {
      text += fmt::format("; it begins at node '{}', which makes 0 where float32 has other values",
                          case_.graph.node(path.back()).name);
    }
    // The end and the beginning, else all between them.
    std::optional<std::set<std::string>> lines;
    for (const std::set<NodeId>& kept :
         {std::set<NodeId>(found.begin(), found.end()), std::set{path.front(), path.back()},
          std::set<NodeId>(path.begin(), path.end())}) {
      if (const auto mended = Mending(kept); mended && (!lines || mended->size() < lines->size())) {
        lines = mended;
      }
    }
    return text +
           (lines ? fmt::format("; with {} of --keep_dtype it is finite on this sample: {}",
                                lines->size() == 1 ? "this line" : "these lines",
                                Join(std::vector<std::string>(lines->begin(), lines->end()), ", "))
                  : "; no few lines of --keep_dtype mend it: choose a mode that keeps more "
                    "in float32, as allow_mix_precision or must_keep_origin_dtype");
  }

  const OverflowCase& case_;
  CompileOptions compile_;
  std::optional<Executable> reference_;
  std::map<std::string, NodeId> node_of_;
  Sample sample_;
};

}  // namespace

std::string OverflowAdvice(const OverflowCase& overflow) {
  try {
    return Adviser(overflow).Run();
  } catch (const Error&) {
    return {};  // what is told of the overflow itself is not lost for it
  }
}

}  // namespace halftone
