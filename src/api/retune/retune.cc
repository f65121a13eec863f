#include "src/api/retune/retune.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "knowledge_base/sqlite_store.h"
#include "search/trial/pareto_front.h"
#include "src/api/bank/kernel_record.h"
#include "src/api/bank/seed_bank.h"
#include "src/api/bank/store_front.h"
#include "src/api/bank/trial_log.h"
#include "src/api/bank/workload.h"
#include "src/api/options/check_settings.h"
#include "src/api/retune/neighbour_strategy.h"
#include "src/api/retune/remeasure.h"
#include "src/api/tune/answer_from_bank.h"
#include "src/api/tune/calibration.h"
#include "src/api/tune/heldout.h"
#include "src/api/tune/pipeline.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::size_t kKeyDigits = 12;

// The options of a tuning run that correspond to these.
TuneOptions TuneOptionsOf(const RetuneOptions& options) {
  TuneOptions tune;
  tune.target = options.target;
  tune.seed = options.measure.seed;
  tune.max_trials = options.max_trials;
  tune.budget = options.budget;
  tune.data = options.data;
  tune.heldout = options.heldout;
  tune.heldout_share = options.heldout_share;
  if (options.confidence) {
    tune.confidence = *options.confidence;
  }
  tune.measure = options.measure;
  tune.shape_weights = options.shape_weights;
  tune.operator_tuning = options.operator_tuning;
  tune.bank = options.bank;
  tune.seed_bank = options.seed_bank;
  tune.output = options.output;
  tune.exports = options.exports;
  tune.write_v2 = options.write_v2;
  tune.command = options.command;
  // The shipped points have their scales; only a new search needs those of a calibration.
  tune.quantize.mode = QuantizeMode::kOff;
  tune.fit_samples = false;  // the front is measured on those that it was measured on
  return tune;
}

// Error kDatabase where the front is to come from a bank that does not exist: Prepare() would
// create an empty one. Another bank may have the front.
void RequireBank(const RetuneOptions& options) {
  if (options.bank.empty() || !options.from_bank() || !options.seed_bank.empty()) {
    return;
  }
  const std::filesystem::path database =
      DatabasePath(options.bank, LoadTarget(options.target).name);
  std::error_code error;
  if (!std::filesystem::exists(database, error)) {
    OpenSqliteStore(database, OpenMode::kReadOnly);  // says that there is none
  }
}

bool Stopped(const TuneCallbacks& callbacks) {
  return callbacks.stop_requested && callbacks.stop_requested();
}

// Changed conditions of measurement, a clause each.
std::vector<std::string> ChangesSince(const ShippedFront& front, const Workload& now,
                                      bool from_bank) {
  std::vector<std::string> changes;
  const auto differs = [&](std::string_view what, const std::string& then,
                           const std::string& current) {
    if (!then.empty() && then != current) {
      changes.push_back(fmt::format("{} {} -> {}", what, then, current));
    }
  };
  const auto short_hash = [](const Hash128& hash) {
    return hash == Hash128{} ? "" : hash.ToHex().substr(0, kKeyDigits);
  };
  differs("halftone", front.tool_version, now.tool_version);
  if (!now.cpu.starts_with(front.cpu + " (")) {  // older files have the model name alone
    differs("CPU", front.cpu, now.cpu);
  }
  differs("instruction set", front.isa, now.isa);
  differs("kernel table", short_hash(front.kernel_table_hash), short_hash(now.kernel_table_hash));
  differs("data", short_hash(front.data_hash), short_hash(now.data_hash));
  if (from_bank && front.kernel_choices != now.kernel_choices) {
    changes.emplace_back("operator tuning has chosen other kernels");
  }
  return changes;
}

// Error kUsage: with a held-out share of 1, the search of the front saw the samples, or one is to
// see them.
void RequireUnseen(const RetuneOptions& options, const ShippedFront& front, const Workload& now) {
  if (options.heldout || options.heldout_share.value_or(0) < 1) {
    return;
  }
  if (options.search) {
    throw Error(ErrorKind::kUsage,
                "--heldout_share=1 gives no samples to a new search: add --no_search");
  }
  if (front.data_hash == now.data_hash) {
    throw Error(ErrorKind::kUsage,
                "--heldout_share=1: the search of the front has seen these samples; give others, "
                "or the share that it held out");
  }
}

