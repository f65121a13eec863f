#include "src/api/tune/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "knowledge_base/sqlite_store.h"
#include "search/space/decisions.h"
#include "search/strategies/model_strategy.h"
#include "src/accuracy/discrete_outputs.h"
#include "src/api/bank/kernel_bank.h"
#include "src/api/bank/kernel_record.h"
#include "src/api/bank/seed_bank.h"
#include "src/api/bank/stored_profile.h"
#include "src/api/bank/tuned_plans.h"
#include "src/api/bank/workload.h"
#include "src/api/load/memory_limit.h"
#include "src/api/load/plan_sources.h"
#include "src/api/operator_tuning.h"
#include "src/api/report/write_outputs.h"
#include "src/api/tune/answer_from_bank.h"
#include "src/api/tune/calibration.h"
#include "src/api/tune/destination.h"
#include "src/api/tune/fit_samples.h"
#include "src/api/tune/format_speeds.h"
#include "src/api/tune/heldout.h"
#include "src/api/tune/run_facts.h"
#include "src/api/tune/runtime_space.h"
#include "src/api/tune/search_limits.h"
#include "src/api/tune/search_samples.h"
#include "src/api/tune/slow_choices.h"
#include "src/api/tune/try_metric.h"
#include "src/base/error.h"
#include "src/base/hash.h"
#include "src/exec/operator_signature.h"
#include "src/precision/resolve/resolve.h"
#include "src/target/destinations.h"

