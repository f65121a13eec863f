#include "src/api/tune/network_search.h"

#include <algorithm>
#include <span>
#include <utility>

#include "search/strategies/model_strategy.h"
#include "search/trial/choose.h"
#include "src/api/bank/store_front.h"
#include "src/api/load/memory_limit.h"
#include "src/api/report/measuring_details.h"
#include "src/api/tune/amct_first.h"
#include "src/api/tune/baseline.h"
#include "src/api/tune/search_limits.h"
#include "src/api/tune/work_plan.h"

namespace halftone {
namespace {

NamedStrategy StrategyFor(const TuneProblem& problem, const TuneOptions& options, Prober& prober,
                          std::optional<double> affordable_plans) {
  const SearchSpace& space = problem.space;
  NamedStrategy named{.name = options.strategy, .strategy = nullptr};
  if (options.make_strategy) {
    if (named.name.empty()) {
      named.name = "own";
    }
    named.strategy = options.make_strategy(space);
  } else {
    if (named.name.empty()) {
      // Choices that a baseline pins are not among the probed decisions.
      named.name = DefaultStrategy(space, !options.baseline);
    }
    named.strategy =
        MakeStrategy(named.name, space,
                     {.seed = options.seed,
                      .network = StrategyNetwork{&problem.graph, &problem.target, &prober},
                      .goal = options.constraints,
                      .goes_on = options.spend_budget,
                      .affordable_plans = affordable_plans});
  }
  named.strategy = WithAmctLayers(problem, std::move(named.strategy));
  if (options.baseline) {
    named.strategy = BaselineFirst(*options.baseline, std::move(named.strategy));
  }
  return named;
}

// Seconds that are reserved for the work after the search; 0 where a limit on the search applies.
double SecondsReserved(const TunerOptions& limits) {
  return limits.confirm_s > 0 ? limits.most_confirm_s + limits.after_s : 0;
}

// Seconds that the search has, without what is reserved for the work after it.
double SecondsToSearch(const TunerOptions& limits, const RunStart& start) {
  return std::max(0.0, start.budget.left_s() - SecondsReserved(limits));
}

ProbeOptions ProbesFor(const Prepared& prepared, const RunCosts& costs, const TunerOptions& limits,
                       const RunStart& start) {
  const TuneOptions& options = prepared.options;
  ProbeOptions probes{.threads = options.measure.threads,
                      .seed = options.seed,
                      .latency = prepared.latency,
                      .compile = prepared.Compile()};
  probes.max_kept_bytes = KeptBytesWithin(prepared.network.model().options.max_memory);
  // A third of what there is: probes that leave nothing to verify them are worth nothing.
  constexpr double kShare = 1.0 / 3;
  if (options.budget.evaluations) {
    probes.error_evaluations = std::min(probes.error_evaluations,
                                        static_cast<double>(*options.budget.evaluations) * kShare);
  }
  if (options.budget.time) {
    const double seconds = SecondsToSearch(limits, start) * kShare;
    const double plan_s = SecondsOfPlan(options, costs);
    probes.error_evaluations = std::min(probes.error_evaluations, seconds / plan_s);
    probes.time_budget_s = std::min(probes.time_budget_s, seconds * kShare);
    const double runs = seconds / costs.run_s;
    probes.most_error_runs = (1 - kShare) * runs;
    probes.most_timed_runs = kShare * runs;
  }
  return probes;
}

// Plans that the time left is enough for, besides what is reserved for probes, confirmation and
// report.
std::optional<double> AffordablePlans(const Prepared& prepared, const RunCosts& costs,
                                      const TunerOptions& limits, const RunStart& start) {
  if (!prepared.options.budget.time) {
    return std::nullopt;
  }
  constexpr double kShare = 2.0 / 3;  // without what probes take
  return kShare * SecondsToSearch(limits, start) / SecondsOfPlan(prepared.options, costs);
}

// Float32 on the samples, which the measurer runs first, belongs to the reference.
MeasureOptions BeginReference(const Prepared& prepared, const RunStart& start) {
  start.budget.Begin(BudgetPhase::kReference);
  return prepared.Measuring();
}

}  // namespace

NetworkSearch::NetworkSearch(const Prepared& prepared, const RunStart& start,
                             const TuneCallbacks& callbacks, TrialLog* log)
    : prepared_(prepared),
      start_(start),
      callbacks_(callbacks),
      log_(log),
      problem_(prepared.Problem()),
      measurer_(problem_.graph, prepared.SearchedShapes(), BeginReference(prepared, start)),
      costs_(CostsOf(measurer_, start.budget.run_s())),
      limits_(LimitsOf(prepared.options, costs_, prepared.facts.heldout_count)),
      prober_(problem_.graph, prepared.samples.searched(),
              ProbesFor(prepared, costs_, limits_, start),
              {.on_progress = callbacks.on_probes,
               .stop_requested = callbacks.stop_requested,
               .on_warning = [this](const std::string& text) { warnings_.push_back(text); }}),
      timed_prober_(prober_, start.budget,
                    {.run_s = costs_.run_s,
                     .compile_s = costs_.compile_s,
                     .after_s = SecondsReserved(limits_),
                     .timed = prepared.latency->is_timed()}),
      stored_prober_(timed_prober_, prepared.bank.store.get(),
                     log != nullptr ? log->workload_key() : Hash128{}),
      named_(StrategyFor(problem_, prepared.options, stored_prober_,
                         AffordablePlans(prepared, costs_, limits_, start))) {
  start.budget.LearnRun(costs_.run_s);
  if (callbacks.on_bounds) {
    callbacks.on_bounds(prepared.options.constraints, measurer_.reference_top1());
  }
  if (callbacks.on_work_plan) {
    callbacks.on_work_plan(WorkPlanText(*named_.strategy, limits_, plan_s()));
  }
}

double NetworkSearch::plan_s() const {
  return SecondsOfPlan(prepared_.options, costs_);
}

Confirmed NetworkSearch::Run() {
  const TuneOptions& options = prepared_.options;
  TunerHooks hooks{.on_progress = callbacks_.on_progress,
                   .stop_requested = callbacks_.stop_requested};
  hooks.elapsed_s = [this] { return start_.budget.elapsed_s(); };
  hooks.on_phase = [this](TunerProgress::Phase phase) {
    start_.budget.Begin(phase == TunerProgress::Phase::kSearch ? BudgetPhase::kSearch
                                                               : BudgetPhase::kConfirmation);
  };
  hooks.choose = [this](std::span<const Trial> front) {
    return ChooseMember(front, prepared_.options.constraints, measurer_.reference_top1());
  };
  if (log_ != nullptr) {
    hooks.on_trial = [this](const Trial& trial) { log_->Add(trial); };
  }
  const Dataset& samples = prepared_.scales.correction_samples;
  const ThreadPool pool(samples.empty() ? 1 : prepared_.facts.threads);
  SequentialCorrection correction(problem_.graph, samples, prepared_.Compile(), pool);
  if (!samples.empty()) {
    hooks.corrected = [&](const PrecisionPlan& plan) { return correction.Corrected(plan); };
  }
  const std::vector<Trial> known = log_ != nullptr && !options.measure_again
                                       ? WithLoss(log_->Known(), prepared_.metric)
                                       : std::vector<Trial>();
  Confirmed confirmed = RunTuner(problem_, *named_.strategy, measurer_, limits_, known, hooks);
  if (options.baseline) {
    confirmed =
        ConfirmBaseline(problem_, *options.baseline, measurer_, hooks, std::move(confirmed));
  }
  start_.budget.Begin(BudgetPhase::kReport);
  return confirmed;
}

SearchFacts NetworkSearch::FactsOf(const Confirmed& confirmed) const {
  SearchFacts facts{.strategy = named_.name,
                    .distinct_plans = confirmed.measured + confirmed.known,
                    .measured = confirmed.measured,
                    .known = confirmed.known,
                    .stop_reason = confirmed.stop_reason,
                    .end = confirmed.end,
                    .rejected = {}};
  for (const Trial& trial : confirmed.trials) {
    facts.lowered += trial.measurement() != nullptr && !trial.low_precision_nodes.empty() ? 1 : 0;
    if (const Rejection* rejection = trial.rejection()) {
      facts.rejected.push_back(
          {Summary(trial.candidate, VocabularyOf(prepared_.target())), rejection->reason});
    }
  }
  facts.plan = {.run_s = costs_.run_s,
                .runs = RunsOfPlan(prepared_.options, costs_) + static_cast<double>(costs_.samples),
                .plan_s = plan_s()};
  return facts;
}

}  // namespace halftone