// Error kUsage where the front is bounded by a metric of the user's own and none is given: nothing
// could judge it.
void RequireMetricOf(const Constraints& constraints, const MetricArguments& metric) {
  for (const BoundRow& row : AllBounds()) {
    const bool own = row.value == &Constraints::min_metric || row.value == &Constraints::max_metric;
    if (own && constraints.*row.value && !ChooseMetric(metric).is_own()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("the front has the bound --{}={:g}, and no --metric is given: give "
                              "that of the search, with its --metric_better",
                              row.name, *(constraints.*row.value)));
    }
  }
}

// Change of the anchor's time, as measured beside the first member that runs. It has moved if the
// intervals of then and now are apart; members from a front.json have no samples for them.
AnchorChange AnchorOf(const std::vector<RetunedPoint>& points) {
  AnchorChange anchor;
  for (const RetunedPoint& point : points) {
    const Measurement* after = point.after.measurement();
    if (after == nullptr) {
      continue;
    }
    const Latency& then = point.before.measurement()->latency;
    anchor.before_s = then.anchor_median_s;
    anchor.after_s = after->latency.anchor_median_s;
    if (!then.anchor_samples_s.empty() && !after->latency.anchor_samples_s.empty()) {
      const Interval old_interval = BootstrapMedianInterval(then.anchor_samples_s);
      const Interval new_interval = BootstrapMedianInterval(after->latency.anchor_samples_s);
      anchor.moved = new_interval.low > old_interval.high || new_interval.high < old_interval.low;
    }
    break;
  }
  return anchor;
}

// The bounds that the certificate of the shipped point fails, a clause each; `confidence` was asked
// for.
std::vector<std::string> BrokenPromises(const RetunedPoint& shipped) {
  std::vector<std::string> broken;
  if (!shipped.certificate) {
    if (!shipped.rejected) {
      broken.emplace_back("nothing can be promised of it: it cannot run on the held-out samples");
    }
    return broken;
  }
  for (const PromisedBound& bound : shipped.certificate->bounds) {
    if (!bound.holds) {
      broken.push_back(fmt::format("{} cannot be promised: {}", OptionOf(bound), bound.statement));
    }
  }
  return broken;
}

// Without a promise: the bound that the shipped point misses on held-out samples, a clause.
std::vector<std::string> MissesOnHeldout(const ShippedFront& front, const Remeasured& now,
                                         const RetunedPoint& shipped) {
  const auto miss = shipped.heldout ? Violation(front.constraints,
                                                {.accuracy = *shipped.heldout,
                                                 .latency = nullptr,
                                                 .reference_top1 = now.reference.heldout_top1()})
                                    : std::nullopt;
  return miss ? std::vector<std::string>{*miss + " on held-out samples"}
              : std::vector<std::string>();
}

// The point takes longer than `most` allows, a clause; empty: it does not. `float32` tells a slow
// machine from a slow configuration.
std::string TooSlow(const RetunedPoint& point, const AnchorChange& float32,
                    const std::optional<double>& most) {
  if (!most || !point.slowdown || *point.slowdown <= *most) {
    return "";
  }
  const auto anchor = float32.slowdown();
  return fmt::format(
      "a run takes {}, {} as the {} of when it was shipped{}; at most {} times is "
      "accepted (--max_slowdown)",
      FormatSeconds(point.after.measurement()->latency.median_s), TimesAsLong(*point.slowdown),
      FormatSeconds(point.before.measurement()->latency.median_s),
      anchor ? fmt::format(" (float32 {})", TimesAsLong(*anchor)) : "", MaxSlowdownText(most));
}

