// Connects the search with everything around it: data, measurer, knowledge base, reports.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "search/explain/choice_findings.h"
#include "search/explain/kept_operators.h"
#include "search/measure/roofline.h"
#include "search/measure/shapes_measurer.h"
#include "search/strategies/model_strategy.h"
#include "src/accuracy/metrics.h"
#include "src/api/bank/kernel_record.h"
#include "src/api/bank/point_kernels.h"
#include "src/api/bank/seed_bank.h"
#include "src/api/bank/store_front.h"
#include "src/api/bank/trial_log.h"
#include "src/api/halftone.h"
#include "src/api/options/check_settings.h"
#include "src/api/report/measuring_details.h"
#include "src/api/report/report_details.h"
#include "src/api/report/write_outputs.h"
#include "src/api/runtime/open_runtime.h"
#include "src/api/tune/amct_calibration.h"
#include "src/api/tune/answer_from_bank.h"
#include "src/api/tune/baseline.h"
#include "src/api/tune/calibration.h"
#include "src/api/tune/destination.h"
#include "src/api/tune/heldout.h"
#include "src/api/tune/judging_notes.h"
#include "src/api/tune/network_search.h"
#include "src/api/tune/pipeline.h"
#include "src/api/tune/runtime_space.h"
#include "src/api/tune/search_limits.h"
#include "src/api/tune/stored_insight.h"
#include "src/base/limits.h"
#include "src/base/text.h"
#include "src/precision/resolve/resolve.h"
#include "src/qaic/point_files.h"
#include "src/report/not_searched.h"

