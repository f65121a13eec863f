// Connects the search with everything around it: data, measurer, knowledge base, reports.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "knowledge_base/sqlite_store.h"
#include "search/explain/kept_operators.h"
#include "search/measure/network_measurer.h"
#include "search/probe/network_prober.h"
#include "src/accuracy/metrics.h"
#include "src/api/bank/kernel_bank.h"
#include "src/api/bank/kernel_record.h"
#include "src/api/bank/store_front.h"
#include "src/api/bank/stored_prober.h"
#include "src/api/bank/trial_log.h"
#include "src/api/bank/workload.h"
#include "src/api/halftone.h"
#include "src/api/load/memory_limit.h"
#include "src/api/load/plan_sources.h"
#include "src/api/options/check_settings.h"
#include "src/api/report/measuring_details.h"
#include "src/api/report/report_details.h"
#include "src/api/report/write_outputs.h"
#include "src/api/tune/answer_from_bank.h"
#include "src/api/tune/baseline.h"
#include "src/api/tune/heldout.h"
#include "src/api/tune/search_limits.h"
#include "src/api/tune/work_plan.h"
#include "src/base/error.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The store, or nothing when no knowledge base is wanted.
struct Bank {
  std::unique_ptr<TrialStore> store;
  std::filesystem::path database;
  Hash128 workload_key;
  std::optional<TrialLog> log;  // of the workload in the store
  KernelChoices choices;        // of operator tuning, for this network
};

// --operator_tuning: float32 and each mode that is searched; what is found goes to the store.
void TuneKernels(const Model& model, const TuneProblem& problem, const TuneOptions& options,
                 const TuneCallbacks& callbacks, const Sample& sample, TrialStore& store) {
  OperatorTuningOptions operators;
  operators.measure = options.measure;
  operators.budget_s = options.operator_budget_s;
  const OperatorTunerHooks hooks{.on_progress = callbacks.on_operators,
                                 .stop_requested = callbacks.stop_requested};
  OperatorTuning tuning(model, sample, operators, hooks, store);
  tuning.Tune(ReferencePlan(problem.graph));
  for (const std::string& mode : problem.space.modes) {
    if (callbacks.stop_requested && callbacks.stop_requested()) {
      return;
    }
    try {
      tuning.Tune(ResolvePrecision(problem.graph, {.precision_mode = mode}, problem.target));
    } catch (const Error& error) {
      // A plan that does not resolve or compile becomes a rejection.
      if (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kModel &&
          error.kind() != ErrorKind::kUnsupported) {
        throw;
      }
    }
  }
}

Bank OpenBank(const Model& model, const TuneProblem& problem, const TuneOptions& options,
              const TuneCallbacks& callbacks, const Dataset& data) {
  Bank bank;
  if (!options.bank.empty()) {
    bank.database = DatabasePath(options.bank, problem.target.name);
    bank.store = OpenSqliteStore(bank.database, OpenMode::kReadWrite);
  }
  const std::unique_ptr<TrialStore> memory = bank.store == nullptr ? MakeMemoryStore() : nullptr;
  TrialStore& timings = bank.store != nullptr ? *bank.store : *memory;
  if (options.tune_operators) {
    TuneKernels(model, problem, options, callbacks, data.Read(0), timings);
  }
  bank.choices = ChoicesFrom(timings, model.graph, ThreadPool(options.measure.threads).threads());
  if (bank.store != nullptr) {
    bank.workload_key =
        bank.store->AddWorkload(WorkloadOf(model, data, problem.target.name, bank.choices));
    bank.log.emplace(*bank.store, bank.workload_key);
  }
  return bank;
}

