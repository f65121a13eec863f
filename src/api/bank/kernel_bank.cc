#include "src/api/bank/kernel_bank.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "knowledge_base/sqlite_store.h"
#include "search/measure/compare_executables.h"
#include "search/operators/network_operator_timer.h"
#include "src/api/bank/stored_profile.h"
#include "src/api/bank/workload.h"
#include "src/api/load/traced_samples.h"
#include "src/api/operator_tuning.h"
#include "src/api/options/check_settings.h"
#include "src/base/text.h"
#include "src/exec/operator_signature.h"
#include "src/ir/op_table.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

// Stored timings of each operator, by its own kernels, and of the whole network, by the kernels of
// all operators.
TimingBySignature StoredTimings(TrialStore& store, const std::set<OpKind>& ops) {
  TimingBySignature timings;
  const auto add = [&](const std::set<OpKind>& of) {
    for (StoredTiming& stored : store.OperatorTimings(CurrentKernels(of))) {
      timings.emplace(stored.timing.signature, std::move(stored.timing));
    }
  };
  for (const OpKind op : ops) {
    add({op});
  }
  add(ops);
  return timings;
}

std::vector<TunableStep> StepsToTune(const Graph& graph, std::vector<TunableStep> steps,
                                     const std::function<bool(const Node&)>& include) {
  if (include) {
    std::erase_if(steps, [&](const TunableStep& step) {
      return std::none_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
        return std::ranges::find(step.parts, node.name) != step.parts.end() && include(node);
      });
    });
  }
  return steps;
}

std::vector<std::string> NodesOf(const ContestedOperator& op, std::span<const TunableStep> steps) {
  std::vector<std::string> nodes;
  for (const TunableStep& step : steps) {
    if (step.signature == op.signature) {
      nodes.push_back(step.node);
    }
  }
  return nodes;
}

// Rounds of a race where the machine profile has made the choice: what differs by less than the
// interval of so many is a tie.
constexpr int kFewestProfileRounds = 7;
constexpr int kMostProfileRounds = 30;

// Seconds of the runs without which nothing is learnt of the kernels of these steps: the fewest
// rounds of all variants, and as many of the winners beside the static order. 0: a run's time is
// not known.
double LeastSeconds(std::span<const TunableStep> steps, const OperatorTuningOptions& options) {
  std::size_t variants = 0;
  for (const TunableStep& step : steps) {
    variants = std::max(variants, step.kernels.size());
  }
  return variants < 2 ? 0
                      : options.run_s * kFewestProfileRounds * static_cast<double>(variants + 2);
}

// A profile of an operator is worth its seconds from so many different calls on; fewer are timed.
constexpr std::size_t kCallsWorthAProfile = 8;

// Whether the timing answers for the step: full tuning wants every candidate compared.
bool Answers(const OperatorTiming& timing, const TunableStep& step, OperatorTuningMode mode) {
  if (mode != OperatorTuningMode::kFull || timing.compared.empty()) {
    return true;
  }
  const auto compared = Split(timing.compared, ' ');
  return std::ranges::all_of(step.kernels, [&](const std::string& kernel) {
    return std::ranges::find(compared, kernel) != compared.end();
  });
}

// The operators of the steps that a profile may know, with the number of their different calls.
std::map<OpKind, std::size_t> OperatorsToProfile(std::span<const TunableStep> steps) {
  std::set<std::string_view> seen;
  std::map<OpKind, std::size_t> calls;
  for (const TunableStep& step : steps) {
    if (step.shape && seen.insert(step.signature).second) {
      ++calls[FindOp(step.op)->kind];
    }
  }
  return calls;
}

// The step with the static order's kernel and these.
TunableStep WithKernels(const TunableStep& step, const std::vector<std::size_t>& kernels) {
  TunableStep narrowed = step;
  narrowed.kernels = {step.kernels.front()};
  for (const std::size_t kernel : kernels) {
    if (kernel != 0) {
      narrowed.kernels.push_back(step.kernels[kernel]);
    }
  }
  return narrowed;
}

