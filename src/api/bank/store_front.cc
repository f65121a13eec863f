#include "src/api/bank/store_front.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "halftone/goal.h"
#include "knowledge_base/front_trials.h"
#include "search/trial/choose.h"
#include "search/trial/pareto_front.h"
#include "src/accuracy/loss_metric.h"
#include "src/api/report/measuring_details.h"
#include "src/base/text.h"

namespace halftone {
namespace {

bool IsInSpace(const SearchSpace& space, const PrecisionOptions& options) {
  const auto& modes = space.modes;
  const std::string& mode =
      options.precision_mode.empty() ? options.precision_mode_v2 : options.precision_mode;
  return std::find(modes.begin(), modes.end(), mode) != modes.end() &&
         std::all_of(space.pinned_keep_dtype.begin(), space.pinned_keep_dtype.end(),
                     [&](const std::string& line) {
                       return std::find(options.keep_dtype.begin(), options.keep_dtype.end(),
                                        line) != options.keep_dtype.end();
                     });
}

struct Member {
  Trial trial;
  std::int64_t row = 0;  // of the knowledge base
};

// The confirmed members of the newest stored front that this run could have proposed.
std::vector<Member> EarlierMembers(const TrialLog& log, const SearchSpace& space,
                                   const LossMetric& metric) {
  const auto snapshot = log.store().Snapshot();  // the front with its trials
  const std::vector<StoredFront> fronts = log.store().Fronts(log.workload_key());
  if (fronts.empty()) {
    return {};
  }
  const std::vector<StoredTrial> history = log.store().History(log.workload_key());
  std::vector<Member> members;
  for (const FrontMember& member : fronts.front().members) {
    const StoredTrial* stored = FindMember(history, member);
    if (stored == nullptr || !stored->trial.measurement()->confirmed ||
        !IsInSpace(space, stored->trial.candidate.options)) {
      continue;
    }
    for (Trial& trial : WithLoss({stored->trial}, metric)) {
      members.push_back({.trial = std::move(trial), .row = stored->id});
    }
  }
  return members;
}

LossMetric MetricOf(const TuneSummary& summary) {
  LossMetric metric;
  if (summary.reference.metric) {
    metric.name = summary.reference.metric->name;
    metric.better = summary.reference.metric->higher_is_better ? Better::kHigher : Better::kLower;
  }
  return metric;
}

// The chosen one of the run's own points and those taken over. With bounds on accuracy, one of the
// run's own: only these were certified on held-out samples.
std::optional<std::size_t> Choose(const std::vector<Trial>& members, const TuneSummary& summary) {
  if (!summary.constraints.of_accuracy()) {
    return ChooseMember(members, summary.constraints, summary.reference.top1);
  }
  for (std::size_t i = 0; summary.front.chosen && i < members.size(); ++i) {
    if (members[i].plan_digest == summary.front.chosen_point().trial.plan_digest) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string StoreFront(const TrialLog& log, const SearchSpace& space, const Provenance& facts,
                       const TuneSummary& summary) {
  if (summary.front.points.empty()) {
    return "";
  }
  // The run's own first: of equal plans the first counts.
  std::vector<Trial> trials;
  std::vector<std::int64_t> rows;
  for (const FrontPoint& point : summary.front.points) {
    trials.push_back(point.trial);
    const std::int64_t row = log.RowOf(point.trial.plan_digest);
    rows.push_back(row != 0 ? row : log.store().AddTrial(log.workload_key(), point.trial));
  }
  const std::size_t own = trials.size();
  if (!summary.front.baseline) {
    for (Member& member : EarlierMembers(log, space, MetricOf(summary))) {
      trials.push_back(std::move(member.trial));
      rows.push_back(member.row);
    }
  }
  std::vector<std::size_t> members = ParetoFront(trials);
  const std::int64_t taken_over =
      std::ranges::count_if(members, [&](std::size_t index) { return index >= own; });
  std::string warning;
  if (taken_over == 0) {  // as reported, whose order and choice count
    members.resize(own);
    std::iota(members.begin(), members.end(), std::size_t{0});
  } else {
    warning = fmt::format(
        "the knowledge base holds {} of an earlier run that this one did not reach; its front, "
        "which `halftone run --from_bank` uses, has them too",
        Counted(taken_over, "better point"));
  }
  StoredFront front{
      .workload_key = log.workload_key(),
      .strategy = summary.search.strategy,
      .constraints = summary.constraints,
      .reference_top1 = summary.reference.top1,
      .provenance = {{"cpu", summary.run.cpu},
                     {"compiler", summary.run.compiler},
                     {"machine", Describe(summary.machine.facts, summary.machine.other_cores)},
                     {"command", summary.run.command},
                     {"inputs", summary.run.inputs},
                     {"confidence", ConfidenceText(summary.confidence)}}};
  front.provenance.insert(facts.begin(), facts.end());
  std::vector<Trial> of_members;
  for (const std::size_t index : members) {
    of_members.push_back(trials[index]);
    front.members.push_back({.plan_digest = trials[index].plan_digest, .trial_id = rows[index]});
  }
  front.chosen = taken_over == 0 ? summary.front.chosen : Choose(of_members, summary);
  log.store().AddFront(front, of_members);
  return warning;
}

}  // namespace halftone
