#include "src/api/tune/heldout.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "search/measure/network_measurer.h"
#include "search/trial/choose.h"
#include "src/accuracy/metrics.h"
#include "src/api/load/memory_limit.h"
#include "src/api/load/traced_samples.h"
#include "src/api/tune/baseline.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

std::string CountedSamples(std::size_t count, std::string_view what) {
  return Counted(static_cast<std::int64_t>(count), what);
}

double ShareOf(const TuneOptions& options, const Dataset& all) {
  if (options.heldout_share) {
    return *options.heldout_share;
  }
  return all.representative && all.size() >= kFewestToHoldOut ? kDefaultHeldoutShare : 0;
}

// Says where not all samples are used.
void NoteDraw(const Dataset& drawn, std::string_view what, TuneSummary& summary) {
  if (drawn.drawn_from > 0) {
    summary.warnings.push_back(
        fmt::format("{} of {} {}s are used, drawn at random and the same in every run; "
                    "--draw_samples=0 uses all",
                    drawn.size(), drawn.drawn_from, what));
  }
}

// Held-out samples by all metrics, that of --metric among them. Where that one fails, the search is
// not lost: the others, and so what is promised, are there without it.
class HeldoutJudge {
 public:
  HeldoutJudge(const Model& model, const Dataset& heldout, const TuneOptions& options,
               const CompileOptions& compile)
      : graph_(model.graph),
        heldout_(heldout),
        default_(ChooseMetric(MetricArgumentsFor(model.graph, {}))),
        options_({.threads = options.measure.threads,
                  .metric = default_,
                  .max_kept_bytes = KeptBytesWithin(model.options.max_memory),
                  .compile = compile}) {
    const LossMetric metric = ChooseMetric(MetricArgumentsFor(graph_, options.measure.metric));
    if (!metric.command.empty()) {
      options_.metric = metric;
    }
    WithoutMetricIfItFails([&] { Measurer(); });
    if (Measurer().reference_accuracy().Find(metric.name) == nullptr && why_.empty()) {
      const MetricRow* row = FindMetric(metric.name);
      why_ = fmt::format("--metric={} is not known there: {}", metric.name,
                         row != nullptr && row->needs_labels && !heldout.has_labels()
                             ? "they have no labels; give --heldout_labels"
                             : "it is defined for none of them");
    }
  }

  [[nodiscard]] const Accuracy& reference() { return Measurer().reference_accuracy(); }

  std::variant<Accuracy, Rejection> Judge(const PrecisionPlan& plan) {
    std::variant<Accuracy, Rejection> outcome;
    WithoutMetricIfItFails([&] { outcome = Measurer().MeasureAccuracy(plan); });
    return outcome;
  }

  // Empty: --metric is there for all.
  [[nodiscard]] const std::string& why_without_metric() const { return why_; }

 private:
  const NetworkMeasurer& Measurer() {
    if (measurer_ == nullptr) {
      measurer_ = std::make_unique<NetworkMeasurer>(graph_, heldout_, options_);
    }
    return *measurer_;
  }

  template <typename Body>
  void WithoutMetricIfItFails(const Body& body) {
    try {
      body();
    } catch (const Error& error) {
      if (options_.metric.command.empty() ||
          (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kUnsupported)) {
        throw;
      }
      why_ = fmt::format("{}; points from there on have no value of it", error.what());
      options_.metric = default_;
      measurer_.reset();
      body();
    }
  }

  const Graph& graph_;
  const Dataset& heldout_;
  LossMetric default_;  // which needs no user's program
  MeasureOptions options_;
  std::unique_ptr<NetworkMeasurer> measurer_;
  std::string why_;
};

}  // namespace

DataSplit LoadParts(const Model& model, const TuneOptions& options, TuneSummary& summary) {
  Dataset all = LoadSamples(model, options.data);
  NoteDraw(all, "sample", summary);
  DataSplit parts;
  if (options.heldout) {
    parts.search = std::move(all);
    parts.heldout = LoadSamples(model, *options.heldout);
    NoteDraw(parts.heldout, "held-out sample", summary);
    if (const std::size_t removed = RemoveSeen(parts.search, parts.heldout); removed > 0) {
      summary.warnings.push_back(fmt::format("{} left out: the search sees the same inputs",
                                             CountedSamples(removed, "held-out sample")));
    }
  } else {
    const double share = ShareOf(options, all);
    parts = SplitDataset(std::move(all), share, options.seed);
  }
  summary.sample_count = static_cast<std::int64_t>(parts.search.size());
  summary.heldout_count = static_cast<std::int64_t>(parts.heldout.size());
  return parts;
}

void EvaluateHeldout(const Model& model, const TargetSpec& target, const TuneOptions& options,
                     const CompileOptions& compile, const Dataset& heldout, TuneSummary& summary) {
  if (heldout.empty()) {
    return;
  }
  HeldoutJudge judge(model, heldout, options, compile);
  summary.heldout_reference = judge.reference();
  if (const MetricValue* top1 = summary.heldout_reference.Find("top1")) {
    summary.heldout_reference_top1 = top1->mean;
  }
  for (FrontPoint& point : summary.points) {
    auto outcome =
        judge.Judge(ResolvePrecision(model.graph, point.trial.candidate.options, target));
    if (auto* accuracy = std::get_if<Accuracy>(&outcome)) {
      NameWorstSamples(heldout, *accuracy);
      point.heldout = std::move(*accuracy);
    } else {
      summary.warnings.push_back(fmt::format("held-out samples: '{}' is not usable: {}",
                                             Summary(point.trial.candidate),
                                             std::get<Rejection>(outcome).reason));
    }
  }
  if (summary.metric) {
    if (const MetricValue* value = summary.heldout_reference.Find(summary.metric->name)) {
      summary.metric->heldout_reference = value->mean;
    }
  }
  if (!judge.why_without_metric().empty()) {
    summary.warnings.push_back("held-out samples: " + judge.why_without_metric());
  }
}

void WarnWithoutHeldout(TuneSummary& summary) {
  if (summary.constraints.of_accuracy() && summary.heldout_count == 0) {
    summary.warnings.push_back(
        fmt::format("{} on the samples of the search, which says nothing certain of others: give "
                    "--heldout_inputs or --heldout_share",
                    DemandOf(summary.constraints)));
  }
}

void ChooseAndCertify(std::uint64_t seed, TuneSummary& summary) {
  const Constraints& constraints = summary.constraints;
  const bool certified = constraints.of_accuracy() && summary.heldout_count > 0;
  std::vector<Trial> front;
  std::vector<std::optional<Certificate>> certificates;
  for (FrontPoint& point : summary.points) {
    if (certified && point.heldout) {
      point.certificate = Certify(constraints, point.measurement().latency, *point.heldout,
                                  summary.heldout_reference, seed);
    }
    front.push_back(point.trial);
    certificates.push_back(point.certificate);
  }
  if (summary.baseline) {
    summary.chosen =
        ChooseAgainstBaseline(front, *summary.baseline, constraints, summary.reference_top1);
  } else if (certified) {
    summary.chosen =
        ChooseMemberOf(front, Promisable(front, constraints, summary.reference_top1, certificates),
                       constraints, summary.reference_top1);
  } else {
    summary.chosen = ChooseMember(front, constraints, summary.reference_top1);
  }
  if (!summary.chosen) {
    summary.nearest = NearestMembers(front, constraints, summary.reference_top1);
  }
}

}  // namespace halftone
