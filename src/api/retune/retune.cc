#include "src/api/retune/retune.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "knowledge_base/sqlite_store.h"
#include "search/confirm_front.h"
#include "search/measure/network_measurer.h"
#include "search/space/tunable_node.h"
#include "search/trial/pareto_front.h"
#include "src/api/bank/kernel_bank.h"
#include "src/api/bank/kernel_record.h"
#include "src/api/bank/store_front.h"
#include "src/api/bank/trial_log.h"
#include "src/api/bank/workload.h"
#include "src/api/load/memory_limit.h"
#include "src/api/options/check_settings.h"
#include "src/api/report/measuring_details.h"
#include "src/api/report/write_outputs.h"
#include "src/api/retune/neighbour_strategy.h"
#include "src/api/tune/answer_from_bank.h"
#include "src/api/tune/heldout.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

constexpr std::size_t kKeyDigits = 12;

// What a search would share with this.
TuneOptions TuneOptionsOf(const RetuneOptions& options) {
  TuneOptions tune;
  tune.target = options.target;
  tune.seed = options.measure.seed;
  tune.max_trials = options.max_trials;
  tune.budget = options.budget;
  tune.data = options.data;
  tune.heldout = options.heldout;
  tune.heldout_share = options.heldout_share;
  tune.measure = options.measure;
  tune.bank = options.bank;
  tune.output = options.output;
  tune.command = options.command;
  return tune;
}

// The samples that `tune` with the same options would search on, and those it would hold out.
DataSplit SamplesOf(const Model& model, const RetuneOptions& options) {
  TuneSummary said;  // by tune too
  return LoadParts(model, TuneOptionsOf(options), said);
}

// One network, its data and where measurements go.
class Retuning {
 public:
  Retuning(const Model& model, const RetuneOptions& options, const TuneCallbacks& callbacks)
      : model_(model),
        options_(options),
        callbacks_(callbacks),
        target_(LoadTarget(options.target)),
        parts_(SamplesOf(model, options)),
        choices_(ThreadPool(options.measure.threads).threads()),
        metric_(ChooseMetric(MetricArgumentsFor(model.graph, options.measure.metric))) {
    result_.model_name = model.name;
    result_.input_shapes = model.input_shapes;
    result_.created_at = UtcNow();
    result_.command = options.command;
  }

  RetuneResult Run() {
    if (!options_.output.empty()) {
      CheckWritable(options_.output);
    }
    if (!options_.bank.empty()) {
      OpenBank();
    }
    workload_ = WorkloadOf(model_, parts_.search, target_.name, choices_);
    result_.front = LoadShippedFront(model_, options_, target_.name, workload_);
    if (result_.front.members.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}' has no points; tune again", result_.front.source));
    }
    result_.warnings = result_.front.notes;
    DescribeChanges();
    MeasureFront();
    if (!Stopped()) {
      Judge();
      DecideScope();
      if (store_ != nullptr) {
        StoreMeasured();
      }
      if (result_.search.has_value()) {
        Search();
      }
    }
    WriteReports();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool Stopped() const {
    return callbacks_.stop_requested && callbacks_.stop_requested();
  }

  void OpenBank() {
    const std::filesystem::path database = DatabasePath(options_.bank, target_.name);
    std::error_code error;
    if (!options_.from_bank() || std::filesystem::exists(database, error)) {
      store_ = OpenSqliteStore(database, OpenMode::kReadWrite);
    } else {
      OpenSqliteStore(database, OpenMode::kReadOnly);  // says that there is none
    }
    choices_ = ChoicesFrom(*store_, model_.graph, choices_.threads());
  }

  void DescribeChanges() {
    const ShippedFront& front = result_.front;
    const auto differs = [&](std::string_view what, const std::string& then,
                             const std::string& now) {
      if (!then.empty() && then != now) {
        result_.changes.push_back(fmt::format("{} {} -> {}", what, then, now));
      }
    };
    const auto short_hash = [](const Hash128& hash) {
      return hash == Hash128{} ? "" : hash.ToHex().substr(0, kKeyDigits);
    };
    differs("halftone", front.tool_version, workload_.tool_version);
    differs("instruction set", front.isa, workload_.isa);
    differs("kernel table", short_hash(front.kernel_table_hash),
            short_hash(workload_.kernel_table_hash));
    differs("data", short_hash(front.data_hash), short_hash(workload_.data_hash));
    if (options_.from_bank() && front.kernel_choices != workload_.kernel_choices) {
      result_.changes.emplace_back("operator tuning has chosen other kernels");
    }
  }