namespace halftone {
namespace {

void Append(const std::vector<std::string>& more, std::vector<std::string>& warnings) {
  warnings.insert(warnings.end(), more.begin(), more.end());
}

// `warning` may be empty.
void Append(const std::string& warning, std::vector<std::string>& warnings) {
  if (!warning.empty()) {
    warnings.push_back(warning);
  }
}

// The trials of the workload in the knowledge base; empty without one.
std::optional<TrialLog> LogOf(const Prepared& prepared) {
  return prepared.bank.store == nullptr
             ? std::nullopt
             : std::optional<TrialLog>(
                   std::in_place, *prepared.bank.store,
                   prepared.bank.store->AddWorkload(prepared.CurrentWorkload()));
}

// Until a budget in time is spent; empty without one.
std::function<double()> SecondsLeft(const TuneOptions& options, const RunStart& start) {
  if (!options.budget.time) {
    return {};
  }
  return [&start] { return start.budget.left_s(); };
}

// `baseline`: null where there is none.
TunedFront FrontOf(const Confirmed& confirmed, const PrecisionOptions* baseline) {
  TunedFront front;
  if (baseline != nullptr) {
    front.baseline = BaselineIn(confirmed, *baseline);
  }
  for (const std::size_t index : confirmed.front) {
    front.points.push_back({.trial = confirmed.trials[index]});
  }
  return front;
}

std::vector<Trial> TrialsOf(const TunedFront& front) {
  std::vector<Trial> trials;
  for (const FrontPoint& point : front.points) {
    trials.push_back(point.trial);
  }
  return trials;
}

FrontInsight InsightOf(const StrategyInsight* insight, const TunedFront& front) {
  if (insight == nullptr || insight->facts().sensitivity.groups.empty()) {
    return {};
  }
  const SearchInsight& facts = insight->facts();
  const PredictionErrors off = PredictionErrorsOf(facts);
  FrontInsight explained;
  explained.probes = ProbeSummary{.groups = std::ssize(facts.groups),
                                  .samples = std::ssize(facts.sensitivity.weights),
                                  .evaluations = facts.sensitivity.evaluations,
                                  .predictions = std::ssize(facts.predictions),
                                  .loss_off_db = off.decibels,
                                  .latency_off = off.latency};
  if (const auto described = front.described()) {
    const Trial& trial = front.points[*described].trial;
    explained.kept = KeptOperatorsOf(facts, trial);
    explained.alternatives = insight->AlternativesTo(trial);
  }
  return explained;
}

TuneSummary SummaryOf(const Prepared& prepared, Certified certified) {
  TuneSummary summary;
  summary.run = prepared.facts;
  summary.constraints = prepared.options.constraints;
  summary.confidence = prepared.options.confidence;
  summary.fail_if = prepared.options.fail_if;
  summary.reference = std::move(certified.reference);
  summary.search = std::move(certified.search);
  summary.front = std::move(certified.front);
  for (FrontPoint& point : summary.front.points) {
    const PrecisionOptions& options = point.trial.candidate.options;
    point.scaled_share = ScaledShare(
        prepared.graph(), ResolvePrecision(prepared.graph(), options, prepared.target()));
  }
  summary.warnings = prepared.warnings;
  Append(certified.warnings, summary.warnings);
  return summary;
}

// Last step of every path: the outcome, then the files with it.
TuneSummary Finished(const Prepared& prepared, const RunStart& start,
                     const TuneCallbacks& callbacks, TuneSummary summary) {
  summary.elapsed_s = start.budget.elapsed_s();
  summary.budget_s = start.budget.limit_s();
  summary.phases = start.budget.Spent();
  summary.insight.calibration = CalibrationAt(prepared.scales, summary.front);
  if (callbacks.stop_requested && callbacks.stop_requested()) {
    summary.search.end = SearchEnd::kUser;
  }
  summary.outcome = OutcomeOf(summary);
  if (prepared.options.output.empty()) {
    return summary;
  }
  if (summary.kernels.empty() && !summary.front.points.empty()) {
    summary.kernels = KernelsByNode(prepared.KernelsOf(TrialsOf(summary.front)));
  }
  WriteCalibrationSamples(prepared.scales.calibration_samples, prepared.graph(),
                          prepared.options.output);
  const PointContent content{
      .sources = prepared.network.sources,
      .kernels =
          [&](const PrecisionPlan& plan) {
            return KernelsOfPoint(prepared.graph(), plan, prepared.choices.front());
          },
      .models = {.formats = prepared.options.exports,
                 .several_shapes = summary.run.shapes.size() > 1,
                 .stop_requested = callbacks.stop_requested},
      .v2_names = prepared.options.write_v2,
      .dumped_profile =
          prepared.network.dumped_profile ? &*prepared.network.dumped_profile : nullptr};
  return WriteOutputs(std::move(summary), prepared.network.model(), prepared.target(), content,
                      prepared.options.output);
}

TunedFront WithFindings(const Prepared& prepared, const Decisions& decisions,
                        const SearchInsight& insight, TunedFront front) {
  for (FrontPoint& point : front.points) {
    point.findings = ChoiceFindings(
        decisions, insight,
        ResolvePrecision(prepared.graph(), point.trial.candidate.options, prepared.target()));
  }
  return front;
}

TuneSummary ReportAnswer(const Prepared& prepared, const RunStart& start,
                         const TuneCallbacks& callbacks, const Hash128& workload_key,
                         Certified answer) {
  Append(WarningWithoutHeldout(prepared.options, prepared.facts.heldout_count), answer.warnings);
  answer.front = ChooseAndCertify(std::move(answer.front), prepared.BasisOf(answer.reference));
  const bool verify = prepared.options.verify && answer.front.chosen && !prepared.stored_only;
  if (verify) {
    answer = VerifyChosen(prepared, workload_key, std::move(answer));
  }
  TuneSummary summary = SummaryOf(prepared, std::move(answer));
  Append(WarningsOfRuntime(summary.front), summary.warnings);
  if (verify) {
    summary.machine = UseOf(start.machine);
    if (prepared.latency->is_timed()) {
      Append(WarningOfLoad(start.machine, summary.front.points), summary.warnings);
    }
  } else {  // nothing was timed that a load of now could have disturbed
    summary.machine.facts = start.machine.facts();
    Append(WarningOfLoadedPoints(summary.front.points, start.machine.facts().cores),
           summary.warnings);
  }
  const Decisions decisions(prepared.graph(), prepared.target(),
                            DecisionOptionsOf(prepared.space, prepared.target()));
  if (const auto insight = StoredInsight(*prepared.bank.store, workload_key, decisions)) {
    if (const auto described = summary.front.described()) {
      summary.insight.kept = KeptOperatorsOf(*insight, summary.front.points[*described].trial);
    }
    summary.front = WithFindings(prepared, decisions, *insight, std::move(summary.front));
  }
  return Finished(prepared, start, callbacks, std::move(summary));
}

// The end of a run whose budget has no time for float32 on the samples.
TuneSummary ReportNothing(const Prepared& prepared, const RunStart& start,
                          const TuneCallbacks& callbacks) {
  SearchFacts nothing{.strategy = prepared.options.strategy,
                      .stop_reason = "the time of the budget was spent",
                      .end = SearchEnd::kTime,
                      .rejected = {}};
  const double run_s = start.budget.run_s();
  const double timed =
      RunsOfPlan(prepared.options, {.run_s = run_s, .shapes = prepared.facts.shapes.size()});
  const double runs = timed + static_cast<double>(prepared.facts.sample_count);
  nothing.plan = {.run_s = run_s, .runs = runs, .plan_s = runs * run_s};
  TuneSummary summary = SummaryOf(
      prepared, {.reference = {}, .search = std::move(nothing), .front = {}, .warnings = {}});
  summary.machine.facts = start.machine.facts();
  return Finished(prepared, start, callbacks, std::move(summary));
}

// From the knowledge base, before anything runs; empty: it has no answer.
std::optional<Certified> StoredAnswer(const Prepared& prepared, const Hash128& workload_key) {
  // What a runtime is called is part of the key, and it was not asked.
  const bool known = !prepared.stored_only || prepared.options.measure.on.runtime.empty();
  const TuneOptions& options = prepared.options;
  return options.search_again || options.measure_again || !known
             ? std::nullopt
             : AnswerFromBank(prepared, workload_key);
}

// Stores the front with what answers the same search later. Returns StoreFront()'s warning.
std::string StoreAnswer(const Prepared& prepared, TrialLog& log, const std::string& kernels,
                        const FrontNotes& notes, const TuneSummary& summary) {
  Provenance facts = FactsOfKernels(kernels);
  facts.merge(AnswerFacts(prepared.options, prepared.space, prepared.samples.HeldoutHash(), summary,
                          ToText(notes, summary.front), prepared.samples.fitted));
  return StoreFront(log, prepared.space, facts, summary);
}

// Details of the described point, for reports, as far as the budget has time for them.
GatheredDetails DetailsOf(const Prepared& prepared, const RunStart& start,
                          const TuneCallbacks& callbacks, NetworkSearch& search,
                          const TuneSummary& summary) {
  const CompileOptions compile = prepared.Compile();
  const StrategyInsight* insight = search.insight();
  const ShapesMeasurer& measurer = search.measurer();
  const std::optional<std::size_t> described = summary.front.described();
  return DetailsFor(
      {.model = prepared.network.model(),
       .target = prepared.target(),
       .data = prepared.samples.searched(),
       .options = prepared.options,
       .compile = compile,
       .insight = insight != nullptr ? &insight->facts() : nullptr,
       .latency = *prepared.latency,
       .stop_requested = callbacks.stop_requested,
       .costs = {.compile_s = measurer.compile_s(), .pass_s = measurer.reference_pass_s()},
       .seconds_left = SecondsLeft(prepared.options, start)},
      described ? &summary.front.points[*described] : nullptr);
}

// The front of a search, certified, with the names of its worst samples.
Certified CertifySearch(const Prepared& prepared, NetworkSearch& search, const RunStart& start) {
  const Confirmed confirmed = search.Run();
  Certified certified = CertifyFront(
      prepared, ReferenceOf(prepared.metric, search.measurer()), search.FactsOf(confirmed),
      FrontOf(confirmed, prepared.options.baseline.get()), start.budget);
  certified.warnings.insert(certified.warnings.begin(), search.warnings().begin(),
                            search.warnings().end());
  certified.front =
      WithSampleNames(prepared.Problem(), search.measurer(), std::move(certified.front));
  if (prepared.network.profiles.size() > 1) {
    for (FrontPoint& point : certified.front.points) {
      point.by_shape = search.measurer().ByShape(point.trial.plan_digest);
    }
  }
  return certified;
}

TuneSummary SearchAndReport(const Prepared& prepared, const RunStart& start,
                            const TuneCallbacks& callbacks, TrialLog* log) {
  NetworkSearch search(prepared, start, callbacks, log);
  TuneSummary summary = SummaryOf(prepared, CertifySearch(prepared, search, start));
  const StrategyInsight* insight = search.insight();
  summary.insight = InsightOf(insight, summary.front);
  summary.machine = UseOf(start.machine);
  if (prepared.latency->is_timed()) {
    Append(WarningOfLoad(start.machine, summary.front.points), summary.warnings);
  }
  Append(WarningsOfRuntime(summary.front), summary.warnings);
  const FrontNotes notes = NotesOf(search.measurer().reference_accuracy().outputs, summary.front);
  Append(SentencesOf(notes), summary.warnings);
  if (log != nullptr && !summary.front.points.empty()) {
    const std::string kernels = prepared.KernelsOf(TrialsOf(summary.front));
    summary.kernels = KernelsByNode(kernels);
    // A front of a search that had no time for plans answers nothing: the same command goes on.
    if (!NothingSearched(summary)) {
      Append(StoreAnswer(prepared, *log, kernels, notes, summary), summary.warnings);
    }
  }
  if (insight != nullptr) {
    summary.front = WithPredictions(insight->facts(), std::move(summary.front));
    summary.front =
        WithFindings(prepared, insight->decisions(), insight->facts(), std::move(summary.front));
  }
  GatheredDetails gathered = DetailsOf(prepared, start, callbacks, search, summary);
  summary.insight.details = std::move(gathered.details);
  Append(gathered.warnings, summary.warnings);
  return Finished(prepared, start, callbacks, std::move(summary));
}

}  // namespace

void CheckTuneOptions(const TuneOptions& options) {
  CheckMeasureSettings(options.measure);
  CheckConstraints(options.constraints);
  CheckConfidence(options.confidence);
  CheckOperatorBudget(options.operator_budget_s.value_or(0));
  RequireNumber("--heldout_share", options.heldout_share.value_or(0), limits::kShareRange);
  CheckSeedBank(options.seed_bank, options.bank);
  CheckRuntimeArguments(options.measure.on);
  const TargetSpec target = LoadTarget(options.target);
  ModesToSearch(target, options.modes);
  CheckDestination(target, options);
  if (!options.load_profile.empty() && target.family != kCloudAiFamily) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--load_profile is of the Cloud AI compiler, found with the target {}; "
                            "leave it out, or search for --soc_version={}",
                            target.name, kCloudAiFamily));
  }
  if (!options.load_profile.empty() && options.output.empty()) {
    throw Error(ErrorKind::kUsage,
                "--load_profile is of the files of points, and no --output is given: give that, or "
                "leave it out");
  }
  if (!options.make_strategy && !options.strategy.empty()) {
    ParseStrategy(options.strategy);
  }
}

