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
#include "src/api/report/write_outputs.h"
#include "src/api/tune/answer_from_bank.h"
#include "src/api/tune/calibration.h"
#include "src/api/tune/destination.h"
#include "src/api/tune/fit_samples.h"
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

std::vector<std::string> WarningsOf(const Prepared& prepared) {
  std::vector<std::string> warnings;
  const auto add = [&](const std::vector<std::string>& more) {
    warnings.insert(warnings.end(), more.begin(), more.end());
  };
  add(prepared.data.search.notes);
  for (const PreparedShape& other : prepared.others) {
    add(other.data.search.notes);
  }
  if (!prepared.data.search.representative) {
    warnings.emplace_back(kRandomSamples);
  }
  add(prepared.target.notes);
  if (!prepared.latency->is_timed()) {
    const std::string_view script = VocabularyOf(prepared.target).script;
    warnings.push_back(fmt::format(
        "latencies are {}: they order the points, no more; to measure them, {} and time them there",
        prepared.latency->description(),
        prepared.target.destination != nullptr
            ? std::string("run model_qdq.onnx of the points on it")
        : script.empty()
            ? std::string("compile the points for the device")
            : fmt::format("compile the points for the device ({} of a point, where it has one)",
                          script)));
  }
  if (prepared.dumped_profile) {
    add(prepared.dumped_profile->loaded.warnings);
    warnings.push_back(fmt::format(
        "{}: profile.yaml of a point is this file with the point's ranges; where the point has "
        "another node_precision.yaml than it was dumped with, dump it again with that, and fill "
        "it: halftone qaic-compile -load-profile=... -ranges-from=profile.yaml -point=...",
        prepared.dumped_profile->where));
  }
  add(WarningsOfPinned(prepared.model.graph, prepared.space, prepared.target));
  add(prepared.space.notes);
  return warnings;
}

// In times of a full measurement: with a profile few kernels are open.
constexpr double kProfileShare = 0.25;
constexpr double kFullShare = 2;

double OperatorBudgetOf(const TuneOptions& options) {
  const double share =
      options.operator_tuning == OperatorTuningMode::kFull ? kFullShare : kProfileShare;
  return options.operator_budget_s.value_or(share * options.measure.full_budget_s);
}

// Of a budget in time: what is left serves the search.
constexpr double kMostOfTheBudget = 0.25;
// Runs without which nothing is learnt of a kernel: seven rounds of two variants or more, and as
// many of the winners.
constexpr double kRunsOfKernels = 28;

