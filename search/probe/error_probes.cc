#include "search/probe/error_probes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "search/measure/network_measurer.h"
#include "search/measure/paired_rounds.h"
#include "search/probe/rounding_facts.h"
#include "search/space/choice_form.h"
#include "src/accuracy/discrete_outputs.h"
#include "src/accuracy/metrics.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// Upper limit of a relative error power, which results of zero power would make infinite.
constexpr double kMostRelativePower = 1e20;

// Largest share of elements that differ in an integer or boolean result.
double ShareChanged(std::span<const Tensor> reference, std::span<const Tensor> actual) {
  double changed = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    if (!IsFloating(reference[i].dtype())) {
      changed = std::max(changed, 1 - ShareOfEqual(reference[i], actual[i]));
    }
  }
  return changed;
}

// Relative error power of results, the sums over all of them, or that of elements set apart where
// it is larger (RelativeErrorPower()), and the square of ShareChanged(); empty when one is not
// finite where the reference is.
std::optional<double> RelativePower(std::span<const Tensor> reference,
                                    std::span<const Tensor> actual) {
  double error = 0;
  double power = 0;
  double apart = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    if (!IsFloating(reference[i].dtype())) {
      continue;
    }
    const OutputSums sums = SumsOf(reference[i], actual[i]);
    if (sums.broken) {
      return std::nullopt;
    }
    error += sums.error_power;
    power += sums.reference_power;
    if (sums.apart.error_power > 0) {
      apart = std::max(apart, sums.apart.error_power / sums.apart.reference_power);
    }
  }
  const double others = error > 0 ? std::min(error / power, kMostRelativePower) : 0.0;
  const double changed = ShareChanged(reference, actual);
  return std::max(apart, others) + changed * changed;
}

// Whether a result is of integers or booleans: its error is no part of a sum, so each choice is
// carried to where it shows.
bool Decides(const Graph& graph) {
  return std::ranges::any_of(graph.outputs,
                             [&](ValueId id) { return !IsFloating(graph.value(id).type.dtype); });
}

// Kinds of formats whose errors are carried apart: those of 8 bits are so much larger that what
// follows may answer to them otherwise (a Softmax that saturates, a Relu that switches).
std::size_t KindOf(NumericFormat format) {
  return format.has_scale() ? 0 : 1;
}

// Tensors that hold `values` of `graph`.
std::vector<Tensor> Rounded(std::span<const Tensor> tensors, const ValueRounding& rounding,
                            std::span<const ValueId> values) {
  std::vector<Tensor> rounded;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    rounded.push_back(tensors[i].dtype() == DType::kFloat32 ? rounding.Of(tensors[i], values[i])
                                                            : tensors[i]);
  }
  return rounded;
}

double LargestOf(std::span<const Tensor> tensors) {
  double largest = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.dtype() == DType::kFloat32) {
      for (const float value : tensor.values<float>()) {
        largest = std::isfinite(value) ? std::max<double>(largest, std::fabs(value)) : largest;
      }
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

bool HasChoiceIn(const DecisionGroup& group, NumericFormat format) {
  return std::ranges::find(group.choices, format, &Choice::format) != group.choices.end();
}

// Least runs to measure a plan: one on each sample for its accuracy, then warm-up and quick rounds
// of plan and anchor.
double LeastRunsOfAPlan(std::size_t samples) {
  return static_cast<double>(samples) + 2 * (PairedRoundsOptions().warm_up_runs + kQuickRounds);
}

// Samples that keep the probes' cost at what the options allow, options.min_samples at least.
std::size_t SamplesFor(const Decisions& decisions, const ProbeOptions& options,
                       double runs_of_a_plan) {
  const auto groups = static_cast<double>(decisions.groups().size());
  const double evaluations =
      std::min(options.error_evaluations, options.error_evaluations_per_group * groups);
  // Half of the network lies behind a group on average, and each kind of formats is carried through
  // it.
  const std::size_t scaled = static_cast<std::size_t>(
      std::ranges::count_if(decisions.formats(), &NumericFormat::has_scale));
  const double kinds = scaled > 0 && scaled < decisions.formats().size() ? 2 : 1;
  const auto affordable =
      static_cast<std::size_t>(evaluations * runs_of_a_plan / (1 + 0.5 * kinds * groups));
  return std::max(options.min_samples, affordable);
}

}  // namespace

ErrorProbes::ErrorProbes(const Decisions& decisions, const Dataset& dataset,
                         const ProbeOptions& options, const ThreadPool& pool,
                         std::span<const double> losses)
    : decisions_(decisions),
      pool_(pool),
      compile_(Sharing(options.compile, own_)),
      discrete_(AllOutputsDiscrete(decisions.graph())),
      reference_(decisions.PlanFor(Assignment(decisions.groups().size(), 0))),
      runs_of_a_plan_(LeastRunsOfAPlan(dataset.size())),
      cache_(decisions, dataset, options, compile_, reference_, pool,
             SamplesFor(decisions, options, runs_of_a_plan_), losses) {}

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

