#include "search/probe/network_prober.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "search/measure/step_times.h"
#include "search/probe/error_probes.h"
#include "search/probe/probed_network.h"
#include "src/base/error.h"

namespace halftone {
namespace {

double TimeOf(const StepTimes& times, const std::string& node) {
  const auto found = times.nodes.find(node);
  return found == times.nodes.end() ? 0 : found->second;
}

// Choices whose casts are timed: all but those in float32, or the first one in each format.
std::vector<Choice> CastChoices(std::span<const Choice> choices, bool each) {
  std::vector<Choice> timed;
  for (const Choice& choice : choices) {
    const bool is_new = std::ranges::find(timed, choice.format, &Choice::format) == timed.end();
    if (choice.format != DType::kFloat32 && (each || is_new)) {
      timed.push_back(choice);
    }
  }
  return timed;
}

// Least number of runs that time so many plans: one warms up, and one is timed. A single time says
// which choices are far slower than others, which is what a short search has to know.
double LeastTimedRuns(std::size_t plans) {
  return 2 * static_cast<double>(plans);
}

// Rounds for so many plans within `most_runs`.
StepTimesOptions RoundsWithin(double most_runs, std::size_t plans) {
  StepTimesOptions rounds;
  const double fit = most_runs / static_cast<double>(plans) - 1;
  rounds.min_rounds = static_cast<int>(std::clamp<double>(fit, 1, rounds.min_rounds));
  rounds.fewest_rounds = std::min(rounds.fewest_rounds, rounds.min_rounds);
  return rounds;
}

// Every second group in `choice`, so that the plan has casts to time.
Assignment Alternating(const Decisions& decisions, const Choice& choice) {
  Assignment assignment = decisions.Uniform(choice);
  for (std::size_t g = 0; g < assignment.size(); g += 2) {
    assignment[g] = 0;
  }
  return assignment;
}

// All groups in one choice, for each of AllChoices(); then the plans with casts.
std::vector<Assignment> TimedAssignments(const Decisions& decisions, double most_runs) {
  const std::vector<Choice> choices = decisions.AllChoices();
  const std::size_t all = choices.size() + CastChoices(choices, true).size();
  const bool casts_by_choice =
      static_cast<double>(all) * (1 + StepTimesOptions().fewest_rounds) <= most_runs;
  const std::vector<Choice> with_casts = CastChoices(choices, casts_by_choice);
  std::vector<Assignment> assignments;
  assignments.reserve(choices.size() + with_casts.size());
  for (const Choice& choice : choices) {
    assignments.push_back(decisions.Uniform(choice));
  }
  for (const Choice& choice : with_casts) {
    assignments.push_back(Alternating(decisions, choice));
  }
  return assignments;
}

// time = cast_time + elements * cast_time_per_element by least squares, neither below zero.
void FitCasts(std::span<const StepTimes> times, Sensitivity& sensitivity) {
  double count = 0;
  double sum_x = 0;
  double sum_y = 0;
  double sum_xx = 0;
  double sum_xy = 0;
  for (const StepTimes& plan : times) {
    for (const auto& [elements, time] : plan.casts) {
      count += 1;
      sum_x += elements;
      sum_y += time;
      sum_xx += elements * elements;
      sum_xy += elements * time;
    }
  }
  if (count == 0) {
    return;
  }
  const double variance = count * sum_xx - sum_x * sum_x;
  double slope = variance > 0 ? (count * sum_xy - sum_x * sum_y) / variance : 0;
  if (slope < 0) {
    slope = 0;
  }
  double offset = (sum_y - slope * sum_x) / count;
  if (offset < 0) {
    offset = 0;
    slope = sum_xx > 0 ? sum_xy / sum_xx : 0;
  }
  sensitivity.cast_time = offset;
  sensitivity.cast_time_per_element = slope;
}

// True if the choices differ in their implementation alone.
bool AreOfOneForm(const Choice& a, const Choice& b) {
  return a.format == b.format && a.wide == b.wide;
}

void LeaveOut(std::string_view why, ChoiceSensitivity& choice) {
  choice.refusal = fmt::format("{}, and the budget has no time to probe it", why);
  choice.left_out = true;
}

// Leaves out choices of a group that take longer than float32, and, of those that differ in their
// implementation alone, all but the one of least time, the first of equal ones.
void LeaveOutSlow(const DecisionGroup& group, GroupSensitivity& sensitivity) {
  std::vector<ChoiceSensitivity>& choices = sensitivity.choices;
  std::vector<std::size_t> fastest;  // of each form
  for (std::size_t c = 1; c < choices.size(); ++c) {
    if (choices[c].time > choices.front().time) {
      LeaveOut("it takes longer than float32", choices[c]);
      continue;
    }
    const auto rival = std::ranges::find_if(fastest, [&](std::size_t other) {
      return AreOfOneForm(group.choices[c], group.choices[other]);
    });
    if (rival == fastest.end()) {
      fastest.push_back(c);
      continue;
    }
    const bool is_faster = choices[c].time < choices[*rival].time;
    LeaveOut("another implementation is faster", choices[is_faster ? *rival : c]);
    *rival = is_faster ? c : *rival;
  }
}

void LeaveOutSlow(const Decisions& decisions, std::span<GroupSensitivity> groups) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    LeaveOutSlow(decisions.groups()[g], groups[g]);
  }
}

