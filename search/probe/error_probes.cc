#include "search/probe/error_probes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "search/measure/network_measurer.h"
#include "search/measure/paired_rounds.h"
#include "search/probe/relative_power.h"
#include "search/probe/rounding_facts.h"
#include "search/space/choice_form.h"
#include "src/accuracy/metrics.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// Whether a result is of integers or booleans: its error is no part of a sum, so each choice is
// carried to where it shows.
bool Decides(const Graph& graph) {
  return std::ranges::any_of(graph.outputs,
                             [&](ValueId id) { return !IsFloating(graph.value(id).type.dtype); });
}

// Index below ErrorCarrier::kKinds.
std::size_t KindOf(NumericFormat format) {
  return format.has_scale() ? 0 : 1;
}

double LargestOf(std::span<const Tensor> tensors) {
  double largest = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.dtype() == DType::kFloat32) {
      largest = std::max<double>(largest, LargestFinite(tensor.values<float>()));
    }
  }
  return largest;
}

double MeanOf(std::span<const double> values) {
  return values.empty() ? 0
                        : std::accumulate(values.begin(), values.end(), 0.0) /
                              static_cast<double>(values.size());
}

void AddMean(const RoundingFacts& facts, double samples, RoundingFacts& mean) {
  mean.operands += facts.operands / samples;
  mean.carried += facts.carried / samples;
  mean.results += facts.results / samples;
  mean.tiny_share += facts.tiny_share / samples;
  mean.clipped_share += facts.clipped_share / samples;
}

CompileOptions Sharing(CompileOptions compile, SharedConstants& own) {
  compile.shared = compile.shared != nullptr ? compile.shared : &own;
  return compile;
}

// True if the group has a choice in the format that is not refused.
bool HasChoiceIn(const DecisionGroup& group, const GroupSensitivity& sensitivity,
                 NumericFormat format) {
  for (std::size_t c = 0; c < group.choices.size(); ++c) {
    if (group.choices[c].format == format && sensitivity.choices[c].refusal.empty()) {
      return true;
    }
  }
  return false;
}

// Runs of the whole network that correspond to one run of every group by itself, in each choice and
// on operands rounded to each format. A group by itself is compiled, changes the layout of its
// operands and is compared with float32.
double RunsOfGroups(const Decisions& decisions, std::span<const GroupSensitivity> groups) {
  constexpr double kByItself = 5;  // docs/measurements/2026-11-28-zen5-short-searches.md
  double runs = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    runs += 1 + static_cast<double>(std::ranges::count_if(
                    groups[g].choices, [](const auto& choice) { return choice.refusal.empty(); }));
    for (const NumericFormat format : decisions.formats()) {
      runs += HasChoiceIn(decisions.groups()[g], groups[g], format) ? 1 : 0;
    }
  }
  return kByItself * runs / static_cast<double>(groups.size());
}

// Least runs to measure a plan: one on each sample for its accuracy, then warm-up and quick rounds
// of plan and anchor.
double LeastRunsOfAPlan(std::size_t samples) {
  return static_cast<double>(samples) + 2 * (PairedRoundsOptions().warm_up_runs + kQuickRounds);
}

// Kinds of formats whose errors are carried apart.
double KindsOf(const Decisions& decisions) {
  const auto scaled = std::ranges::count_if(decisions.formats(), &NumericFormat::has_scale);
  return scaled > 0 && scaled < std::ssize(decisions.formats()) ? 2 : 1;
}

// Most samples within options.error_evaluations and options.error_evaluations_per_group; below 1 if
// one sample costs more.
double SamplesWithin(const Decisions& decisions, const ProbeOptions& options,
                     double runs_of_a_plan) {
  const auto groups = static_cast<double>(decisions.groups().size());
  const double evaluations =
      std::min(options.error_evaluations, options.error_evaluations_per_group * groups);
  // Half of the network lies behind a group on average, and each kind of formats is carried through
  // it.
  return evaluations * runs_of_a_plan / (1 + 0.5 * KindsOf(decisions) * groups);
}

}  // namespace