  // Every member and the anchor beside it, with the protocol of confirmed points.
  void MeasureFront() {
    SharedConstants shared;
    const CompileOptions compile{.kernels = {}, .choices = choices_, .shared = &shared};
    NetworkMeasurer measurer(model_.graph, parts_.search,
                             {.threads = options_.measure.threads,
                              .quick_budget_s = options_.measure.quick_budget_s,
                              .confirm_budget_s = options_.measure.full_budget_s,
                              .seed = options_.measure.seed,
                              .metric = metric_,
                              .max_kept_bytes = KeptBytesWithin(model_.options.max_memory),
                              .compile = compile});
    reference_top1_ = measurer.reference_top1();
    TuneSummary described;
    DescribeMetric(metric_, measurer, described);
    result_.metric = described.metric;
    const ComparedBy by{.samples = static_cast<std::int64_t>(parts_.search.size()),
                        .same_data = result_.front.data_hash == workload_.data_hash,
                        .metric = metric_};
    const ShippedFront& front = result_.front;
    if (result_.metric && WithLoss(front.members, metric_).empty()) {
      result_.warnings.push_back(
          fmt::format("the front was measured without --metric={}: what it was then is not known",
                      metric_.name));
    }
    std::vector<Trial> measured;
    for (std::size_t i = 0; i < front.members.size() && !Stopped(); ++i) {
      measured.push_back(MeasureAgain(front.members[i], measurer));
      RetunedPoint point = CompareMeasurements(front.members[i], measured.back(), by);
      point.shipped = !front.chosen || *front.chosen == i;
      result_.points.push_back(std::move(point));
      if (callbacks_.on_progress) {
        callbacks_.on_progress({TunerProgress::Phase::kConfirm, i + 1, front.members.size(), i + 1,
                                measured, &measured.back()});
      }
    }
    CompareAnchors();
    if (!Stopped()) {
      CertifyShipped(model_, target_, TuneOptionsOf(options_), compile, parts_.heldout, result_);
    }
  }

  Trial MeasureAgain(const Trial& before, NetworkMeasurer& measurer) {
    Trial trial{.candidate = before.candidate};
    const auto plan = OrRejection(
        trial, [&] { return ResolvePrecision(model_.graph, trial.candidate.options, target_); });
    if (!plan) {
      return trial;
    }
    trial.plan_digest = plan->Digest();
    FillNodeNames(model_.graph, *plan, trial);
    const auto outcome = OrRejection(trial, [&] { return measurer.Measure(*plan); });
    if (!outcome) {
      return trial;
    }
    trial.outcome = *outcome;
    if (auto* measurement = std::get_if<Measurement>(&trial.outcome)) {
      measurement->latency = measurer.Confirm(*plan);
      measurement->confirmed = true;
    }
    return trial;
  }

  // By the members with samples on both sides; those of a front.json have none.
  void CompareAnchors() {
    for (const RetunedPoint& point : result_.points) {
      const Measurement* after = point.after.measurement();
      if (after == nullptr) {
        continue;
      }
      const Latency& then = point.before.measurement()->latency;
      result_.anchor_before_s = then.anchor_median_s;
      result_.anchor_after_s = after->latency.anchor_median_s;
      if (!then.anchor_samples_s.empty() && !after->latency.anchor_samples_s.empty()) {
        const Interval old_interval = BootstrapMedianInterval(then.anchor_samples_s);
        const Interval new_interval = BootstrapMedianInterval(after->latency.anchor_samples_s);
        result_.anchor_moved =
            new_interval.low > old_interval.high || new_interval.high < old_interval.low;
      }
      return;
    }
  }