ErrorProbes::Behind ErrorProbes::BehindGroup(const DecisionGroup& group) const {
  Behind behind{
      .part = Expanded(cache_.graph(), decisions_.steps(), BehindOf(cache_.steps(), group.steps))};
  if (!behind.part.graph.outputs.empty()) {
    behind.executable.emplace(
        Compile(behind.part.graph, PlanOf(behind.part, reference_), compile_));
  }
  return behind;
}

double ErrorProbes::ErrorBehind(const Behind& behind, const Subgraph& part, std::size_t sample,
                                std::span<const Tensor> made) {
  std::map<ValueId, Tensor> now;
  for (std::size_t i = 0; i < made.size(); ++i) {
    now.emplace(part.graph.outputs[i], made[i]);
  }
  if (behind.executable) {
    std::vector<Tensor> inputs;
    for (const ValueId id : behind.part.graph.inputs) {
      inputs.push_back(now.contains(id) ? now.at(id) : cache_.At(sample, id));
    }
    const std::vector<Tensor> results = Run(*behind.executable, inputs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      now.insert_or_assign(behind.part.graph.outputs[i], results[i]);
    }
  }
  std::vector<Tensor> reference;
  std::vector<Tensor> actual;
  for (const ValueId id : cache_.graph().outputs) {
    if (const Tensor* kept = cache_.Find(sample, id)) {
      reference.push_back(*kept);
      actual.push_back(now.contains(id) ? now.at(id) : *kept);
    }
  }
  runs_ += static_cast<double>(behind.part.nodes.size()) /
           static_cast<double>(decisions_.graph().nodes.size());
  const SampleView view({.reference = reference, .actual = actual, .labels = {}});
  const double rel_l2 = FindMetric("rel_l2")->of_sample(view).value_or(0);
  const double differ = discrete_ || Decides(part.graph)
                            ? 1 - FindMetric("agreement")->of_sample(view).value_or(1)
                            : 0;
  return rel_l2 * rel_l2 + differ * differ;
}

void ErrorProbes::ProbeGroup(std::size_t index, GroupSensitivity& sensitivity) {
  const DecisionGroup& group = decisions_.groups()[index];
  const std::size_t samples = cache_.samples();
  cache_.Prepare(index);
  const Subgraph part =
      Expanded(cache_.graph(), decisions_.steps(), PartOf(cache_.steps(), group.steps));
  const Executable reference = Compile(part.graph, PlanOf(part, reference_), compile_);
  sensitivity.longest_sum = LongestSum(decisions_.graph(), group.nodes);
  std::vector<Results> exact;
  std::map<NumericFormat, std::vector<Results>> on_rounded;  // in float32 on rounded operands
  for (std::size_t s = 0; s < samples; ++s) {
    const Results inputs = InputsOf(part.graph, s);
    exact.push_back(Run(reference, inputs));
    if (const double largest = LargestOf(exact[s]); largest > sensitivity.largest_value) {
      sensitivity.largest_value = largest;
      sensitivity.largest_sample = cache_.sample_number(s);
    }
    for (const NumericFormat format : decisions_.formats()) {
      FormatSensitivity& of_format = sensitivity.formats[format];
      if (format.is_dynamic() && !HasChoiceIn(group, format)) {
        of_format.errors.push_back(0);
        continue;
      }
      const ValueRounding rounding(part.graph, decisions_.quantization(), format);
      on_rounded[format].push_back(Run(reference, Rounded(inputs, rounding, part.graph.inputs)));
      const double carried = RelativePower(exact[s], on_rounded[format][s]).value_or(0);
      // Rounding to a dynamic format is a part of the choice, whatever makes the operands.
      of_format.errors.push_back(format.is_dynamic() ? 0 : carried);
      RoundingFacts facts =
          RoundingFactsOf(rounding, {.tensors = inputs, .values = part.graph.inputs},
                          {.tensors = exact[s], .values = part.graph.outputs});
      facts.carried = carried;
      AddMean(facts, static_cast<double>(samples), of_format.rounding);
    }
  }
  // The choice with the largest error of each kind of format is carried to the outputs.
  std::array<Carried, kKinds> carried;
  carried.fill({.errors = std::vector<double>(samples, 0)});
  const bool decides = Decides(part.graph);
  std::vector<std::vector<Results>> made_by(group.choices.size());  // where it decides
  Assignment assignment(decisions_.groups().size(), 0);
  for (std::size_t c = 0; c < group.choices.size(); ++c) {
    ChoiceSensitivity& choice = sensitivity.choices[c];
    choice.errors.assign(samples, 0);
    if (c == 0) {
      continue;
    }
    assignment[index] = c;
    const NumericFormat format = group.choices[c].format;
    std::vector<Results> made;
    std::vector<double> errors;  // rounded operands included
    try {
      const Executable executable =
          Compile(part.graph, PlanOf(part, decisions_.PlanFor(assignment)), compile_);
      for (std::size_t s = 0; s < samples && choice.refusal.empty(); ++s) {
        made.push_back(Run(executable, InputsOf(part.graph, s)));
        const auto error = RelativePower(exact[s], made[s]);
        if (!error) {
          choice.refusal = "a result is infinite or NaN where float32 is finite";
          choice.not_finite = true;
          break;
        }
        const bool reads_float32 = format == DType::kFloat32 || format.is_dynamic();
        const Results& base = reads_float32 ? exact[s] : on_rounded.at(format)[s];
        errors.push_back(*error);
        choice.errors[s] = decides ? *error : RelativePower(base, made[s]).value_or(*error);
        choice.changed += ShareChanged(exact[s], made[s]);
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUnsupported) {
        throw;
      }
      choice.refusal = error.what();
    }
    choice.changed /= static_cast<double>(samples);
    choice.local_error = MeanOf(choice.errors);
    if (decides) {
      made_by[c] = made;
    }
    Carried& largest = carried[KindOf(format)];
    if (choice.refusal.empty() && MeanOf(errors) > MeanOf(largest.errors)) {
      largest = {.choice = c, .results = std::move(made), .errors = std::move(errors)};
    }
  }
  if (decides) {
    CarryEach(index, part, {made_by, on_rounded}, sensitivity);
  } else {
    CarryToOutputs(index, part, carried, sensitivity);
  }
}