namespace halftone {
namespace {

// Options with the metric that the outputs of the network have, and the strategy's canonical text.
// Error kUsage: metric, bounds or gates ask for outputs that it does not have.
TuneOptions OptionsFor(const Graph& graph, TuneOptions options) {
  if (!options.make_strategy && !options.strategy.empty()) {
    options.strategy = CanonicalStrategy(options.strategy);
  }
  options.measure.metric = MetricArgumentsFor(graph, options.measure.metric);
  CheckOutputsOf(options.constraints, graph);
  CheckMetricOf(options.constraints, ChooseMetric(options.measure.metric));
  CheckGateOutputs(options.fail_if, graph);
  return options;
}

// With 8 bits and float32 alone, the mode that lowers nothing.
std::vector<std::string> ModesOf(const TuneOptions& options, const TargetSpec& target) {
  if (target.destination != nullptr) {
    return {std::string(kNothingLowered)};
  }
  if (options.quantize.mode != QuantizeMode::kOnly) {
    return options.modes;
  }
  if (!options.modes.empty()) {
    throw Error(ErrorKind::kUsage,
                "--quantize=only and --precision_mode exclude each other: the former searches 8 "
                "bits and float32 alone");
  }
  return {std::string(kNothingLowered)};
}

// Pinned entries must resolve alone, or all candidates would be rejected for them.
std::vector<std::string> WarningsOfPinned(const Graph& graph, const SearchSpace& space,
                                          const TargetSpec& target) {
  return ResolvePrecision(
             graph, {.precision_mode = "allow_fp32_to_fp16", .keep_dtype = space.pinned_keep_dtype},
             target)
      .warnings;
}

constexpr std::string_view kRandomSamples =
    "no --inputs: the samples are random, so accuracy figures say little about real data; give "
    "real inputs before you use any of these points";

// On what was read, before anything runs.
std::vector<std::string> WarningsOf(const NetworkAtShapes& network, const Samples& samples,
                                    const SearchSpace& space, const LatencySource& latency) {
  std::vector<std::string> warnings = samples.warnings;
  const auto add = [&](const std::vector<std::string>& more) {
    warnings.insert(warnings.end(), more.begin(), more.end());
  };
  for (const DataSplit& part : samples.parts) {
    add(part.search.notes);
  }
  if (!samples.searched().representative) {
    warnings.emplace_back(kRandomSamples);
  }
  add(network.target.notes);
  if (!latency.is_timed()) {
    const std::string_view script = VocabularyOf(network.target).script;
    warnings.push_back(fmt::format(
        "latencies are {}: they order the points, no more; to measure them, {} and time them there",
        latency.description(),
        network.target.destination != nullptr
            ? std::string("run model_qdq.onnx of the points on it")
        : script.empty()
            ? std::string("compile the points for the device")
            : fmt::format("compile the points for the device ({} of a point, where it has one)",
                          script)));
  }
  if (network.dumped_profile) {
    add(network.dumped_profile->loaded.warnings);
    warnings.push_back(fmt::format(
        "{}: profile.yaml of a point is this file with the point's ranges; where the point has "
        "another node_precision.yaml than it was dumped with, dump it again with that, and fill "
        "it: halftone qaic-compile -load-profile=... -ranges-from=profile.yaml -point=...",
        network.dumped_profile->where));
  }
  add(WarningsOfPinned(network.graph(), space, network.target));
  add(space.notes);
  return warnings;
}

// In times of a full measurement: with a profile few kernels are open.
constexpr double kProfileShare = 0.25;
constexpr double kFullShare = 2;

// Of a budget in time, for each plan: a network of 200 ms is tuned in 10 min, and not in 1 min.
constexpr double kShareOfPlan = 0.01;

double OperatorBudgetOf(const TuneOptions& options, const TimeBudget& budget) {
  const double share =
      options.operator_tuning == OperatorTuningMode::kFull ? kFullShare : kProfileShare;
  return options.operator_budget_s.value_or(
      std::max(share * options.measure.full_budget_s, kShareOfPlan * budget.limit_s().value_or(0)));
}

// Of a budget in time, machine profile included: what is left serves the search.
constexpr double kMostOfTheBudget = 0.1;

// Kernels are profiled and raced only in a slice of at least this many float32 runs or, if that is
// shorter, of this many seconds: the first step compiles a network and runs it in rounds.
constexpr double kFewestRunsToTune = 20;
constexpr double kFewestSecondsToTune = 2;

// --operator_tuning at one input shape; what is found goes to the store.
void TuneKernels(const RunInputs& inputs, std::size_t shape, const SearchSpace& space,
                 const TuneCallbacks& callbacks, const TimeBudget& budget) {
  const TuneOptions& options = inputs.options;
  const Model& model = inputs.network.profiles[shape];
  OperatorTuningOptions operators;
  operators.measure = options.measure;
  operators.mode = options.operator_tuning;
  operators.budget_s = OperatorBudgetOf(options, budget);
  operators.run_s = budget.run_s();
  const Sample sample = inputs.samples.parts[shape].search.Read(0);
  const auto shapes = static_cast<double>(inputs.network.profiles.size());
  const TimeSlice slice = budget.Slice(kMostOfTheBudget / shapes);
  if (!slice.Fits(std::min(kFewestSecondsToTune, kFewestRunsToTune * budget.run_s()))) {
    return;
  }
  // The next piece of work is expected to take as long as the longest so far. A piece compiles a
  // network, which may take longer than its runs.
  double longest_s = budget.run_s();
  double asked_s = slice.now_s();
  const auto stop = [&] {
    longest_s = std::max(longest_s, slice.now_s() - asked_s);
    asked_s = slice.now_s();
    return (callbacks.stop_requested && callbacks.stop_requested()) || !slice.Fits(longest_s);
  };
  const OperatorTunerHooks hooks{.on_progress = callbacks.on_operators, .stop_requested = stop};
  OperatorTuning tuning(model, sample, inputs.target(), operators, hooks, inputs.bank.kernels());
  for (const PrecisionPlan& plan : PlansToTune(model.graph, inputs.target(), space)) {
    if (stop()) {
      return;
    }
    try {
      tuning.Tune(plan);
    } catch (const Error& error) {
      // A plan that does not compile becomes a rejection of the search.
      if (error.kind() != ErrorKind::kModel && error.kind() != ErrorKind::kUnsupported) {
        throw;
      }
    }
  }
}

// Choices of the space that the stored machine profile rules out.
std::vector<SlowChoice> SlowChoicesIn(const SearchSpace& space, const RunInputs& inputs) {
  const Graph& graph = inputs.graph();
  const MachineProfile profile =
      StoredProfile(OperatorsOf(graph), inputs.threads, inputs.bank.kernels());
  if (profile.empty()) {
    return space.slow_choices;
  }
  const Decisions decisions(graph, inputs.target(), DecisionOptionsOf(space, inputs.target()));
  return SlowChoicesOf(decisions, profile, inputs.threads);
}

}  // namespace

std::vector<MeasuredShape> Prepared::SearchedShapes() const {
  std::vector<MeasuredShape> shapes;
  for (std::size_t i = 0; i < network.profiles.size(); ++i) {
    shapes.push_back({facts.shapes[i].input_shapes, &network.profiles[i].graph,
                      &samples.parts[i].search, samples.weights[i], CompileAt(i)});
  }
  return shapes;
}

std::vector<MeasuredShape> Prepared::HeldoutShapes() const {
  std::vector<MeasuredShape> shapes = SearchedShapes();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    shapes[i].dataset = &samples.parts[i].heldout;
  }
  std::erase_if(shapes, [](const MeasuredShape& shape) { return shape.dataset->empty(); });
  return shapes;
}