std::vector<GroupSensitivity> Unprobed(const Decisions& decisions) {
  std::vector<GroupSensitivity> groups;
  for (const DecisionGroup& group : decisions.groups()) {
    groups.emplace_back().choices.resize(group.choices.size());
  }
  return groups;
}

ErrorEffort PlanErrorEffort(const Decisions& decisions, const Graph& steps,
                            const ProbeOptions& options, std::size_t samples,
                            std::span<const GroupSensitivity> groups) {
  const double within = SamplesWithin(decisions, options, LeastRunsOfAPlan(samples));
  ErrorEffort effort{
      .samples = std::max(options.min_samples, static_cast<std::size_t>(std::max(within, 0.0)))};
  const double of_groups = 1 + RunsOfGroups(decisions, groups);
  const double kinds = KindsOf(decisions);
  // Where time is short, plans are worth more than what cuts lose.
  constexpr double kCarryShare = 0.2;
  effort.cuts =
      PlanErrorCuts(steps, decisions.groups(), kCarryShare * options.most_error_runs / kinds);
  const double runs = of_groups + kinds * effort.cuts.runs;
  const double affordable = std::clamp(options.most_error_runs / runs, 1.0, 1e9);
  effort.samples = std::min(effort.samples, static_cast<std::size_t>(affordable));
  effort.runs = runs * static_cast<double>(effort.samples);
  return effort;
}

ErrorProbes::ErrorProbes(const Decisions& decisions, const Dataset& dataset,
                         const ProbeOptions& options, const ThreadPool& pool,
                         std::span<const double> losses, std::vector<GroupSensitivity> groups)
    : decisions_(decisions),
      pool_(pool),
      compile_(Sharing(options.compile, own_)),
      reference_(decisions.PlanFor(Assignment(decisions.groups().size(), 0))),
      runs_of_a_plan_(LeastRunsOfAPlan(dataset.size())),
      network_(decisions),
      groups_(groups.empty() ? Unprobed(decisions) : std::move(groups)),
      effort_(PlanErrorEffort(decisions, network_.steps, options, dataset.size(), groups_)),
      cache_({decisions, network_, effort_.cuts, options, compile_, reference_, pool}, dataset,
             effort_.samples, losses),
      carrier_(decisions, cache_, effort_.cuts, reference_, compile_, pool) {
  for (const GroupSensitivity& group : groups_) {
    for (const ChoiceSensitivity& choice : group.choices) {
      leaves_out_ = leaves_out_ || !choice.refusal.empty();
    }
  }
  for (const DecisionGroup& group : decisions.groups()) {
    ++left_[effort_.cuts.EndOf(group)];
  }
}

std::vector<std::size_t> ErrorProbes::Order() const {
  const std::span<const DecisionGroup> groups = decisions_.groups();
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t g) { return effort_.cuts.EndOf(groups[g]); });
  return order;
}

std::vector<Tensor> ErrorProbes::InputsOf(const Graph& graph, std::size_t sample) const {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs) {
    inputs.push_back(cache_.At(sample, id));
  }
  return inputs;
}

std::vector<Tensor> ErrorProbes::Run(const Executable& executable,
                                     std::span<const Tensor> inputs) const {
  return RunOnce(executable, inputs, pool_);
}

std::vector<GroupSensitivity> ErrorProbes::ProbeAll(
    const std::function<bool(std::size_t)>& goes_on) {
  std::size_t done = 0;
  for (const std::size_t group : Order()) {
    ProbeGroup(group);
    if (goes_on && !goes_on(++done)) {
      break;
    }
  }
  return groups_;
}