void DescribeRun(const Model& model, const TuneOptions& options, const Dataset& data,
                 TuneSummary& summary) {
  summary.tool_version = Version();
  summary.command = options.command;
  summary.created_at = UtcNow();
  summary.model_name = model.name;
  summary.model_path = model.path.string();
  summary.model_hash = model.hash;
  summary.input_shapes = model.input_shapes;
  summary.node_count = static_cast<std::int64_t>(model.graph.nodes.size());

  summary.cpu = CpuName();
  summary.isa = IsaName(UsedIsa());
  summary.cpu_isa = IsaName(CpuIsa());
  summary.compiler = CompilerName();
  summary.threads = ThreadPool(options.measure.threads).threads();
  summary.inputs = options.data.inputs;
  summary.representative = data.representative;
  summary.seed = options.seed;
  summary.constraints = options.constraints;
  summary.fail_if = options.fail_if;
  summary.warnings.insert(summary.warnings.end(), data.notes.begin(), data.notes.end());
  if (!data.representative) {
    summary.warnings.emplace_back(
        "no --inputs: the samples are random, so accuracy figures say little about real data; give "
        "real inputs "
        "before you use any of these points");
  }
}

void AddResult(const TunerResult& result, TuneSummary& summary) {
  for (const std::size_t index : result.front) {
    summary.points.push_back({.trial = result.trials[index]});
  }
  for (const Trial& trial : result.trials) {
    if (const Rejection* rejection = trial.rejection()) {
      summary.rejected.push_back({Summary(trial.candidate), rejection->reason});
    }
  }
  summary.measured = result.measured;
  summary.known = result.known;
  summary.distinct_plans = result.measured + result.known;
  summary.stop_reason = result.stop_reason;
  summary.end = result.end;
  if (!summary.points.empty()) {
    summary.reference_latency_s = summary.points.front().measurement().latency.anchor_median_s;
  }
}

// The kernels of float32, of every searched mode and of the front.
std::string KernelsOf(const TuneProblem& problem, const CompileOptions& compile,
                      const TuneSummary& summary) {
  std::vector<PrecisionOptions> configurations;
  for (const std::string& mode : problem.space.modes) {
    configurations.push_back({.precision_mode = mode});
  }
  for (const FrontPoint& point : summary.points) {
    configurations.push_back(point.trial.candidate.options);
  }
  return KernelRecord(problem.graph, problem.target, configurations, compile);
}

std::unique_ptr<SearchStrategy> StrategyFor(const TuneProblem& problem, const TuneOptions& options,
                                            Prober& prober, TuneSummary& summary) {
  const SearchSpace& space = problem.space;
  std::unique_ptr<SearchStrategy> strategy;
  if (options.make_strategy) {
    summary.strategy = options.strategy.empty() ? "own" : options.strategy;
    strategy = options.make_strategy(space);
  } else {
    // Choices that a baseline pins are not among the probed decisions.
    summary.strategy = options.strategy.empty()
                           ? std::string(DefaultStrategy(space, !options.baseline))
                           : options.strategy;
    strategy = MakeStrategy(summary.strategy, space,
                            {.seed = options.seed,
                             .network = StrategyNetwork{&problem.graph, &problem.target, &prober},
                             .goal = options.constraints});
  }
  return options.baseline ? BaselineFirst(*options.baseline, std::move(strategy))
                          : std::move(strategy);
}

void DescribeProbes(const SearchStrategy& strategy, TuneSummary& summary) {
  const SearchInsight* insight = strategy.insight();
  if (insight == nullptr || insight->sensitivity.groups.empty()) {
    return;
  }
  const PredictionErrors off = PredictionErrorsOf(*insight);
  summary.probes = ProbeSummary{.groups = std::ssize(insight->groups),
                                .samples = std::ssize(insight->sensitivity.weights),
                                .evaluations = insight->sensitivity.evaluations,
                                .predictions = std::ssize(insight->predictions),
                                .loss_off_db = off.decibels,
                                .latency_off = off.latency};
  if (summary.chosen) {
    const Trial& chosen = summary.points[*summary.chosen].trial;
    summary.kept = KeptOperatorsOf(*insight, chosen);
    summary.alternatives = strategy.AlternativesTo(chosen);
  }
}