// Writes into each timing which kernels were compared, where these were not all.
void NameCompared(std::span<const TunableStep> all, std::span<const TunableStep> timed,
                  std::span<OperatorTiming> timings) {
  for (OperatorTiming& timing : timings) {
    const auto step = std::ranges::find(timed, timing.signature, &TunableStep::signature);
    const auto whole = std::ranges::find(all, timing.signature, &TunableStep::signature);
    if (step != timed.end() && whole != all.end() && step->kernels.size() < whole->kernels.size()) {
      timing.compared = Join(step->kernels, " ");
    }
  }
}

// Equal for steps that the same kernels serve in the same call: the mode of the call makes no
// difference to a kernel.
std::string CallAndKernels(const TunableStep& step) {
  return fmt::format("{} | {}", WithoutMode(step.signature), Join(step.kernels, " "));
}

}  // namespace

KernelChoices ChoicesFrom(TrialStore& store, const Graph& graph, int threads) {
  KernelChoices choices(threads);
  for (const auto& [signature, timing] : StoredTimings(store, OperatorsOf(graph))) {
    if (timing.tuned()) {
      choices.Set(signature, timing.kernel);
    }
  }
  return choices.For(graph);
}

OperatorTuning::OperatorTuning(const Model& model, const Sample& sample, const TargetSpec& target,
                               const OperatorTuningOptions& options,
                               const OperatorTunerHooks& hooks, TrialStore& store,
                               PlantedTimings planted)
    : model_(model),
      sample_(sample),
      target_(target),
      options_(options),
      hooks_(hooks),
      store_(store),
      planted_(std::move(planted)),
      pool_(options.measure.threads),
      shared_(std::make_unique<SharedConstants>()) {}

bool OperatorTuning::Stopped() const {
  return hooks_.stop_requested && hooks_.stop_requested();
}

std::vector<OperatorTiming> OperatorTuning::Measure(const PrecisionPlan& plan,
                                                    const KernelChoices& known,
                                                    std::span<const TunableStep> steps) const {
  // Full tuning is asked for; the other one is the default, and keeps out of the way.
  if (options_.mode == OperatorTuningMode::kProfile &&
      LeastSeconds(steps, options_) > options_.budget_s) {
    return {};
  }
  if (planted_.operators) {
    return planted_.operators(steps);
  }
  const CompileOptions base{.kernels = {}, .choices = known, .shared = shared_.get()};
  NetworkOperatorTimer timer({model_.graph, plan, sample_, pool_, base}, steps);
  OperatorTunerOptions tuner{.budget_s = options_.budget_s, .seed = options_.measure.seed};
  if (options_.mode == OperatorTuningMode::kProfile) {
    tuner.min_rounds = kFewestProfileRounds;
    tuner.max_rounds = kMostProfileRounds;
  }
  return halftone::TuneOperators(timer.operators(), timer, tuner, hooks_);
}

std::vector<TunableStep> OperatorTuning::NarrowByProfile(std::vector<TunableStep>& steps) const {
  const std::map<OpKind, std::size_t> calls = OperatorsToProfile(steps);
  std::set<OpKind> ops;
  std::set<OpKind> worth;
  for (const auto& [op, count] : calls) {
    ops.insert(op);
    if (count >= kCallsWorthAProfile) {
      worth.insert(op);
    }
  }
  if (!planted_.profile) {
    MeasureProfiles(worth, {target_, pool_, options_.measure.seed, hooks_}, store_);
  }
  const MachineProfile profile =
      planted_.profile ? planted_.profile(ops) : StoredProfile(ops, pool_.threads(), store_);
  std::vector<TunableStep> open;
  std::vector<TunableStep> decided;
  for (const TunableStep& step : steps) {
    const auto forecast = step.shape ? profile.Forecast(*step.shape, step.kernels) : std::nullopt;
    TunableStep narrowed = forecast ? WithKernels(step, forecast->contenders) : step;
    (narrowed.kernels.size() > 1 ? open : decided).push_back(std::move(narrowed));
  }
  steps = std::move(open);
  return decided;
}