Workload Prepared::CurrentWorkload() const {
  Workload workload =
      WorkloadOf(network.model(), samples.searched(), target().name, choices.front());
  if (network.profiles.size() > 1) {
    Hasher hasher;
    hasher.Add(workload.data_hash).Add(fmt::format("{}", samples.weights.front()));
    for (std::size_t i = 1; i < network.profiles.size(); ++i) {
      hasher.Add(samples.parts[i].search.Hash())
          .Add(choices[i].Digest())
          .Add(fmt::format("{}", samples.weights[i]));
    }
    workload.input_shapes = facts.input_shapes;
    workload.data_hash = hasher.Finish();
  }
  if (!latency->is_timed()) {
    workload.cpu = latency->description();  // whose latencies these are
    if (facts.anchor != kFloat32Anchor) {
      workload.cpu += "; against " + facts.anchor;
    }
  }
  if (latency->runs_plans()) {
    workload.cpu = CpuWithRuntime(latency->description());
  }
  workload.cpu = CpuWithLibrary(std::move(workload.cpu), target().library);
  return workload;
}

std::string Prepared::KernelsOf(std::span<const Trial> front) const {
  std::vector<PrecisionOptions> configurations;
  for (const std::string& mode : space.modes) {
    configurations.push_back({.precision_mode = mode});
  }
  for (const Trial& trial : front) {
    configurations.push_back(trial.candidate.options);
  }
  return KernelRecord(graph(), target(), configurations, Compile());
}

MeasureOptions Prepared::Measuring() const {
  return {.threads = options.measure.threads,
          .quick_budget_s = options.measure.quick_budget_s,
          .quick_most_s = MostSecondsOfPlan(options),
          .confirm_budget_s = options.measure.full_budget_s,
          .seed = options.seed,
          .metric = metric,
          .max_kept_bytes = KeptBytesWithin(network.model().options.max_memory),
          .latency = latency,
          .compile = Compile()};
}