// Groups without errors and times, in which one choice of each form is left.
std::vector<GroupSensitivity> OneOfEachForm(const Decisions& decisions) {
  std::vector<GroupSensitivity> groups = Unprobed(decisions);
  LeaveOutSlow(decisions, groups);
  return groups;
}

}  // namespace

LeastProbes LeastProbesOf(const Decisions& decisions) {
  const std::vector<Choice> choices = decisions.AllChoices();
  const std::size_t plans = choices.size() + CastChoices(choices, false).size();
  const ProbedNetwork network(decisions);
  return {.error_runs = PlanErrorEffort(decisions, network.steps, {.most_error_runs = 0},
                                        /*samples=*/1, OneOfEachForm(decisions))
                            .runs,
          .timed_plans = static_cast<double>(plans),
          .timed_runs = LeastTimedRuns(plans)};
}

NetworkProber::NetworkProber(const Graph& graph, const Dataset& dataset, ProbeOptions options,
                             ProbeHooks hooks)
    : graph_(graph),
      dataset_(dataset),
      options_(std::move(options)),
      hooks_(std::move(hooks)),
      pool_(options_.threads) {
  Check(!dataset.empty(), "probes without samples");
}

Sensitivity NetworkProber::Probe(const Decisions& decisions, std::span<const double> losses) {
  Sensitivity sensitivity;
  if (decisions.groups().empty()) {
    return sensitivity;
  }
  sensitivity.groups = Unprobed(decisions);
  const ProbedNetwork network(decisions);
  const bool is_short =
      PlanErrorEffort(decisions, network.steps, {}, /*samples=*/1, sensitivity.groups).runs >
      options_.most_error_runs;
  if (!is_short) {
    ProbeErrors(decisions, losses, sensitivity);
  }
  if (sensitivity.complete) {
    ProbeTimes(decisions, sensitivity);
  }
  if (is_short && sensitivity.complete) {
    LeaveOutSlow(decisions, sensitivity.groups);
    sensitivity.in_full = false;
    ProbeErrors(decisions, losses, sensitivity);
  }
  return sensitivity;
}

void NetworkProber::ProbeTimes(const Decisions& decisions, Sensitivity& sensitivity) const {
  const std::vector<Choice> choices = decisions.AllChoices();
  const std::vector<Assignment> assignments = TimedAssignments(decisions, options_.most_timed_runs);
  if (hooks_.on_progress) {
    hooks_.on_progress({"times", 0, assignments.size()});
  }
  std::vector<PrecisionPlan> plans;
  plans.reserve(assignments.size());
  for (const Assignment& assignment : assignments) {
    plans.push_back(decisions.PlanFor(assignment));
  }
  StepTimesOptions rounds = RoundsWithin(options_.most_timed_runs, plans.size());
  rounds.budget_s = options_.time_budget_s;
  rounds.seed = options_.seed;
  const auto times_by = [&](LatencySource& source) {
    return source.TimeSteps({graph_, dataset_, pool_, options_.compile}, plans, rounds,
                            hooks_.stop_requested);
  };
  std::vector<StepTimes> times = times_by(*options_.latency);
  if (times.empty() && options_.latency->runs_plans()) {
    if (hooks_.on_warning) {
      hooks_.on_warning(
          fmt::format("{} does not say how long its operators take: the search orders plans by the "
                      "times of halftone's kernels before it measures them",
                      options_.latency->description()));
    }
    times = times_by(*HostClock());
  }
  if (times.empty()) {
    sensitivity.complete = false;
    return;
  }
  FitCasts(times, sensitivity);
  double in_groups = 0;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    for (NodeId node = 0; node < std::ssize(graph_.nodes); ++node) {
      const auto own = decisions.GroupOf(node);
      const auto group = own ? own : decisions.FollowedBy(node);
      if (!group) {
        continue;
      }
      const auto& offered = decisions.groups()[*group].choices;
      const auto found = std::ranges::find(offered, choices[i]);
      const double time = TimeOf(times[i], graph_.node(node).name);
      in_groups += i == 0 ? time : 0;
      if (found != offered.end()) {
        sensitivity.groups[*group]
            .choices[static_cast<std::size_t>(found - offered.begin())]
            .time += time;
      }
    }
  }
  sensitivity.other_time = std::max(0.0, times.front().total - in_groups);
}

void NetworkProber::ProbeErrors(const Decisions& decisions, std::span<const double> losses,
                                Sensitivity& sensitivity) const {
  ErrorProbes probes(decisions, dataset_, options_, pool_, losses, std::move(sensitivity.groups));
  sensitivity.weights = probes.cache().weights();
  if (hooks_.on_warning && !probes.cache().warning().empty()) {
    hooks_.on_warning(probes.cache().warning());
  }
  const auto stops = [&] { return hooks_.stop_requested && hooks_.stop_requested(); };
  const std::size_t count = decisions.groups().size();
  sensitivity.groups = probes.ProbeAll([&](std::size_t done) {
    if (hooks_.on_progress) {
      hooks_.on_progress({"errors", done, count});
    }
    sensitivity.complete = done == count || !stops();
    return sensitivity.complete;
  });
  sensitivity.evaluations = probes.evaluations();
  sensitivity.in_full = sensitivity.in_full && !probes.has_cuts();
}

}  // namespace halftone