ProbeOptions ProbesFor(const Model& model, const TuneOptions& options,
                       const CompileOptions& compile) {
  ProbeOptions probes{.threads = options.measure.threads, .seed = options.seed, .compile = compile};
  probes.max_kept_bytes = KeptBytesWithin(model.options.max_memory);
  if (options.budget.evaluations) {
    // A third of what there is: probes that leave nothing to verify them are worth nothing.
    probes.error_evaluations =
        std::min(probes.error_evaluations, static_cast<double>(*options.budget.evaluations) / 3);
  }
  return probes;
}

// With the metric that the outputs of the network have. Error kUsage: metric, bounds or gates ask
// for outputs that it does not have.
TuneOptions OptionsFor(const Graph& graph, TuneOptions options) {
  options.measure.metric = MetricArgumentsFor(graph, options.measure.metric);
  CheckOutputsOf(options.constraints, graph);
  CheckGateOutputs(options.fail_if, graph);
  return options;
}

// Last stage of every path: the outcome, then the files with it.
void Finish(const Model& model, const TuneOptions& options, const TargetSpec& target,
            const OptionFiles& sources, const TuneCallbacks& callbacks, double elapsed_s,
            TuneSummary& summary) {
  summary.elapsed_s = elapsed_s;
  if (callbacks.stop_requested && callbacks.stop_requested()) {
    summary.end = SearchEnd::kUser;
  }
  summary.outcome = OutcomeOf(summary);
  if (!options.output.empty()) {
    WriteOutputs(summary, model, target, sources, options.output);
  }
}

}  // namespace

void CheckTuneOptions(const TuneOptions& options) {
  CheckMeasureSettings(options.measure);
  CheckConstraints(options.constraints);
  CheckOperatorBudget(options.operator_budget_s);
  ModesToSearch(LoadTarget(options.target), options.modes);
  if (!options.make_strategy && !options.strategy.empty()) {
    StrategyNamed(options.strategy);
  }
}