namespace {

// CheckTuneOptions(), and the options for this network.
TuneOptions CheckedOptions(const Model& model, const TuneOptions& asked) {
  CheckTuneOptions(asked);
  TuneOptions options = OptionsFor(model.graph, asked);
  if (!options.measure.on.runtime.empty()) {
    options.operator_tuning = OperatorTuningMode::kOff;  // of kernels that are not measured
  }
  return options;
}

SearchSpace SpaceOf(const NetworkAtShapes& network, const TuneOptions& options) {
  SearchSpace space = MakeSearchSpace(
      network.graph(), network.target,
      {.modes = ModesOf(options, network.target), .pinned_keep_dtype = options.pinned_keep_dtype});
  if (network.target.destination != nullptr) {
    space.impl_mode_sets.resize(1);  // of the kernels here; a QDQ file has no word for others
  }
  return space;
}

// Tells what is known before anything runs. The output folder is tried before hours of work, not
// after them.
void BeginRun(const TuneOptions& options, const RunFacts& facts, const TuneCallbacks& callbacks) {
  if (!options.output.empty()) {
    CheckWritable(options.output);
  }
  if (callbacks.on_warning && !facts.representative) {
    callbacks.on_warning(std::string(kRandomSamples));
  }
  if (callbacks.on_promises) {
    for (const std::string& note : PromiseNotes(options, facts.heldout_count)) {
      callbacks.on_promises(note);
    }
  }
}

// The kernels of each input shape, after operator tuning where `tune` says so.
std::vector<KernelChoices> ChooseKernels(const RunInputs& inputs, const SearchSpace& space,
                                         bool tune, const TuneCallbacks& callbacks,
                                         const TimeBudget& budget) {
  std::vector<KernelChoices> choices;
  for (std::size_t i = 0; tune && i < inputs.network.profiles.size(); ++i) {
    TuneKernels(inputs, i, space, callbacks, budget);
  }
  for (const Model& model : inputs.network.profiles) {
    choices.push_back(ChoicesFrom(inputs.bank.kernels(), model.graph, inputs.threads));
  }
  return choices;
}

// `has_time`: for more than what is stored.
Prepared PrepareLoaded(TuneOptions options, NetworkAtShapes network, Samples samples, bool has_time,
                       const TuneCallbacks& callbacks, TimeBudget& budget) {
  const TargetSpec& target = network.target;
  SearchSpace space = SpaceOf(network, options);
  RunFacts facts =
      FactsOf(network.profiles, options, target, samples.parts, samples.weights, space);
  const int threads = facts.threads;
  LossMetric metric = ChooseMetric(options.measure.metric);
  metric.stop_requested = callbacks.stop_requested;
  const bool on_runtime = !options.measure.on.runtime.empty();
  // Until OpenRuntime() of one that is asked for.
  std::shared_ptr<LatencySource> latency = on_runtime ? HostClock() : SourceFor(target);
  if (!latency->is_timed()) {
    facts.cpu = latency->description();
    options.measure.quick_budget_s = kPredictedBudget_s;
    options.measure.full_budget_s = kPredictedBudget_s;
  }
  std::vector<std::string> warnings = WarningsOf(network, samples, space, *latency);
  const auto add = [&](const std::vector<std::string>& more) {
    warnings.insert(warnings.end(), more.begin(), more.end());
  };
  BeginRun(options, facts, callbacks);
  BankSession bank = OpenBank(network, options, threads, callbacks);
  facts.database = bank.database.string();
  if (has_time) {
    TryMetric(network.model(), samples.searched(), metric, threads, bank.store.get());
    if (on_runtime) {
      OpenedLatency opened =
          OpenRuntime(network, options, samples.searched(), callbacks.stop_requested);
      latency = std::move(opened.source);
      add(opened.notes);
      facts.runtime = latency->description();
      facts.anchor = latency->AnchorFor(network.graph()).name;
    }
  }
  const RunInputs inputs{.network = network,
                         .options = options,
                         .samples = samples,
                         .bank = bank,
                         .threads = threads,
                         .stored_only = !has_time};
  const FormatSpeeds speeds = SpeedsFor(inputs, budget);
  facts.format_times = speeds.times;
  const CompileOptions compile{
      .kernels = {}, .choices = KernelChoices(threads), .shared = network.shared.get()};
  Scales scales = ScalesOf(inputs, speeds.scaled, compile, callbacks, budget);
  add(scales.warnings);
  space.quantization = scales.quantization;
  if (!latency->is_timed() && space.quantization) {
    facts.cost_model = CostModelOf(target);
  }
  if (latency->runs_plans()) {
    RunnableSpace runnable = WithoutRefusedFormats(std::move(space), network, *latency);
    space = std::move(runnable.space);
    add(runnable.warnings);
  }
  const PhaseScope scope(budget, BudgetPhase::kKernels);
  // What is fast here says nothing of another machine.
  const bool tune_kernels = options.operator_tuning != OperatorTuningMode::kOff && target.is_host();
  std::vector<KernelChoices> choices =
      ChooseKernels(inputs, space, tune_kernels && has_time, callbacks, budget);
  if (tune_kernels) {
    space.slow_choices = SlowChoicesIn(space, inputs);
  }
  facts.space = space.Summary();
  facts.kernel_choices = choices.front().kernels().size();
  return {.network = std::move(network),
          .samples = std::move(samples),
          .bank = std::move(bank),
          .scales = std::move(scales),
          .options = std::move(options),
          .space = std::move(space),
          .metric = std::move(metric),
          .latency = std::move(latency),
          .choices = std::move(choices),
          .facts = std::move(facts),
          .warnings = std::move(warnings),
          .stored_only = !has_time};
}

// Keys of the network's workloads with fronts, in any number of samples.
std::vector<Hash128> FrontsOf(const Model& model, std::string_view target, TrialStore& store) {
  std::vector<Hash128> keys;
  for (const WorkloadSummary& summary : store.Workloads()) {
    if (summary.fronts > 0 && summary.workload.model_hash == model.hash &&
        summary.workload.target == target) {
      keys.push_back(summary.key);
    }
  }
  return keys;
}

}  // namespace