ErrorProbes::InFloat32 ErrorProbes::RunInFloat32(std::size_t index, const Subgraph& part) {
  GroupSensitivity& sensitivity = groups_[index];
  const DecisionGroup& group = decisions_.groups()[index];
  const Executable reference = Compile(part.graph, PlanOf(part, reference_), compile_);
  InFloat32 made;
  for (std::size_t s = 0; s < samples(); ++s) {
    const Results inputs = InputsOf(part.graph, s);
    made.exact.emplace_back(Run(reference, inputs));
    const std::span<const Tensor> exact = made.exact.back().reference();
    const HeldValues operands(inputs, part.graph.inputs);
    // Results tell causes alone, for which a short probe has no time.
    const HeldValues results =
        leaves_out_ ? HeldValues({}, {}) : HeldValues(exact, part.graph.outputs);
    if (const double largest = LargestOf(exact); largest > sensitivity.largest_value) {
      sensitivity.largest_value = largest;
      sensitivity.largest_sample = cache_.sample_number(s);
    }
    for (const NumericFormat format : decisions_.formats()) {
      FormatSensitivity& of_format = sensitivity.formats[format];
      const bool is_asked =
          HasChoiceIn(group, sensitivity, format) || (!leaves_out_ && !format.is_dynamic());
      if (!is_asked) {
        of_format.errors.push_back(0);
        continue;
      }
      const ValueRounding rounding(part.graph, decisions_.quantization(), format);
      const std::vector<Tensor> rounded = RoundedBy(rounding, operands);
      made.on_rounded[format].emplace_back(Run(reference, rounded));
      const double carried = made.exact[s].Of(made.on_rounded[format][s].reference()).value_or(0);
      // Rounding to a dynamic format is a part of the choice, whatever makes the operands.
      of_format.errors.push_back(format.is_dynamic() ? 0 : carried);
      RoundingFacts facts = RoundingFactsOf(rounding, operands, rounded, results);
      facts.carried = carried;
      AddMean(facts, static_cast<double>(samples()), of_format.rounding);
    }
  }
  return made;
}

ErrorProbes::Largest ErrorProbes::ProbeChoice(std::size_t index, std::size_t c,
                                              const Subgraph& part, const InFloat32& in_float32) {
  ChoiceSensitivity& choice = groups_[index].choices[c];
  const NumericFormat format = decisions_.groups()[index].choices[c].format;
  const bool reads_float32 = format == DType::kFloat32 || format.is_dynamic();
  const bool decides = Decides(part.graph);
  Assignment assignment(decisions_.groups().size(), 0);
  assignment[index] = c;
  Largest made{.choice = c};
  try {
    const Executable executable =
        Compile(part.graph, PlanOf(part, decisions_.PlanFor(assignment)), compile_);
    for (std::size_t s = 0; s < samples(); ++s) {
      made.results.push_back(Run(executable, InputsOf(part.graph, s)));
      const RelativePowers& exact = in_float32.exact[s];
      const auto error = exact.Of(made.results[s]);
      if (!error) {
        choice.refusal = "a result is infinite or NaN where float32 is finite";
        choice.not_finite = true;
        break;
      }
      made.errors.push_back(*error);
      choice.errors[s] =
          decides || reads_float32
              ? *error
              : in_float32.on_rounded.at(format)[s].Of(made.results[s]).value_or(*error);
      choice.changed += ShareChanged(exact.reference(), made.results[s]);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) {
      throw;
    }
    choice.refusal = error.what();
  }
  choice.changed /= static_cast<double>(samples());
  choice.local_error = MeanOf(choice.errors);
  return made;
}