std::vector<OperatorTiming> OperatorTuning::TakeTimed(std::vector<TunableStep>& steps) const {
  std::vector<OperatorTiming> timings;
  std::set<std::string> taken;
  std::erase_if(steps, [&](const TunableStep& step) {
    const auto timed = timed_.find(CallAndKernels(step));
    if (timed != timed_.end() && taken.insert(step.signature).second) {
      timings.push_back(timed->second);
      timings.back().signature = step.signature;
    }
    return timed != timed_.end();
  });
  return timings;
}

std::string OperatorTuning::NetworkSignature(const PrecisionPlan& plan,
                                             const KernelChoices& choices) const {
  return halftone::NetworkSignature(
      fmt::format("{}: inputs {}; plan {}; choices {}", model_.hash.ToHex(), model_.input_shapes,
                  plan.Digest().ToHex(), choices.Digest().ToHex()),
      OperatorsOf(model_.graph), pool_.threads());
}

bool OperatorTuning::ChangesAnyStep(const PrecisionPlan& plan, const KernelChoices& choices) const {
  if (choices.empty()) {
    return false;
  }
  const Executable tuned = Compile(model_.graph, plan, {.kernels = {}, .choices = choices});
  return std::any_of(tuned.steps().begin(), tuned.steps().end(),
                     [](const StepInfo& step) { return step.tuned; });
}

OperatorTiming OperatorTuning::CompareNetwork(const PrecisionPlan& plan,
                                              const KernelChoices& choices) const {
  const Latency latency =
      planted_.network
          ? planted_.network(choices)
          : CompareExecutables(
                [&] { return Compile(model_.graph, plan, {.kernels = {}, .choices = choices}); },
                [&] { return Compile(model_.graph, plan); }, sample_, pool_,
                {.budget_s = options_.measure.full_budget_s,
                 .seed = options_.measure.seed,
                 .constant_bytes = ConstantBytes(model_.graph)});
  return {.signature = NetworkSignature(plan, choices),
          .static_kernel = "static order",
          .kernel = "operator tuning",
          .ratio = latency.ratio,
          .ratio_interval = latency.ratio_interval,
          .rounds = static_cast<int>(latency.candidate_samples_s.size()),
          .static_s = latency.anchor_median_s};
}

std::optional<OperatorTiming> OperatorTuning::JudgeInNetwork(const PrecisionPlan& plan,
                                                             const KernelChoices& known,
                                                             const TimingBySignature& stored,
                                                             std::vector<OperatorTiming>& measured,
                                                             OperatorTuningResult& result) const {
  KernelChoices choices = known;
  for (const OperatorTiming& timing : measured) {
    if (timing.tuned()) {
      choices.Set(timing.signature, timing.kernel);
    }
  }
  if (options_.mode != OperatorTuningMode::kFull || Stopped() || !ChangesAnyStep(plan, choices)) {
    return std::nullopt;
  }
  const auto compared = stored.find(NetworkSignature(plan, choices));
  result.network_known = compared != stored.end();
  result.network = result.network_known ? compared->second : CompareNetwork(plan, choices);
  if (choices != known && result.network->ratio_interval.low > 1) {
    result.dropped = true;
    for (OperatorTiming& timing : measured) {
      timing.kernel = timing.static_kernel;
      timing.ratio = 1;
      timing.ratio_interval = {1, 1};
    }
  }
  return result.network_known || result.dropped ? std::nullopt : result.network;
}

void OperatorTuning::Store(const std::vector<OperatorTiming>& timings) const {
  if (timings.empty()) {
    return;
  }
  std::vector<VersionedTiming> versioned;
  versioned.reserve(timings.size());
  for (const OperatorTiming& timing : timings) {
    versioned.push_back({KernelsTimed(timing.signature), timing});
  }
  store_.AddVersionedTimings(versioned);
}