std::shared_ptr<TimeBudget> BudgetOf(const Budget& limits, const TuneCallbacks& callbacks) {
  auto budget = callbacks.time != nullptr ? callbacks.time : std::make_shared<TimeBudget>();
  budget->SetLimit(limits.time ? std::optional(limits.time->count()) : std::nullopt);
  return budget;
}

Certified CertifyFront(const Prepared& prepared, Reference reference, SearchFacts search,
                       TunedFront front, TimeBudget& budget) {
  const std::vector<Trial> trials = TrialsOf(front);
  if (!trials.empty()) {
    reference.latency_s = trials.front().measurement()->latency.anchor_median_s;
  }
  HeldoutAccuracy heldout = JudgeHeldout(prepared, trials, budget);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    front.points[i].heldout = std::move(heldout.trials[i]);
    front.points[i].as_float32 = RunsAsFloat32(
        prepared,
        ResolvePrecision(prepared.graph(), trials[i].candidate.options, prepared.target()));
  }
  reference = WithHeldout(std::move(reference), std::move(heldout.reference));
  Append(WarningWithoutHeldout(prepared.options, prepared.facts.heldout_count), heldout.warnings);
  front = ChooseAndCertify(std::move(front), prepared.BasisOf(reference));
  return {std::move(reference), std::move(search), std::move(front), std::move(heldout.warnings)};
}

