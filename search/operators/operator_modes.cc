#include "search/operators/operator_modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>

#include "search/trial/pareto_front.h"
#include "src/base/text.h"
#include "src/ir/ir_type.h"
#include "src/precision/files/impl_mode_file.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

// A mode for one operator, by index into OperatorProblem::operators.
struct Change {
  std::size_t index = 0;
  ImplMode mode = ImplMode::kDefault;
  double ratio = 0;  // latency of the network with this change alone
};

Candidate WithChanges(const OperatorProblem& problem, const std::vector<Change>& changes) {
  Candidate candidate{problem.baseline};
  for (const Change& change : changes) {
    candidate.options.impl_mode_by_node[problem.operators[change.index].node] = change.mode;
  }
  return candidate;
}

std::vector<ImplMode> ModesOf(const TargetSpec& target, std::string_view ir_type,
                              const NodePrecision& precision) {
  const auto op = target.ai_core.find(ir_type);
  if (op == target.ai_core.end() || precision.engine != Engine::kAiCore) {
    return {};
  }
  const auto modes = op->second.impl_modes.find(precision.compute_dtype());
  return modes == op->second.impl_modes.end() ? std::vector<ImplMode>{} : modes->second;
}

class OperatorStrategy : public SearchStrategy {
 public:
  OperatorStrategy(const OperatorProblem& problem, const OperatorSearchOptions& options)
      : problem_(problem), options_(options) {
    waiting_.push_back({});
    for (std::size_t i = 0; i < problem_.operators.size(); ++i) {
      for (const ImplMode mode : problem_.operators[i].others) {
        waiting_.push_back({{i, mode}});
      }
    }
  }

  std::vector<Candidate> Suggest(std::size_t max_count) override {
    if (waiting_.empty() && proposed_.empty()) {
      NextStage();
    }
    std::vector<Candidate> candidates;
    while (candidates.size() < max_count && !waiting_.empty()) {
      candidates.push_back(WithChanges(problem_, waiting_.front()));
      proposed_.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    return candidates;
  }

  void Update(std::span<const Trial> finished) override {
    for (const Trial& trial : finished) {
      const auto proposal = std::find_if(
          proposed_.begin(), proposed_.end(),
          [&](const auto& changes) { return WithChanges(problem_, changes) == trial.candidate; });
      if (proposal == proposed_.end()) {
        continue;
      }
      std::vector<Change> changes = std::move(*proposal);
      proposed_.erase(proposal);
      Learn(std::move(changes), trial.measurement());
    }
    proposed_.clear();  // what has not come back is taken for rejected
  }

  [[nodiscard]] std::optional<Forecast> forecast() const override {
    const std::size_t operators = problem_.operators.size();
    std::size_t singles = 0;
    for (const OperatorModes& op : problem_.operators) {
      singles += op.others.size();
    }
    const std::size_t pairs =
        options_.in_pairs && operators > 0 ? operators * (operators - 1) / 2 : 0;
    return Forecast{
        .work_plan = fmt::format("other modes of {}, one by one, then those that gain together",
                                 Counted(static_cast<std::int64_t>(operators), "operator")),
        .most_plans = 1 + singles + pairs + static_cast<std::size_t>(std::bit_width(operators))};
  }

 private:
  enum class Stage : std::uint8_t { kSingle, kPairs, kTogether };

  void Learn(std::vector<Change> changes, const Measurement* measurement) {
    if (changes.empty()) {
      if (measurement != nullptr) {
        baseline_ratio_ = measurement->latency.ratio;
        baseline_loss_ = ObjectivesOf(*measurement).loss;
      }
      return;
    }
    const bool accurate = measurement != nullptr && IsAccurate(*measurement);
    if (stage_ == Stage::kSingle) {
      if (accurate && measurement->latency.ratio < baseline_ratio_) {
        changes.front().ratio = measurement->latency.ratio;
        gains_.push_back(changes.front());
      }
    } else if (stage_ == Stage::kTogether && !accurate) {
      changes.resize(changes.size() / 2);
      if (changes.size() > 1) {
        waiting_.push_back(std::move(changes));
      }
    }
  }

  [[nodiscard]] bool IsAccurate(const Measurement& measurement) const {
    const Constraints& bounds = options_.constraints;
    return bounds.of_accuracy() ? !Violation(bounds, measurement, std::nullopt)
                                : ObjectivesOf(measurement).loss <= baseline_loss_;
  }

  // The best mode of each operator that gained, the largest gain first.
  void SortGains() {
    std::stable_sort(gains_.begin(), gains_.end(),
                     [](const Change& a, const Change& b) { return a.ratio < b.ratio; });
    std::vector<Change> best;
    for (const Change& change : gains_) {
      if (std::none_of(best.begin(), best.end(),
                       [&](const Change& other) { return other.index == change.index; })) {
        best.push_back(change);
      }
    }
    gains_ = std::move(best);
  }

  void NextStage() {
    if (stage_ == Stage::kSingle) {
      SortGains();
      stage_ = Stage::kPairs;
      for (std::size_t i = 0; options_.in_pairs && i < gains_.size(); ++i) {
        for (std::size_t j = i + 1; j < gains_.size(); ++j) {
          waiting_.push_back({gains_[i], gains_[j]});
        }
      }
    }
    if (stage_ == Stage::kPairs && waiting_.empty()) {
      stage_ = Stage::kTogether;
      if (gains_.size() > (options_.in_pairs ? 2U : 1U)) {
        waiting_.push_back(gains_);
      }
    }
  }

  OperatorProblem problem_;
  OperatorSearchOptions options_;
  Stage stage_ = Stage::kSingle;
  std::deque<std::vector<Change>> waiting_;
  std::vector<std::vector<Change>> proposed_;
  std::vector<Change> gains_;
  // Latency ratio and loss of the baseline; 0, so that nothing is a gain, unless it ran.
  double baseline_ratio_ = 0;
  double baseline_loss_ = 0;
};

}  // namespace