  void Judge() {
    for (std::size_t i = 0; i < result_.points.size(); ++i) {
      const RetunedPoint& point = result_.points[i];
      if (!point.shipped) {
        continue;
      }
      // A certified point is as accurate as was promised, or not; how accurate it was is no
      // promise.
      if (point.rejected || point.slower || (point.less_accurate && !point.certificate)) {
        result_.failures.push_back(fmt::format("point {}: {}", i + 1, Join(point.moved, "; ")));
      }
      const Measurement* measurement = point.after.measurement();
      if (measurement == nullptr) {
        continue;
      }
      if (const auto violation =
              Violation(result_.front.constraints, *measurement, reference_top1_)) {
        result_.failures.push_back(fmt::format("point {}: {}", i + 1, *violation));
      }
    }
    for (const std::string& broken : BrokenPromises(result_)) {
      result_.failures.push_back(fmt::format("point {}: {}", *result_.front.chosen + 1, broken));
    }
  }

  [[nodiscard]] std::string CurrentKernelRecord() const {
    std::vector<PrecisionOptions> configurations;
    for (const std::string& mode : Space().modes) {
      configurations.push_back({.precision_mode = mode});
    }
    for (const Trial& member : result_.front.members) {
      configurations.push_back(member.candidate.options);
    }
    SharedConstants shared;
    return KernelRecord(model_.graph, target_, configurations,
                        {.kernels = {}, .choices = choices_, .shared = &shared});
  }

  [[nodiscard]] SearchSpace Space() const { return MakeSearchSpace(model_.graph, target_); }

  // Sets result_.search when there is something to search.
  void DecideScope() {
    const std::string& before = result_.front.kernels;
    const std::string& isa = result_.front.isa;
    kernels_ = CurrentKernelRecord();
    if (!isa.empty() && isa != workload_.isa) {
      result_.scope = "on another instruction set every kernel may be slower or faster than then";
      all_changed_ = true;
    } else if (before.empty()) {
      result_.scope =
          "which kernels the front was measured with is not recorded, so all operators may have "
          "changed";
      all_changed_ = true;
    } else {
      result_.changed_nodes = ChangedNodes(before, kernels_);
      result_.scope = result_.changed_nodes.empty()
                          ? "every operator runs on the kernels that the front was measured with"
                          : fmt::format("{} {} on other kernels than the front was measured with",
                                        Counted(std::ssize(result_.changed_nodes), "operator"),
                                        result_.changed_nodes.size() == 1 ? "runs" : "run");
    }
    const bool anything = all_changed_ || !result_.changed_nodes.empty();
    if (!anything) {
      result_.scope += "; nothing to search again";
      return;
    }
    if (!options_.search) {
      result_.scope += "; not searched again (--no_search)";
      return;
    }
    result_.search.emplace();
    if (all_changed_) {
      result_.scope += "; all are searched again";
      return;
    }
    const std::size_t around = Neighbours(Space())->MostPlans();
    all_changed_ = around > options_.max_trials;
    result_.scope +=
        all_changed_ ? fmt::format(
                           "; other choices in them are {} around the front, more than "
                           "the {} of --max_trials, so all are searched again",
                           Counted(static_cast<std::int64_t>(around), "plan"), options_.max_trials)
                     : "; only these are searched again";
  }

  // The front that can run, and what it is with other choices where kernels changed.
  [[nodiscard]] std::unique_ptr<SearchStrategy> Neighbours(const SearchSpace& space) const {
    std::vector<Candidate> from;
    for (const RetunedPoint& point : result_.points) {
      if (point.after.measurement() != nullptr) {
        from.push_back(point.after.candidate);
      }
    }
    return MakeNeighbourStrategy(model_.graph, target_, space, std::move(from),
                                 result_.changed_nodes);
  }

  // Into the workload of now: the newest front is that of the points measured again.
  void StoreMeasured() {
    const Hash128 key = store_->AddWorkload(workload_);
    TuneSummary summary;
    summary.strategy = "retune";
    summary.constraints = result_.front.constraints;
    summary.cpu = CpuName();
    summary.compiler = CompilerName();
    summary.command = options_.command;
    summary.inputs = options_.data.inputs;
    summary.reference_top1 = reference_top1_;
    summary.metric = result_.metric;
    summary.heldout_count = result_.heldout_count;
    summary.heldout_reference = result_.heldout_reference;
    TrialLog log(*store_, key);
    std::vector<Trial> trials;
    for (const RetunedPoint& point : result_.points) {
      log.Add(point.after);
      trials.push_back(point.after);
    }
    for (const std::size_t index : ParetoFront(trials)) {
      summary.points.push_back({.trial = trials[index], .heldout = result_.points[index].heldout});
    }
    ChooseAndCertify(options_.measure.seed, summary);
    Provenance facts = FactsOfKernels(kernels_);
    facts.merge(HeldoutFacts(summary));
    StoreFront(log, Space(), facts, summary);
    result_.warnings.insert(result_.warnings.end(), summary.warnings.begin(),
                            summary.warnings.end());
  }