// Reasons why the shipped configuration fails; `heldout_count`: samples that judged it.
std::vector<std::string> FailuresOf(const RetuneOptions& options, const ShippedFront& front,
                                    const Remeasured& now, std::int64_t heldout_count,
                                    const std::optional<double>& confidence) {
  std::vector<std::string> failures;
  for (std::size_t i = 0; i < now.points.size(); ++i) {
    const RetunedPoint& point = now.points[i];
    if (!point.shipped || !point.measured) {
      continue;
    }
    const auto fails = [&](const std::string& why) {
      failures.push_back(fmt::format("point {}: {}", i + 1, why));
    };
    // A certified point is as accurate as was promised, or not; how accurate it was is no promise.
    if (point.rejected || point.slower || (point.less_accurate && !point.certificate)) {
      fails(Join(point.moved, "; "));
    }
    if (const std::string slow = TooSlow(point, AnchorOf(now.points), options.max_slowdown);
        !slow.empty()) {
      fails(slow);
    }
    if (const Measurement* measurement = point.after.measurement()) {
      if (const auto violation = Violation(front.constraints, *measurement, now.reference.top1)) {
        fails(*violation);
      }
    }
  }
  // What is undecided had no time for a promise.
  if (heldout_count > 0 && front.chosen && *front.chosen < now.points.size() &&
      (now.points[*front.chosen].heldout || now.points[*front.chosen].undecided.empty())) {
    const RetunedPoint& shipped = now.points[*front.chosen];
    for (const std::string& broken :
         confidence ? BrokenPromises(shipped) : MissesOnHeldout(front, now, shipped)) {
      failures.push_back(fmt::format("point {}: {}", *front.chosen + 1, broken));
    }
  }
  return failures;
}

// Reasons why it is not known whether the shipped configuration holds.
std::vector<std::string> UndecidedOf(const std::vector<RetunedPoint>& points) {
  std::vector<std::string> undecided;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].shipped && !points[i].undecided.empty()) {
      undecided.push_back(fmt::format("point {}: {}", i + 1, points[i].undecided));
    }
  }
  return undecided;
}

// The points that can run, and each with other choices where kernels changed.
std::unique_ptr<SearchStrategy> Neighbours(const Prepared& prepared, const SearchSpace& space,
                                           const std::vector<RetunedPoint>& points,
                                           const std::set<std::string>& changed_nodes) {
  std::vector<Candidate> from;
  for (const RetunedPoint& point : points) {
    if (point.after.measurement() != nullptr) {
      from.push_back(point.after.candidate);
    }
  }
  return MakeNeighbourStrategy(prepared.graph(), prepared.target(), space, std::move(from),
                               changed_nodes);
}

// The gates on every shipped point as it is now.
std::vector<GateResult> GatesOf(const RetuneOptions& options, const Remeasured& now,
                                const Vocabulary& words) {
  std::vector<GateResult> results;
  for (std::size_t i = 0; i < now.points.size(); ++i) {
    const RetunedPoint& point = now.points[i];
    if (!point.shipped || !point.measured) {
      continue;
    }
    std::ranges::move(JudgeGates(options.fail_if,
                                 {.name = fmt::format("point {}: {}", i + 1,
                                                      Summary(point.after.candidate, words)),
                                  .measurement = point.after.measurement(),
                                  .heldout = point.heldout ? &*point.heldout : nullptr,
                                  .certificate = point.certificate ? &*point.certificate : nullptr,
                                  .metric = now.reference.metric ? &*now.reference.metric : nullptr,
                                  .reference_top1 = now.reference.top1,
                                  .heldout_top1 = now.reference.heldout_top1()}),
                      std::back_inserter(results));
  }
  return results;
}

struct SearchScope {
  std::string text;  // extent of the new search, and why, one sentence
  std::set<std::string> changed_nodes;
  bool everything = false;  // or nobody knows what changed, or too much did
  bool search = false;
};

// What has changed since the front was measured, and whether that is searched again.
SearchScope ScopeOf(const Prepared& prepared, const RetuneOptions& options,
                    const ShippedFront& front, const std::string& isa, const std::string& kernels,
                    const TimeBudget& budget) {
  SearchScope scope;
  if (!front.isa.empty() && front.isa != isa) {
    scope.text = "on another instruction set every kernel may be slower or faster than then";
    scope.everything = true;
  } else if (front.kernels.empty()) {
    scope.text =
        "which kernels the front was measured with is not recorded, so all operators may have "
        "changed";
    scope.everything = true;
  } else {
    scope.changed_nodes = ChangedNodes(front.kernels, kernels, front.one_point);
    scope.text = scope.changed_nodes.empty()
                     ? "every operator runs on the kernels that the front was measured with"
                     : fmt::format("{} {} on other kernels than the front was measured with",
                                   Counted(std::ssize(scope.changed_nodes), "operator"),
                                   scope.changed_nodes.size() == 1 ? "runs" : "run");
  }
  if (!scope.everything && scope.changed_nodes.empty()) {
    scope.text += "; nothing to search again";
    return scope;
  }
  if (!options.search) {
    scope.text += "; not searched again (--no_search)";
    return scope;
  }
  const double pass_s = budget.run_s() * static_cast<double>(prepared.facts.sample_count);
  if (prepared.stored_only || pass_s > budget.left_s()) {
    scope.text += "; not searched again: the time of the budget is spent";
    return scope;
  }
  scope.search = true;
  return scope;
}

