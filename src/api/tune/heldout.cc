#include "src/api/tune/heldout.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "search/measure/network_measurer.h"
#include "search/trial/choose.h"
#include "src/accuracy/metrics.h"
#include "src/api/load/traced_samples.h"
#include "src/api/tune/baseline.h"
#include "src/api/tune/prepare.h"
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
void NoteDraw(const Dataset& drawn, std::string_view what, std::vector<std::string>& warnings) {
  if (drawn.drawn_from > 0) {
    warnings.push_back(
        fmt::format("{} of {} {}s are used, drawn at random and the same in every run; "
                    "--draw_samples=0 uses all",
                    drawn.size(), drawn.drawn_from, what));
  }
}

// Held-out samples by all metrics, that of --metric among them. Where that one fails, the search is
// not lost: the others, and so what is promised, are there without it.
class HeldoutJudge {
 public:
  explicit HeldoutJudge(const Prepared& prepared)
      : graph_(prepared.model.graph),
        heldout_(prepared.data.heldout),
        default_(ChooseMetric(MetricArgumentsFor(graph_, {}))),
        options_(prepared.Measuring()) {
    const LossMetric metric = std::exchange(options_.metric, default_);
    if (!metric.command.empty()) {
      options_.metric = metric;
    }
    WithoutMetricIfItFails([&] { Measurer(); });
    if (Measurer().reference_accuracy().Find(metric.name) == nullptr && why_.empty()) {
      const MetricRow* row = FindMetric(metric.name);
      why_ = fmt::format("--metric={} is not known there: {}", metric.name,
                         row != nullptr && row->needs_labels && !heldout_.has_labels()
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

  // Reason why points have no value of --metric; empty: all have one.
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

LoadedData LoadParts(const Model& model, const TuneOptions& options) {
  LoadedData loaded;
  Dataset all = LoadSamples(model, options.data);
  NoteDraw(all, "sample", loaded.warnings);
  if (options.heldout) {
    DataSplit& parts = loaded.parts;
    parts.search = std::move(all);
    parts.heldout = LoadSamples(model, *options.heldout);
    NoteDraw(parts.heldout, "held-out sample", loaded.warnings);
    if (const std::size_t removed = RemoveSeen(parts.search, parts.heldout); removed > 0) {
      loaded.warnings.push_back(fmt::format("{} left out: the search sees the same inputs",
                                            CountedSamples(removed, "held-out sample")));
    }
  } else {
    const double share = ShareOf(options, all);
    loaded.parts = SplitDataset(std::move(all), share, options.seed);
  }
  return loaded;
}

HeldoutAccuracy JudgeHeldout(const Prepared& prepared, std::span<const Trial> trials) {
  HeldoutAccuracy heldout;
  heldout.trials.resize(trials.size());
  if (prepared.data.heldout.empty()) {
    return heldout;
  }
  HeldoutJudge judge(prepared);
  heldout.reference = judge.reference();
  for (std::size_t i = 0; i < trials.size(); ++i) {
    auto outcome = judge.Judge(
        ResolvePrecision(prepared.model.graph, trials[i].candidate.options, prepared.target));
    if (auto* accuracy = std::get_if<Accuracy>(&outcome)) {
      NameWorstSamples(prepared.data.heldout, *accuracy);
      heldout.trials[i] = std::move(*accuracy);
    } else {
      heldout.warnings.push_back(fmt::format("held-out samples: '{}' is not usable: {}",
                                             Summary(trials[i].candidate),
                                             std::get<Rejection>(outcome).reason));
    }
  }
  if (!judge.why_without_metric().empty()) {
    heldout.warnings.push_back("held-out samples: " + judge.why_without_metric());
  }
  return heldout;
}

Reference WithHeldout(Reference reference, Accuracy heldout) {
  reference.heldout = std::move(heldout);
  if (reference.metric) {
    if (const MetricValue* value = reference.heldout.Find(reference.metric->name)) {
      reference.metric->heldout_reference = value->mean;
    }
  }
  return reference;
}

std::string WarningWithoutHeldout(const Constraints& constraints, std::int64_t heldout_count) {
  return constraints.of_accuracy() && heldout_count == 0
             ? fmt::format(
                   "{} on the samples of the search, which says nothing certain of others: "
                   "give --heldout_inputs or --heldout_share",
                   DemandOf(constraints))
             : "";
}

TunedFront ChooseAndCertify(TunedFront front, const ChoiceBasis& basis) {
  const Constraints& constraints = basis.constraints;
  const std::optional<double>& top1 = basis.reference.top1;
  const bool certified = constraints.of_accuracy() && basis.heldout_count > 0;
  std::vector<Trial> trials;
  std::vector<std::optional<Certificate>> certificates;
  for (FrontPoint& point : front.points) {
    if (certified && point.heldout) {
      point.certificate = Certify(constraints, point.measurement().latency, *point.heldout,
                                  basis.reference.heldout, basis.seed);
    }
    trials.push_back(point.trial);
    certificates.push_back(point.certificate);
  }
  if (front.baseline) {
    front.chosen = ChooseAgainstBaseline(trials, *front.baseline, constraints, top1);
  } else if (certified) {
    front.chosen = ChooseMemberOf(trials, Promisable(trials, constraints, top1, certificates),
                                  constraints, top1);
  } else {
    front.chosen = ChooseMember(trials, constraints, top1);
  }
  if (!front.chosen) {
    front.nearest = NearestMembers(trials, constraints, top1);
  }
  return front;
}

}  // namespace halftone