void ErrorProbes::CarryEach(std::size_t index, const Subgraph& part, const Made& made,
                            GroupSensitivity& sensitivity) {
  const DecisionGroup& group = decisions_.groups()[index];
  const Behind behind = BehindGroup(group);
  const auto errors_of = [&](const std::vector<Results>& results) {
    std::vector<double> errors(cache_.samples(), 0);
    for (std::size_t s = 0; s < results.size(); ++s) {
      errors[s] = ErrorBehind(behind, part, s, results[s]);
    }
    return errors;
  };
  for (auto& [format, of_format] : sensitivity.formats) {
    const auto rounded = made.on_rounded.find(format);
    if (!format.is_dynamic() && rounded != made.on_rounded.end()) {
      of_format.errors = errors_of(rounded->second);
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

void ErrorProbes::CarryToOutputs(std::size_t index, const Subgraph& part,
                                 std::span<const Carried> carried, GroupSensitivity& sensitivity) {
  const DecisionGroup& group = decisions_.groups()[index];
  std::array<std::vector<double>, kKinds> gains;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (carried[kind].choice != 0) {
      gains[kind] =
          GainsOf(group, part, carried[kind].results, carried[kind].errors, sensitivity.gain);
      sensitivity.choices[carried[kind].choice].probed = true;
    }
  }
  // Without an error of its own kind: the gain of the other kind.
  const auto gains_of = [&](NumericFormat format) -> const std::vector<double>& {
    const std::vector<double>& own = gains[KindOf(format)];
    return own.empty() ? gains[1 - KindOf(format)] : own;
  };
  const auto multiply = [&](NumericFormat format, std::vector<double>& errors) {
    if (const std::vector<double>& by = gains_of(format); !by.empty()) {
      std::ranges::transform(errors, by, errors.begin(), std::multiplies<>());
    }
  };
  for (std::size_t c = 0; c < group.choices.size(); ++c) {
    multiply(group.choices[c].format, sensitivity.choices[c].errors);
  }
  for (auto& [format, of_format] : sensitivity.formats) {
    multiply(format, of_format.errors);
  }
}

std::vector<double> ErrorProbes::GainsOf(const DecisionGroup& group, const Subgraph& part,
                                         std::span<const Results> made,
                                         std::span<const double> errors, double& mean) {
  const Behind behind = BehindGroup(group);
  std::vector<double> gains;
  double at_outputs = 0;
  double here = 0;
  for (std::size_t s = 0; s < made.size(); ++s) {
    const double error = ErrorBehind(behind, part, s, made[s]);
    gains.push_back(errors[s] > 0 ? error / errors[s] : 0);
    at_outputs += error;
    here += errors[s];
  }
  mean = at_outputs / here;
  return gains;
}

}  // namespace halftone