// The network with the scales of a calibration: a new search needs them.
Prepared WithScales(Prepared prepared, const TuneCallbacks& callbacks, TimeBudget& budget) {
  prepared.options.quantize.mode.reset();
  prepared.scales =
      ScalesOf(prepared.Inputs(), std::nullopt, prepared.Compile(), callbacks, budget);
  prepared.space.quantization = prepared.scales.quantization;
  prepared.warnings.insert(prepared.warnings.end(), prepared.scales.warnings.begin(),
                           prepared.scales.warnings.end());
  return prepared;
}

// Everything, where choices around the points in the changed operators are too many plans.
SearchScope NarrowedScope(SearchScope scope, const Prepared& prepared,
                          const std::vector<RetunedPoint>& points, std::size_t max_trials) {
  if (scope.everything) {
    scope.text += "; all are searched again";
    return scope;
  }
  const auto forecast =
      Neighbours(prepared, prepared.space, points, scope.changed_nodes)->forecast();
  const std::size_t around = forecast ? forecast->most_plans : 0;
  scope.everything = around > max_trials;
  scope.text += scope.everything
                    ? fmt::format(
                          "; other choices in them are {} around the front, more than the {} of "
                          "--max_trials, so all are searched again",
                          Counted(static_cast<std::int64_t>(around), "plan"), max_trials)
                    : "; only these are searched again";
  return scope;
}

// Stores what was measured in the workload of now: the newest front is that of the points measured
// again, if these are all. Returns StoreFront()'s warning.
std::string StoreMeasured(const Prepared& prepared, const Workload& workload, const Remeasured& now,
                          const std::string& kernels) {
  TuneSummary summary;
  summary.run = prepared.facts;
  summary.constraints = prepared.options.constraints;
  summary.confidence = prepared.options.confidence;
  summary.search.strategy = "retune";
  summary.reference = now.reference;
  TrialLog log(*prepared.bank.store, prepared.bank.store->AddWorkload(workload));
  std::vector<Trial> trials;
  std::vector<const RetunedPoint*> points;
  for (const RetunedPoint& point : now.points) {
    if (point.measured) {
      log.Add(point.after);
      trials.push_back(point.after);
      points.push_back(&point);
    }
  }
  if (points.size() < now.points.size()) {
    return "";
  }
  for (const std::size_t index : ParetoFront(trials)) {
    summary.front.points.push_back({.trial = trials[index],
                                    .heldout = points[index]->heldout,
                                    .as_float32 = points[index]->as_float32});
  }
  summary.front = ChooseAndCertify(std::move(summary.front), prepared.BasisOf(summary.reference));
  Provenance facts = FactsOfKernels(kernels);
  facts.merge(HeldoutFacts(summary.front, summary.reference));
  return StoreFront(log, prepared.space, facts, summary);
}

// The search of what changed, with the bounds of the shipped front.
TuneSummary SearchAgain(Prepared prepared, const SearchScope& scope,
                        const std::vector<RetunedPoint>& points, const TuneCallbacks& callbacks,
                        TimeBudget& budget) {
  if (!scope.everything) {
    prepared.options.strategy = "retune";
    prepared.options.make_strategy = [&](const SearchSpace& space) {
      return Neighbours(prepared, space, points, scope.changed_nodes);
    };
  }
  return TunePrepared(prepared, RunStart{budget}, callbacks);
}

void WriteReports(const RetuneResult& result, const std::filesystem::path& output) {
  if (!output.empty()) {
    WriteFileAtomically(output / "retune.md", FormatRetuneMarkdown(result));
    WriteFileAtomically(output / "retune.json", FormatRetuneJson(result));
  }
}

// Checks of the options alone. Error kUsage, kDatabase.
void CheckRetuneOptions(const Model& model, const RetuneOptions& options) {
  CheckMeasureSettings(options.measure);
  CheckMaxSlowdown(options.max_slowdown);
  if (options.bank.empty() && options.from_bank()) {
    throw Error(ErrorKind::kUsage,
                "retune: --no_bank leaves no front to measure again; name the shipped front.json "
                "with --front, or a point with --point");
  }
  CheckSeedBank(options.seed_bank, options.bank);
  MetricArgumentsFor(model.graph, options.measure.metric);  // options first, then the bank
  RequireBank(options);
}

