#include "src/api/store_front.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "knowledge_base/checksum.h"
#include "knowledge_base/front_trials.h"
#include "search/choose.h"
#include "search/pareto_front.h"
#include "src/accuracy/loss_metric.h"
#include "src/api/measuring_details.h"
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

// The confirmed members of the newest stored front that this run could have proposed.
std::vector<Trial> EarlierMembers(TrialStore& store, const Hash128& workload_key,
                                  const SearchSpace& space, const LossMetric& metric) {
  const std::vector<StoredFront> fronts = store.Fronts(workload_key);
  if (fronts.empty()) {
    return {};
  }
  const std::vector<StoredTrial> history = store.History(workload_key);
  std::vector<Trial> members;
  for (const FrontMember& member : fronts.front().members) {
    const StoredTrial* stored = FindMember(history, member);
    if (stored != nullptr && stored->trial.measurement()->confirmed &&
        IsInSpace(space, stored->trial.candidate.options)) {
      members.push_back(stored->trial);
    }
  }
  return WithLoss(std::move(members), metric);
}

LossMetric MetricOf(const TuneSummary& summary) {
  LossMetric metric;
  if (summary.metric) {
    metric.name = summary.metric->name;
    metric.better = summary.metric->higher_is_better ? Better::kHigher : Better::kLower;
  }
  return metric;
}

// Of the run's own points and those taken over. What bounds on accuracy allow was promised by
// held-out samples, which only the run's own points have seen.
std::optional<std::size_t> Choose(const std::vector<Trial>& members, const TuneSummary& summary) {
  if (!summary.constraints.of_accuracy()) {
    return ChooseMember(members, summary.constraints, summary.reference_top1);
  }
  for (std::size_t i = 0; summary.chosen && i < members.size(); ++i) {
    if (members[i].plan_digest == summary.points[*summary.chosen].trial.plan_digest) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace

void StoreFront(TrialStore& store, const Hash128& workload_key, const SearchSpace& space,
                const Provenance& facts, TuneSummary& summary) {
  if (summary.points.empty()) {
    return;
  }
  // The run's own first: of equal plans the first counts.
  std::vector<Trial> trials;
  for (const FrontPoint& point : summary.points) {
    trials.push_back(point.trial);
  }
  const std::size_t own = trials.size();
  if (!summary.baseline) {
    for (Trial& member : EarlierMembers(store, workload_key, space, MetricOf(summary))) {
      trials.push_back(std::move(member));
    }
  }
  std::vector<Trial> members;
  std::int64_t taken_over = 0;
  for (const std::size_t index : ParetoFront(trials)) {
    members.push_back(trials[index]);
    taken_over += index >= own ? 1 : 0;
  }
  StoredFront front{.workload_key = workload_key,
                    .strategy = summary.strategy,
                    .constraints = summary.constraints,
                    .reference_top1 = summary.reference_top1,
                    .chosen = taken_over == 0 ? summary.chosen : Choose(members, summary),
                    .provenance = {{"cpu", summary.cpu},
                                   {"compiler", summary.compiler},
                                   {"machine", Describe(summary.machine, summary.other_cores)},
                                   {"command", summary.command},
                                   {"inputs", summary.inputs}}};
  front.provenance.insert(facts.begin(), facts.end());
  if (taken_over == 0) {  // as reported, whose order and choice count
    members = {trials.begin(), trials.begin() + static_cast<std::ptrdiff_t>(own)};
  } else {
    summary.warnings.push_back(fmt::format(
        "the knowledge base holds {} of an earlier run that this one did not reach; its front, "
        "which `halftone run --from_bank` uses, has them too",
        Counted(taken_over, "better point")));
  }
  for (const Trial& trial : members) {
    front.members.push_back(
        {.plan_digest = trial.plan_digest, .measurement_hash = MeasurementHashOf(trial)});
  }
  store.AddFront(front);
}

}  // namespace halftone