// --operator_tuning at one shape; what is found goes to the store.
void TuneKernels(const Prepared& prepared, const Model& model, const Dataset& data,
                 const TuneCallbacks& callbacks, TrialStore& store, const TimeBudget& budget) {
  const TuneOptions& options = prepared.options;
  OperatorTuningOptions operators;
  operators.measure = options.measure;
  operators.mode = options.operator_tuning;
  operators.budget_s = OperatorBudgetOf(options);
  const Sample sample = data.Read(0);
  const auto shapes = static_cast<double>(1 + prepared.others.size());
  const TimeSlice slice = budget.Slice(kMostOfTheBudget / shapes);
  if (!slice.Fits(kRunsOfKernels * budget.run_s())) {
    return;
  }
  const auto stop = [&] {
    return (callbacks.stop_requested && callbacks.stop_requested()) || !slice.Fits(budget.run_s());
  };
  const OperatorTunerHooks hooks{.on_progress = callbacks.on_operators, .stop_requested = stop};
  OperatorTuning tuning(model, sample, prepared.target, operators, hooks, store);
  for (const PrecisionPlan& plan : PlansToTune(model.graph, prepared.target, prepared.space)) {
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

// Takes choices that the stored machine profile rules out from the space.
void LeaveOutSlowChoices(TrialStore& store, Prepared& prepared) {
  const Graph& graph = prepared.model.graph;
  const MachineProfile profile = StoredProfile(OperatorsOf(graph), prepared.facts.threads, store);
  if (profile.empty()) {
    return;
  }
  const Decisions decisions(graph, prepared.target,
                            DecisionOptionsOf(prepared.space, prepared.target));
  prepared.space.slow_choices = SlowChoicesOf(decisions, profile, prepared.facts.threads);
  prepared.facts.space = prepared.space.Summary();
}

void OpenBank(std::span<const Model> profiles, const TuneCallbacks& callbacks, Prepared& prepared) {
  const TuneOptions& options = prepared.options;
  if (!options.seed_bank.empty()) {
    const std::string taken = TakeFromSeedBank(profiles, options.seed_bank, options.bank,
                                               prepared.target.name, prepared.facts.threads);
    if (callbacks.on_seed_bank) {
      callbacks.on_seed_bank(taken);
    }
  }
  if (!options.bank.empty()) {
    const std::filesystem::path database = DatabasePath(options.bank, prepared.target.name);
    prepared.facts.database = database.string();
    prepared.store = OpenSqliteStore(database, OpenMode::kReadWrite);
  }
}

// The machine profile's word on 8 bits, where nobody else says whether they are searched.
void AskForScaledSpeed(TimeBudget& budget, Prepared& prepared) {
  const PhaseScope scope(budget, BudgetPhase::kKernels);
  const TuneOptions& options = prepared.options;
  if (prepared.target.is_host() && options.measure.on.runtime.empty() &&
      prepared.store != nullptr) {
    prepared.facts.format_times = StoredFormatTimes(prepared.facts.threads, *prepared.store);
  }
  if (options.operator_tuning == OperatorTuningMode::kOff || !prepared.target.is_host() ||
      options.quantize.mode ||
      QuantizeModeFor(options, prepared.target, prepared.data.search, {}) == QuantizeMode::kOff) {
    return;
  }
  if (prepared.stored_only && prepared.facts.format_times.empty()) {
    return;
  }
  const std::unique_ptr<TrialStore> memory =
      prepared.store == nullptr ? MakeMemoryStore() : nullptr;
  TrialStore& store = prepared.store != nullptr ? *prepared.store : *memory;
  prepared.scaled_speed =
      StoredScaledSpeed(prepared.target, ThreadPool(prepared.facts.threads), options.seed, store);
  prepared.facts.format_times = StoredFormatTimes(prepared.facts.threads, store);
}

void ChooseKernels(const TuneCallbacks& callbacks, TimeBudget& budget, Prepared& prepared) {
  const PhaseScope scope(budget, BudgetPhase::kKernels);
  const TuneOptions& options = prepared.options;
  const std::unique_ptr<TrialStore> memory =
      prepared.store == nullptr ? MakeMemoryStore() : nullptr;
  TrialStore& timings = prepared.store != nullptr ? *prepared.store : *memory;
  // What is fast here says nothing of another machine.
  if (options.operator_tuning != OperatorTuningMode::kOff && prepared.target.is_host()) {
    if (!prepared.stored_only) {
      TuneKernels(prepared, prepared.model, prepared.data.search, callbacks, timings, budget);
      for (const PreparedShape& other : prepared.others) {
        TuneKernels(prepared, other.model, other.data.search, callbacks, timings, budget);
      }
    }
    LeaveOutSlowChoices(timings, prepared);
  }
  prepared.choices = ChoicesFrom(timings, prepared.model.graph, prepared.facts.threads);
  prepared.facts.kernel_choices = prepared.choices.kernels().size();
  for (PreparedShape& other : prepared.others) {
    other.choices = ChoicesFrom(timings, other.model.graph, prepared.facts.threads);
  }
}

}  // namespace

std::vector<MeasuredShape> Prepared::SearchedShapes() const {
  std::vector<MeasuredShape> shapes = {
      {facts.shapes[0].input_shapes, &model.graph, &data.search, weight, Compile()}};
  for (std::size_t i = 0; i < others.size(); ++i) {
    const PreparedShape& other = others[i];
    CompileOptions compile = Compile();
    compile.choices = other.choices;
    shapes.push_back({facts.shapes[i + 1].input_shapes, &other.model.graph, &other.data.search,
                      other.weight, std::move(compile)});
  }
  return shapes;
}

std::vector<MeasuredShape> Prepared::HeldoutShapes() const {
  std::vector<MeasuredShape> shapes = SearchedShapes();
  shapes[0].dataset = &data.heldout;
  for (std::size_t i = 0; i < others.size(); ++i) {
    shapes[i + 1].dataset = &others[i].data.heldout;
  }
  std::erase_if(shapes, [](const MeasuredShape& shape) { return shape.dataset->empty(); });
  return shapes;
}

Hash128 Prepared::HeldoutHash() const {
  if (others.empty()) {
    return data.heldout.Hash();
  }
  Hasher hasher;
  hasher.Add(data.heldout.Hash());
  for (const PreparedShape& other : others) {
    hasher.Add(other.data.heldout.Hash());
  }
  return hasher.Finish();
}

Workload Prepared::CurrentWorkload() const {
  Workload workload = WorkloadOf(model, data.search, target.name, choices);
  if (!others.empty()) {
    Hasher hasher;
    hasher.Add(workload.data_hash).Add(fmt::format("{}", weight));
    for (const PreparedShape& other : others) {
      hasher.Add(other.data.search.Hash())
          .Add(other.choices.Digest())
          .Add(fmt::format("{}", other.weight));
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
  workload.cpu = CpuWithLibrary(std::move(workload.cpu), target.library);
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
  return KernelRecord(model.graph, target, configurations, Compile());
}

MeasureOptions Prepared::Measuring() const {
  return {.threads = options.measure.threads,
          .quick_budget_s = options.measure.quick_budget_s,
          .confirm_budget_s = options.measure.full_budget_s,
          .seed = options.seed,
          .metric = metric,
          .max_kept_bytes = KeptBytesWithin(model.options.max_memory),
          .latency = latency,
          .compile = Compile()};
}

namespace {

// Of --load_profile; its warnings become those of the run.
std::optional<DumpedProfile> DumpedProfileOf(const Model& model,
                                             const std::filesystem::path& path) {
  if (path.empty()) {
    return std::nullopt;
  }
  return ReadVendorProfile(model.graph, path, "--load_profile");
}

// What is read before anything is measured.
struct Loaded {
  TuneOptions options;
  TargetSpec target;
  OptionFiles sources;
  std::optional<DumpedProfile> dumped_profile;
  LoadedData data;
  std::vector<double> weights;  // of the input shapes
};

Loaded Load(std::span<const Model> profiles, const TuneOptions& asked) {
  CheckTuneOptions(asked);
  const Model& model = profiles.front();
  TuneOptions options = OptionsFor(model.graph, asked);
  if (!options.measure.on.runtime.empty()) {
    options.operator_tuning = OperatorTuningMode::kOff;  // of kernels that are not measured
  }
  TargetSpec target = LoadTarget(options.target);
  for (const Model& profile : profiles) {
    RequireMachineMemory(profile.graph);
    RequireFusionsOff(profile.graph, target);
  }
  // The sources are read before the search, so that points have what was searched with, whatever
  // becomes of the files meanwhile.
  OptionFiles sources = PlanSourcesOf(options.target, target, profiles);
  std::optional<DumpedProfile> dumped = DumpedProfileOf(model, options.load_profile);
  LoadedData loaded = LoadParts(profiles, options);
  std::vector<double> weights = WeightsOf(profiles, options, loaded.parts);
  return {std::move(options), std::move(target), std::move(sources),
          std::move(dumped),  std::move(loaded), std::move(weights)};
}

// `has_time`: for more than what is stored.
Prepared PrepareLoaded(std::span<const Model> profiles, Loaded from, FittedSamples fitted,
                       bool has_time, const TuneCallbacks& callbacks, TimeBudget& budget) {
  const Model& model = profiles.front();
  TuneOptions& options = from.options;
  TargetSpec& target = from.target;
  LoadedData& loaded = from.data;
  const std::vector<double>& weights = from.weights;
  SearchSpace space = MakeSearchSpace(
      model.graph, target,
      {.modes = ModesOf(options, target), .pinned_keep_dtype = options.pinned_keep_dtype});
  if (target.destination != nullptr) {
    space.impl_mode_sets.resize(1);  // of the kernels here; a QDQ file has no word for others
  }
  RunFacts facts = FactsOf(profiles, options, target, loaded.parts, weights, space);
  LossMetric metric = ChooseMetric(options.measure.metric);
  metric.stop_requested = callbacks.stop_requested;
  const int threads = facts.threads;
  // Until OpenRuntime() of one that is asked for.
  const auto latency = options.measure.on.runtime.empty() ? SourceFor(target) : HostClock();
  if (!latency->is_timed()) {
    facts.cpu = latency->description();
    options.measure.quick_budget_s = kPredictedBudget_s;
    options.measure.full_budget_s = kPredictedBudget_s;
  }
  Prepared prepared{.model = model,
                    .options = std::move(options),
                    .target = std::move(target),
                    .sources = std::move(from.sources),
                    .dumped_profile = std::move(from.dumped_profile),
                    .data = std::move(loaded.parts.front()),
                    .weight = weights.front(),
                    .space = std::move(space),
                    .metric = std::move(metric),
                    .latency = latency,
                    .store = nullptr,
                    .choices = KernelChoices(threads),
                    .shared = std::make_unique<SharedConstants>(),
                    .facts = std::move(facts),
                    .warnings = std::move(loaded.warnings),
                    .fitted = std::move(fitted),
                    .stored_only = !has_time};
  for (std::size_t i = 1; i < profiles.size(); ++i) {
    prepared.others.push_back(
        {profiles[i], std::move(loaded.parts[i]), weights[i], KernelChoices(threads)});
  }
  const std::vector<std::string> warnings = WarningsOf(prepared);
  prepared.warnings.insert(prepared.warnings.end(), warnings.begin(), warnings.end());
  // The output folder is tried before hours of work, not after them.
  if (!prepared.options.output.empty()) {
    CheckWritable(prepared.options.output);
  }
  if (callbacks.on_warning && !prepared.data.search.representative) {
    callbacks.on_warning(std::string(kRandomSamples));
  }
  if (callbacks.on_promises) {
    for (const std::string& note : PromiseNotes(prepared)) {
      callbacks.on_promises(note);
    }
  }
  OpenBank(profiles, callbacks, prepared);
  if (has_time) {
    TryMetric(model, prepared.data.search, prepared.metric, threads, prepared.store.get());
    OpenRuntime(callbacks, prepared);
  }
  AskForScaledSpeed(budget, prepared);
  PrepareQuantization(callbacks, budget, prepared);
  if (!prepared.latency->is_timed() && prepared.space.quantization) {
    prepared.facts.cost_model = CostModelOf(prepared.target);
  }
  LeaveOutRefusedFormats(prepared);
  ChooseKernels(callbacks, budget, prepared);
  return prepared;
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
  Loaded loaded = Load(profiles, asked);
  FittedSamples fitted;
  const bool has_time = FitSamples(profiles, loaded.options, budget, loaded.data, fitted);
  return PrepareLoaded(profiles, std::move(loaded), std::move(fitted), has_time, callbacks, budget);
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
  Loaded loaded = Load(profiles, asked);
  FittedSamples fitted;
  if (const auto limit_s = budget.limit_s()) {
    const auto stored =
        StoredSamples(*store, keys, AskedSamples(loaded.data, *limit_s), profiles.size());
    if (!stored) {
      return std::nullopt;
    }
    fitted = *stored;
    ReduceSamples(fitted, loaded.data);
  }
  store.reset();
  TuneCallbacks quiet;  // a preparation that measures says the rest
  quiet.stop_requested = callbacks.stop_requested;
  return PrepareLoaded(profiles, std::move(loaded), std::move(fitted), false, quiet, budget);
}

}  // namespace halftone