// The shipped front, checked against the options and the network of now, before it is measured.
RetuneResult ReadShipped(const Prepared& prepared, const RetuneOptions& options,
                         const Workload& workload) {
  const Model& model = prepared.network.model();
  RetuneResult result{.model_name = model.name,
                      .input_shapes = workload.input_shapes,
                      .target = prepared.target().name,
                      .words = &VocabularyOf(prepared.target()),
                      .anchor_name = prepared.facts.anchor,
                      .created_at = prepared.facts.created_at,
                      .command = options.command,
                      .front = LoadShippedFront(model, options, prepared.target().name, workload),
                      .max_slowdown = options.max_slowdown};
  const ShippedFront& front = result.front;
  RequireMetricOf(front.constraints, options.measure.metric);
  if (front.members.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("'{}' has no points; tune again", front.source));
  }
  CheckGates(options.fail_if, {.has_labels = !options.data.labels.empty(),
                               .has_metric = !options.measure.metric.metric.empty(),
                               .constraints = &front.constraints});
  CheckGateOutputs(options.fail_if, model.graph);
  RequireUnseen(options, front, workload);
  result.warnings = front.notes;
  result.changes = ChangesSince(front, workload, options.from_bank());
  if (options.confidence && front.constraints.of_accuracy() &&
      front.confidence != prepared.options.confidence) {
    result.changes.push_back(fmt::format("confidence {} -> {}", ConfidenceText(front.confidence),
                                         ConfidenceText(prepared.options.confidence)));
  }
  return result;
}

}  // namespace

RetuneResult Retune(std::span<const Model> profiles, const RetuneOptions& options,
                    const TuneCallbacks& callbacks) {
  CheckRetuneOptions(profiles.front(), options);
  const auto budget = BudgetOf(options.budget, callbacks);
  Prepared prepared = Prepare(profiles, TuneOptionsOf(options), callbacks, *budget);
  const Workload workload = prepared.CurrentWorkload();
  RetuneResult result = ReadShipped(prepared, options, workload);
  const ShippedFront& front = result.front;
  prepared.options.constraints = front.constraints;
  if (!options.confidence) {
    prepared.options.confidence = front.confidence;
  }
  const auto warn = [&](const std::vector<std::string>& warnings) {
    result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
  };

  Remeasured now =
      Remeasure(prepared, front, front.data_hash == workload.data_hash, callbacks, *budget);
  const auto measured =
      static_cast<std::size_t>(std::ranges::count(now.points, true, &RetunedPoint::measured));
  result.anchor = AnchorOf(now.points);
  if (!Stopped(callbacks)) {
    now = WithPromises(prepared, front, std::move(now), *budget);
    result.heldout_count = front.constraints.of_accuracy() ? prepared.facts.heldout_count : 0;
  }
  warn(now.warnings);
  result.metric = now.reference.metric;
  result.heldout_reference = now.reference.heldout;
  result.points = now.points;
  if (!Stopped(callbacks)) {
    result.failures =
        FailuresOf(options, front, now, result.heldout_count, prepared.options.confidence);
    result.undecided = UndecidedOf(now.points);
    result.gates = GatesOf(options, now, *result.words);
    const std::string kernels = prepared.KernelsOf(front.members);
    SearchScope scope = ScopeOf(prepared, options, front, workload.isa, kernels, *budget);
    if (scope.search) {
      prepared = WithScales(std::move(prepared), callbacks, *budget);
      scope = NarrowedScope(std::move(scope), prepared, now.points, options.max_trials);
    }
    result.scope = scope.text;
    result.changed_nodes = scope.changed_nodes;
    if (prepared.bank.store != nullptr) {
      if (const std::string warning = StoreMeasured(prepared, workload, now, kernels);
          !warning.empty()) {
        warn({warning});
      }
    }
    if (scope.search) {
      result.search = SearchAgain(std::move(prepared), scope, now.points, callbacks, *budget);
    }
  } else {
    result.interrupted = true;
    result.failures = {fmt::format("interrupted after {} of {}; run the command again", measured,
                                   Counted(std::ssize(front.members), "point"))};
  }
  WriteReports(result, options.output);
  return result;
}

}  // namespace halftone