TuneSummary Tune(const Model& model, const TuneOptions& asked, const TuneCallbacks& callbacks) {
  const auto start = std::chrono::steady_clock::now();
  const MachineWatch watch;
  CheckTuneOptions(asked);
  const TuneOptions options = OptionsFor(model.graph, asked);
  RequireMachineMemory(model.graph);
  const TargetSpec target = LoadTarget(options.target);
  // Before the search: what it was of, whatever becomes of the files meanwhile.
  const OptionFiles sources = PlanSourcesOf(options.target, target, {&model, 1});
  TuneSummary summary;
  const DataSplit parts = LoadParts(model, options, summary);
  const Dataset& data = parts.search;
  DescribeRun(model, options, data, summary);
  summary.target = target.name;
  summary.warnings.insert(summary.warnings.end(), target.notes.begin(), target.notes.end());

  const TuneProblem problem{
      model.graph, target,
      MakeSearchSpace(model.graph, target,
                      {.modes = options.modes, .pinned_keep_dtype = options.pinned_keep_dtype})};
  summary.keepable_count = static_cast<std::int64_t>(problem.space.keepable_nodes.size());
  summary.space = problem.space.Summary();
  // Pinned entries must resolve alone, or all candidates would be rejected for them.
  const PrecisionPlan pinned = ResolvePrecision(
      model.graph,
      {.precision_mode = "allow_fp32_to_fp16", .keep_dtype = problem.space.pinned_keep_dtype},
      target);
  summary.warnings.insert(summary.warnings.end(), pinned.warnings.begin(), pinned.warnings.end());
  summary.warnings.insert(summary.warnings.end(), problem.space.notes.begin(),
                          problem.space.notes.end());

  // The output folder is tried before hours of work, not after them.
  if (!options.output.empty()) {
    CheckWritable(options.output);
  }
  Bank bank = OpenBank(model, problem, options, callbacks, data);
  summary.database = bank.database.string();
  summary.kernel_choices = bank.choices.kernels().size();

  const LossMetric metric = ChooseMetric(options.measure.metric);
  SharedConstants shared;
  const CompileOptions compile{.kernels = {}, .choices = bank.choices, .shared = &shared};
  if (bank.store != nullptr && !options.search_again &&
      AnswerFromBank(*bank.store, bank.workload_key, options, problem.space, parts.heldout,
                     summary)) {
    WarnWithoutHeldout(summary);
    ChooseAndCertify(options.seed, summary);
    const AnsweredRun run{.model = model, .target = target, .data = data, .options = options};
    if (options.verify && summary.chosen) {
      VerifyChosen(run, compile, *bank.store, bank.workload_key, summary);
      DescribeMachine(watch, summary);
    } else {
      summary.machine = watch.facts();  // nothing was timed that a load of now could have disturbed
      WarnOfLoadedPoints(summary);
    }
    DescribeKept(run, problem.space, *bank.store, bank.workload_key, summary);
    Finish(model, options, target, sources, callbacks, SecondsSince(start), summary);
    return summary;
  }
  NetworkMeasurer measurer(model.graph, data,
                           {.threads = options.measure.threads,
                            .quick_budget_s = options.measure.quick_budget_s,
                            .confirm_budget_s = options.measure.full_budget_s,
                            .seed = options.seed,
                            .metric = metric,
                            .max_kept_bytes = KeptBytesWithin(model.options.max_memory),
                            .compile = compile});
  DescribeMetric(metric, measurer, summary);
  NetworkProber prober(
      model.graph, data, ProbesFor(model, options, compile),
      {.on_progress = callbacks.on_probes,
       .stop_requested = callbacks.stop_requested,
       .on_warning = [&](const std::string& text) { summary.warnings.push_back(text); }});
  StoredProber stored_prober(prober, bank.store.get(), bank.workload_key);
  const std::unique_ptr<SearchStrategy> strategy =
      StrategyFor(problem, options, stored_prober, summary);
  const TunerOptions limits = LimitsOf(options, measurer, parts);
  if (callbacks.on_work_plan) {
    callbacks.on_work_plan(
        WorkPlanText(*strategy, limits, SecondsOfPlan(options, measurer, summary.sample_count)));
  }
  summary.reference_top1 = measurer.reference_top1();
  summary.reference_arena_bytes = measurer.reference_arena_bytes();
  TunerHooks hooks{.on_progress = callbacks.on_progress,
                   .stop_requested = callbacks.stop_requested};
  hooks.elapsed_s = [start] { return SecondsSince(start); };
  if (bank.store != nullptr) {
    hooks.on_trial = [&bank](const Trial& trial) { bank.log->Add(trial); };
  }
  const std::vector<Trial> known =
      bank.log ? WithLoss(bank.log->Known(), metric) : std::vector<Trial>();
  TunerResult result = RunTuner(problem, *strategy, measurer, limits, known, hooks);
  if (options.baseline) {
    summary.baseline = ConfirmBaseline(problem, *options.baseline, measurer, hooks, result);
  }
  AddResult(result, summary);
  EvaluateHeldout(model, target, options, compile, parts.heldout, summary);
  WarnWithoutHeldout(summary);
  ChooseAndCertify(options.seed, summary);
  DescribeAccuracy(problem, measurer, data, summary);
  DescribeProbes(*strategy, summary);
  DescribeMachine(watch, summary);
  if (bank.store != nullptr && !summary.points.empty()) {
    Provenance facts = FactsOfKernels(KernelsOf(problem, compile, summary));
    facts.merge(AnswerFacts(options, problem.space, parts.heldout, summary));
    StoreFront(*bank.log, problem.space, facts, summary);
  }
  AddReportDetails({.model = model,
                    .target = target,
                    .data = data,
                    .options = options,
                    .compile = compile,
                    .insight = strategy->insight(),
                    .stop_requested = callbacks.stop_requested},
                   summary);
  Finish(model, options, target, sources, callbacks, SecondsSince(start), summary);
  return summary;
}

}  // namespace halftone