OperatorModes NamesOf(const Graph& graph, const Node& node) {
  OperatorModes op{.node = node.name, .ir_type = std::string(IrTypeOf(graph, node))};
  for (const Origin& origin : node.origins) {
    op.fused_names.push_back(origin.name);
    op.fused_types.emplace_back(IrTypeOfName(origin.type));
  }
  return op;
}

OperatorProblem MakeOperatorProblem(const Graph& graph, const PrecisionOptions& options,
                                    const TargetSpec& target) {
  const PrecisionPlan plan = ResolvePrecision(graph, options, target);
  OperatorProblem problem;
  problem.baseline = options;
  problem.baseline.op_select_implmode.clear();
  problem.baseline.optypelist_for_implmode.clear();
  problem.baseline.op_precision_given = true;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const std::string_view ir_type = IrTypeOf(graph, node);
    const NodePrecision& precision = plan.nodes[i];
    std::vector<ImplMode> others = ModesOf(target, ir_type, precision);
    std::erase(others, precision.impl_mode);
    if (others.empty()) {
      continue;
    }
    if (!CanBeImplModeKey(node.name)) {
      problem.notes.push_back(fmt::format(
          "{} is not tuned: op_precision_mode files have no syntax for its name", Describe(node)));
      continue;
    }
    problem.baseline.impl_mode_by_node[node.name] = precision.impl_mode;
    OperatorModes op = NamesOf(graph, node);
    op.current = precision.impl_mode;
    op.others = std::move(others);
    problem.operators.push_back(std::move(op));
  }
  return problem;
}

Candidate WithMode(const OperatorProblem& problem, std::size_t index, ImplMode mode) {
  return WithChanges(problem, {{index, mode}});
}

std::unique_ptr<SearchStrategy> MakeOperatorStrategy(const OperatorProblem& problem,
                                                     const OperatorSearchOptions& options) {
  return std::make_unique<OperatorStrategy>(problem, options);
}

}  // namespace halftone