Prepared Prepare(std::span<const Model> profiles, const TuneOptions& asked,
                 const TuneCallbacks& callbacks, TimeBudget& budget) {
  TuneOptions options = CheckedOptions(profiles.front(), asked);
  NetworkAtShapes network = ReadNetwork(profiles, options);
  Samples samples = FitSamples(profiles, options, budget, ReadSamples(profiles, options));
  const bool has_time = samples.has_time;
  return PrepareLoaded(std::move(options), std::move(network), std::move(samples), has_time,
                       callbacks, budget);
}

std::optional<Prepared> PrepareStored(std::span<const Model> profiles, const TuneOptions& asked,
                                      const TuneCallbacks& callbacks, TimeBudget& budget) {
  CheckTuneOptions(asked);
  const TargetSpec target = LoadTarget(asked.target);
  const std::filesystem::path database = DatabasePath(asked.bank, target.name);
  if (asked.bank.empty() || !std::filesystem::exists(database)) {
    return std::nullopt;
  }
  std::unique_ptr<TrialStore> store = OpenSqliteStore(database, OpenMode::kReadWrite);
  const std::vector<Hash128> keys = FrontsOf(profiles.front(), target.name, *store);
  if (keys.empty()) {
    return std::nullopt;
  }
  TuneOptions options = CheckedOptions(profiles.front(), asked);
  NetworkAtShapes network = ReadNetwork(profiles, options);
  Samples samples = ReadSamples(profiles, options);
  if (const auto limit_s = budget.limit_s()) {
    auto stored = StoredSamples(*store, keys, AskedSamples(samples, *limit_s), profiles.size());
    if (!stored) {
      return std::nullopt;
    }
    samples = Reduced(std::move(samples), *std::move(stored));
  }
  store.reset();
  TuneCallbacks quiet;  // a preparation that measures says the rest
  quiet.stop_requested = callbacks.stop_requested;
  return PrepareLoaded(std::move(options), std::move(network), std::move(samples), false, quiet,
                       budget);
}

}  // namespace halftone