  void Search() {
    TuneOptions options = TuneOptionsOf(options_);
    options.constraints = result_.front.constraints;
    if (!all_changed_) {
      options.strategy = "retune";
      options.make_strategy = [this](const SearchSpace& space) { return Neighbours(space); };
    }
    store_.reset();  // the search opens the bank itself
    result_.search = Tune(model_, options, callbacks_);
  }

  void WriteReports() const {
    if (!options_.output.empty()) {
      WriteFileAtomically(options_.output / "retune.md", FormatRetuneMarkdown(result_));
      WriteFileAtomically(options_.output / "retune.json", FormatRetuneJson(result_));
    }
  }

  const Model& model_;
  const RetuneOptions& options_;
  const TuneCallbacks& callbacks_;
  TargetSpec target_;
  DataSplit parts_;
  std::unique_ptr<TrialStore> store_;
  KernelChoices choices_;
  Workload workload_;
  LossMetric metric_;
  std::optional<double> reference_top1_;
  std::string kernels_;       // KernelRecord() of now
  bool all_changed_ = false;  // or nobody knows, or too many
  RetuneResult result_;
};

}  // namespace

void CertifyShipped(const Model& model, const TargetSpec& target, const TuneOptions& options,
                    const CompileOptions& compile, const Dataset& heldout, RetuneResult& result) {
  const ShippedFront& front = result.front;
  if (!front.constraints.of_accuracy()) {
    return;
  }
  TuneSummary judged;
  judged.constraints = front.constraints;
  judged.heldout_count = static_cast<std::int64_t>(heldout.size());
  std::vector<RetunedPoint*> points;
  for (RetunedPoint& point : result.points) {
    if (point.after.measurement() != nullptr) {
      judged.points.push_back({.trial = point.after});
      points.push_back(&point);
    }
  }
  WarnWithoutHeldout(judged);
  EvaluateHeldout(model, target, options, compile, heldout, judged);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i]->heldout = std::move(judged.points[i].heldout);
  }
  result.heldout_count = judged.heldout_count;
  result.heldout_reference = std::move(judged.heldout_reference);
  result.warnings.insert(result.warnings.end(), judged.warnings.begin(), judged.warnings.end());
  if (front.chosen && *front.chosen < result.points.size()) {
    RetunedPoint& shipped = result.points[*front.chosen];
    if (shipped.heldout) {
      shipped.certificate = Certify(front.constraints, shipped.after.measurement()->latency,
                                    *shipped.heldout, result.heldout_reference, options.seed);
    }
  }
}

std::vector<std::string> BrokenPromises(const RetuneResult& result) {
  std::vector<std::string> broken;
  if (result.heldout_count == 0 || !result.front.chosen ||
      *result.front.chosen >= result.points.size()) {
    return broken;
  }
  const RetunedPoint& shipped = result.points[*result.front.chosen];
  if (!shipped.certificate) {
    if (!shipped.rejected) {
      broken.emplace_back("nothing can be promised of it: it cannot run on the held-out samples");
    }
    return broken;
  }
  for (const PromisedBound& bound : shipped.certificate->bounds) {
    if (!bound.holds) {
      broken.push_back(
          fmt::format("--{}={} cannot be promised: {}", bound.name, bound.asked, bound.statement));
    }
  }
  return broken;
}

RetuneResult Retune(const Model& model, const RetuneOptions& options,
                    const TuneCallbacks& callbacks) {
  CheckMeasureSettings(options.measure);
  if (options.bank.empty() && options.from_bank()) {
    throw Error(ErrorKind::kUsage,
                "retune: --no_bank leaves no front to measure again; name the shipped front.json "
                "with --front, or a point with --point");
  }
  return Retuning(model, options, callbacks).Run();
}

}  // namespace halftone