void ErrorProbes::ProbeGroup(std::size_t index) {
  GroupSensitivity& sensitivity = groups_[index];
  const DecisionGroup& group = decisions_.groups()[index];
  cache_.Prepare(index);
  const Subgraph part = Expanded(cache_.network().graph, decisions_.steps(),
                                 PartOf(cache_.network().steps, group.steps));
  sensitivity.longest_sum = LongestSum(decisions_.graph(), group.nodes);
  const InFloat32 in_float32 = RunInFloat32(index, part);
  // The choice with the largest error of each kind of format is carried to the outputs.
  std::array<Largest, ErrorCarrier::kKinds> carried;
  carried.fill({.errors = std::vector<double>(samples(), 0)});
  const bool decides = Decides(part.graph);
  std::vector<std::vector<Results>> made_by(group.choices.size());  // where it decides
  for (std::size_t c = 0; c < group.choices.size(); ++c) {
    ChoiceSensitivity& choice = sensitivity.choices[c];
    choice.errors.assign(samples(), 0);
    if (c == 0 || !choice.refusal.empty()) {
      continue;
    }
    Largest made = ProbeChoice(index, c, part, in_float32);
    if (decides) {
      made_by[c] = made.results;
    }
    Largest& largest = carried[KindOf(group.choices[c].format)];
    if (choice.refusal.empty() && MeanOf(made.errors) > MeanOf(largest.errors)) {
      largest = std::move(made);
    }
  }
  if (decides) {
    CarryEach(index, {made_by, in_float32.on_rounded}, sensitivity);
  }
  for (std::size_t kind = 0; kind < carried.size() && !decides; ++kind) {
    if (carried[kind].choice != 0) {
      carrier_.Carry({index, kind, carried[kind].results, carried[kind].errors});
      sensitivity.choices[carried[kind].choice].probed = true;
    }
  }
  if (--left_.at(effort_.cuts.EndOf(group)) == 0) {
    TakeGains();
  }
}

void ErrorProbes::CarryEach(std::size_t index, const Made& made, GroupSensitivity& sensitivity) {
  const DecisionGroup& group = decisions_.groups()[index];
  const auto errors_of = [&](const std::vector<Results>& results) {
    return carrier_.AtOutputs(group, results, true);
  };
  for (auto& [format, of_format] : sensitivity.formats) {
    const auto rounded = made.on_rounded.find(format);
    if (!format.is_dynamic() && rounded != made.on_rounded.end()) {
      std::vector<Results> results;
      for (const RelativePowers& of_sample : rounded->second) {
        results.emplace_back(of_sample.reference().begin(), of_sample.reference().end());
      }
      of_format.errors = errors_of(results);
    }
  }
  double largest = 0;
  for (std::size_t c = 1; c < group.choices.size(); ++c) {
    ChoiceSensitivity& choice = sensitivity.choices[c];
    if (!choice.refusal.empty()) {
      continue;
    }
    choice.errors = errors_of(made.by_choice[c]);
    choice.probed = true;
    if (choice.local_error > largest) {
      largest = choice.local_error;
      sensitivity.gain = MeanOf(choice.errors) / largest;
    }
    if (IsReduced(group.choices[c].format)) {  // what its rounded operands do is said of the format
      const std::vector<double>& rounded = sensitivity.formats[group.choices[c].format].errors;
      for (std::size_t s = 0; s < rounded.size(); ++s) {
        choice.errors[s] = std::max(0.0, choice.errors[s] - rounded[s]);
      }
    }
  }
}

void ErrorProbes::TakeGains() {
  std::map<std::size_t, std::array<std::vector<double>, ErrorCarrier::kKinds>> gains;  // by group
  for (ErrorCarrier::Gain& gain : carrier_.Arrive()) {
    groups_[gain.index].gain = gain.mean;
    gains[gain.index][gain.kind] = std::move(gain.of_sample);
  }
  for (const auto& entry : gains) {
    const std::size_t index = entry.first;
    const auto& by_kind = entry.second;
    // Without an error of its own kind: the gain of the other kind.
    const auto multiply = [&](NumericFormat format, std::vector<double>& errors) {
      const std::vector<double>& own = by_kind[KindOf(format)];
      const std::vector<double>& by = own.empty() ? by_kind[1 - KindOf(format)] : own;
      std::ranges::transform(errors, by, errors.begin(), std::multiplies<>());
    };
    GroupSensitivity& sensitivity = groups_[index];
    const DecisionGroup& group = decisions_.groups()[index];
    for (std::size_t c = 0; c < group.choices.size(); ++c) {
      multiply(group.choices[c].format, sensitivity.choices[c].errors);
    }
    for (auto& [format, of_format] : sensitivity.formats) {
      multiply(format, of_format.errors);
    }
  }
}

}  // namespace halftone