// The answer of a knowledge base that is asked before anything is measured; empty: it has none.
std::optional<TuneSummary> TuneFromBank(std::span<const Model> profiles, const TuneOptions& options,
                                        const RunStart& start, const TuneCallbacks& callbacks) {
  // A runtime is part of the key and says its name itself; a bank to seed from is read with the
  // rest.
  if (options.search_again || options.measure_again || options.verify || options.baseline ||
      options.make_strategy || !options.measure.on.runtime.empty() || !options.seed_bank.empty()) {
    return std::nullopt;
  }
  const std::optional<Prepared> prepared =
      PrepareStored(profiles, options, callbacks, start.budget);
  if (!prepared) {
    return std::nullopt;
  }
  const Hash128 key = KeyOf(prepared->CurrentWorkload());
  std::optional<Certified> answer = StoredAnswer(*prepared, key);
  return answer ? std::optional(ReportAnswer(*prepared, start, callbacks, key, *std::move(answer)))
                : std::nullopt;
}

TuneSummary TunePrepared(const Prepared& prepared, const RunStart& start,
                         const TuneCallbacks& callbacks) {
  if (prepared.stored_only) {  // a workload without trials is not added
    const Hash128 key =
        prepared.bank.store != nullptr ? KeyOf(prepared.CurrentWorkload()) : Hash128{};
    std::optional<Certified> answer =
        prepared.bank.store != nullptr ? StoredAnswer(prepared, key) : std::nullopt;
    return answer ? ReportAnswer(prepared, start, callbacks, key, *std::move(answer))
                  : ReportNothing(prepared, start, callbacks);
  }
  std::optional<TrialLog> log = LogOf(prepared);
  if (log) {
    if (auto answer = StoredAnswer(prepared, log->workload_key())) {
      return ReportAnswer(prepared, start, callbacks, log->workload_key(), *std::move(answer));
    }
  }
  return SearchAndReport(prepared, start, callbacks, log ? &*log : nullptr);
}

TuneSummary Tune(std::span<const Model> profiles, const TuneOptions& options,
                 const TuneCallbacks& callbacks) {
  if (profiles.empty()) {
    throw Error(ErrorKind::kUsage, "expected the network at an input shape at least");
  }
  const auto budget = BudgetOf(options.budget, callbacks);
  const RunStart start{*budget};
  if (auto answer = TuneFromBank(profiles, options, start, callbacks)) {
    return *std::move(answer);
  }
  return TunePrepared(Prepare(profiles, options, callbacks, *budget), start, callbacks);
}

TuneSummary Tune(const Model& model, const TuneOptions& options, const TuneCallbacks& callbacks) {
  return Tune({&model, 1}, options, callbacks);
}

}  // namespace halftone