OperatorTuningResult OperatorTuning::Tune(const PrecisionPlan& plan) {
  const std::set<OpKind> ops = OperatorsOf(model_.graph);
  const TimingBySignature stored =
      options_.measure_again ? TimingBySignature() : StoredTimings(store_, ops);
  const KernelChoices known = ChoicesFrom(store_, model_.graph, pool_.threads());
  const std::vector<TunableStep> steps = StepsToTune(
      model_.graph, TunableSteps(model_.graph, plan, pool_.threads()), options_.include);
  std::vector<TunableStep> unknown = steps;
  std::erase_if(unknown, [&](const TunableStep& step) {
    const auto timing = stored.find(step.signature);
    return timing != stored.end() && Answers(timing->second, step, options_.mode);
  });
  const std::vector<OperatorTiming> taken = TakeTimed(unknown);
  std::set<std::string> forecast;
  if (options_.mode == OperatorTuningMode::kProfile) {
    for (const TunableStep& step : NarrowByProfile(unknown)) {
      forecast.insert(step.signature);
    }
  }
  std::vector<OperatorTiming> measured = Measure(plan, known, unknown);
  NameCompared(steps, unknown, measured);
  measured.insert(measured.end(), taken.begin(), taken.end());

  OperatorTuningResult result;
  std::vector<OperatorTiming> to_store;
  if (auto of_network = JudgeInNetwork(plan, known, stored, measured, result)) {
    to_store.push_back(*std::move(of_network));
  }
  to_store.insert(to_store.end(), measured.begin(), measured.end());
  // In one go: choices without the comparison of the network with all of them would be used
  // unchecked.
  Store(to_store);

  TimingBySignature timings = stored;
  for (const OperatorTiming& timing : measured) {
    timings.insert_or_assign(timing.signature, timing);
  }
  for (const TunableStep& step : steps) {
    if (const auto timing = timings.find(step.signature); timing != timings.end()) {
      timed_.insert_or_assign(CallAndKernels(step), timing->second);
    }
  }
  for (const ContestedOperator& op : ContestedOperators(steps)) {
    std::vector<std::string> nodes = NodesOf(op, steps);
    const auto timing = timings.find(op.signature);
    if (forecast.contains(op.signature)) {
      result.forecast.push_back(std::move(nodes));
    } else if (timing == timings.end()) {
      result.undecided.push_back(std::move(nodes));
    } else {
      result.operators.push_back({.timing = timing->second,
                                  .nodes = std::move(nodes),
                                  .known = stored.contains(op.signature)});
    }
  }
  return result;
}

OperatorTuningResult TuneOperators(const Model& model, const TargetSpec& target,
                                   const PrecisionOptions& precision,
                                   const OperatorTuningOptions& options,
                                   const OperatorTunerHooks& hooks) {
  CheckMeasureSettings(options.measure);
  CheckOperatorBudget(options.budget_s);
  const PrecisionPlan plan = ResolvePrecision(model.graph, precision, target);
  return TuneOperators(model, LoadSamples(model, options.data).Read(0), target, plan, options,
                       hooks);
}

OperatorTuningResult TuneOperators(const Model& model, const Sample& sample,
                                   const TargetSpec& target, const PrecisionPlan& plan,
                                   const OperatorTuningOptions& options,
                                   const OperatorTunerHooks& hooks) {
  CheckMeasureSettings(options.measure);
  CheckOperatorBudget(options.budget_s);
  const auto store = options.bank.empty() ? MakeMemoryStore()
                                          : OpenSqliteStore(DatabasePath(options.bank, target.name),
                                                            OpenMode::kReadWrite);
  return OperatorTuning(model, sample, target, options, hooks, *store).Tune(plan);
}

KernelChoices LoadKernelChoices(const Model& model, const std::filesystem::path& bank,
                                std::string_view soc_version, int threads) {
  CheckMeasureSettings({.threads = threads});
  const auto store = OpenSqliteStore(DatabasePath(bank, soc_version), OpenMode::kReadOnly);
  return ChoicesFrom(*store, model.graph, ThreadPool(threads).threads());
}

}  // namespace halftone
