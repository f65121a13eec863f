#include "src/api/retune/neighbour_strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "search/space/decisions.h"
#include "search/strategies/model_strategy.h"
#include "search/trial/pareto_front.h"
#include "search/trial/trial.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/precision/resolve/node_formats.h"
#include "src/precision/resolve/resolve.h"
#include "src/precision/write/plan_writer.h"

namespace halftone {
namespace {

class NeighbourStrategy : public SearchStrategy {
 public:
  NeighbourStrategy(const Graph& graph, const TargetSpec& target, const SearchSpace& space,
                    std::vector<Candidate> from, const std::set<std::string>& nodes)
      : modes_(space.modes),
        decisions_(graph, target, DecisionOptionsOf(space, target)),
        from_(from.size()) {
    for (std::size_t g = 0; g < decisions_.groups().size(); ++g) {
      const DecisionGroup& group = decisions_.groups()[g];
      if (std::ranges::any_of(group.nodes,
                              [&](NodeId n) { return nodes.contains(graph.node(n).name); })) {
        changeable_.push_back(g);
        other_choices_ += group.choices.size() - 1;
      }
    }
    for (Candidate& candidate : from) {
      const PrecisionPlan plan = ResolvePrecision(graph, candidate.options, target);
      Propose(plan.Digest(), std::move(candidate));
    }
  }

  std::vector<Candidate> Suggest(std::size_t max_count) override {
    if (open_.empty()) {
      ChangeFront();
    }
    std::vector<Candidate> candidates;
    while (candidates.size() < max_count && !open_.empty()) {
      candidates.push_back(std::move(open_.front()));
      open_.pop_front();
    }
    return candidates;
  }

  void Update(std::span<const Trial> finished) override {
    finished_.insert(finished_.end(), finished.begin(), finished.end());
  }

  [[nodiscard]] std::optional<Forecast> forecast() const override {
    return Forecast{
        .work_plan = fmt::format("{} known, each with one of {} changed",
                                 Counted(static_cast<std::int64_t>(from_), "configuration"),
                                 Counted(std::ssize(changeable_), "group")),
        .most_plans = from_ * (1 + other_choices_)};
  }

 private:
  void Propose(const Hash128& plan, Candidate candidate) {
    if (proposed_.insert(plan).second) {
      open_.push_back(std::move(candidate));
    }
  }

  // Proposes, for each member of the front of all trials so far, another choice in one group.
  void ChangeFront() {
    for (const std::size_t index : ParetoFront(finished_)) {
      const PrecisionPlan plan = ResolvePrecision(
          decisions_.graph(), finished_[index].candidate.options, decisions_.target());
      const Assignment assignment = decisions_.AssignmentOf(plan);
      for (const std::size_t group : changeable_) {
        for (std::size_t c = 0; c < decisions_.groups()[group].choices.size(); ++c) {
          ProposeChange(plan, assignment, group, c);
        }
      }
    }
  }

  void ProposeChange(const PrecisionPlan& plan, const Assignment& assignment, std::size_t group,
                     std::size_t choice) {
    const PrecisionPlan changed = WithChoice(plan, assignment, group, choice);
    try {
      Propose(changed.Digest(),
              {ConfigurationFor(decisions_.graph(), changed, decisions_.target(), modes_).options});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUnsupported) {
        throw;
      }
      // No file format can express it.
    }
  }

  // The plan with another choice for `group`. Nodes that only move its results follow; all others
  // stay as they are, also those that compute as no choice does.
  [[nodiscard]] PrecisionPlan WithChoice(PrecisionPlan plan, Assignment assignment,
                                         std::size_t group, std::size_t choice) const {
    const PrecisionPlan before = decisions_.PlanFor(assignment);
    assignment[group] = choice;
    const PrecisionPlan after = decisions_.PlanFor(assignment);
    for (NodeId n = 0; n < std::ssize(plan.nodes); ++n) {
      if (decisions_.GroupOf(n) == group || !(before.node(n) == after.node(n))) {
        plan.nodes[static_cast<std::size_t>(n)] = after.node(n);
      }
    }
    const SharedQuantization scales =
        plan.quantization ? plan.quantization : decisions_.quantization();
    const bool takes_scales = std::ranges::any_of(
        plan.nodes, [&](const NodePrecision& precision) { return TakesScales(precision, scales); });
    plan.quantization = takes_scales ? scales : SharedQuantization();
    return plan;
  }

  std::vector<std::string> modes_;
  Decisions decisions_;
  std::size_t from_;
  std::vector<std::size_t> changeable_;  // groups
  std::size_t other_choices_ = 0;        // of these
  std::deque<Candidate> open_;
  std::set<Hash128> proposed_;  // digests of plans
  std::vector<Trial> finished_;
};

}  // namespace

std::unique_ptr<SearchStrategy> MakeNeighbourStrategy(const Graph& graph, const TargetSpec& target,
                                                      const SearchSpace& space,
                                                      std::vector<Candidate> from,
                                                      const std::set<std::string>& nodes) {
  return std::make_unique<NeighbourStrategy>(graph, target, space, std::move(from), nodes);
}

}  // namespace halftone
