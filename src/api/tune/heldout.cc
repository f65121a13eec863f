#include "src/api/tune/heldout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "search/measure/shapes_measurer.h"
#include "search/trial/best_promise.h"
#include "search/trial/choose.h"
#include "src/accuracy/metrics.h"
#include "src/api/tune/baseline.h"
#include "src/api/tune/prepare.h"
#include "src/base/confidence.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/precision/precision_plan.h"
#include "src/precision/resolve/resolve.h"
#include "src/report/verdict.h"

namespace halftone {
namespace {

// Judges held-out samples by all metrics, that of --metric among them. If that one fails, the
// search is not lost: the others, and so the promises, remain.
class HeldoutJudge {
 public:
  explicit HeldoutJudge(const Prepared& prepared)
      : graph_(prepared.graph()),
        heldout_(prepared.HeldoutShapes()),
        default_(ChooseMetric(MetricArgumentsFor(graph_, {}))),
        options_(prepared.Measuring()) {
    const LossMetric metric = std::exchange(options_.metric, default_);
    if (metric.is_own()) {
      options_.metric = metric;
    }
    WithoutMetricIfItFails([&] { Measurer(); });
    if (Measurer().reference_accuracy().Find(metric.name) == nullptr && why_.empty()) {
      const MetricRow* row = RowOfValue(metric.name);
      why_ =
          fmt::format("--metric={} is not known there: {}", metric.name,
                      row != nullptr && row->needs_labels && !heldout_.front().dataset->has_labels()
                          ? "they have no labels; give --heldout_labels"
                          : "it is defined for none of them");
    }
  }

  [[nodiscard]] const Accuracy& reference() { return Measurer().reference_accuracy(); }

  std::variant<Accuracy, Rejection> Judge(const PrecisionPlan& plan) {
    std::variant<Accuracy, Rejection> outcome;
    WithoutMetricIfItFails([&] { outcome = Measurer().MeasureAccuracy(plan); });
    if (auto* accuracy = std::get_if<Accuracy>(&outcome)) {
      Measurer().NameWorstSamples(*accuracy);
    }
    return outcome;
  }

  // Reason why points have no value of --metric; empty: all have one.
  [[nodiscard]] const std::string& why_without_metric() const { return why_; }

 private:
  const ShapesMeasurer& Measurer() {
    if (measurer_ == nullptr) {
      measurer_ = std::make_unique<ShapesMeasurer>(graph_, heldout_, options_);
    }
    return *measurer_;
  }

  template <typename Body>
  void WithoutMetricIfItFails(const Body& body) {
    try {
      body();
    } catch (const Error& error) {
      if (!options_.metric.is_own() ||
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
  std::vector<MeasuredShape> heldout_;
  LossMetric default_;  // which needs no user's program
  MeasureOptions options_;
  std::unique_ptr<ShapesMeasurer> measurer_;
  std::string why_;
};

Certificate CertifyPoint(const FrontPoint& point, const Constraints& constraints,
                         const Reference& reference, double confidence, std::uint64_t seed) {
  static const Accuracy kNone;
  return Certify(constraints,
                 {.latency = point.measurement().latency,
                  .heldout = point.heldout ? *point.heldout : kNone,
                  .reference = reference.heldout,
                  .search = &point.measurement().accuracy,
                  .as_float32 = point.as_float32},
                 {.confidence = confidence, .seed = seed});
}

// Indices of the points without a miss.
template <typename Miss>
std::vector<std::size_t> Without(const TunedFront& front, const Miss& miss) {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < front.points.size(); ++i) {
    if (!miss(front.points[i])) {
      members.push_back(i);
    }
  }
  return members;
}

// A bound on an own metric is promised by its value for each sample, which not every program gives.
bool HasValuesToPromise(const TunedFront& front, const Constraints& constraints) {
  return (!constraints.min_metric && !constraints.max_metric) ||
         std::ranges::any_of(front.points, [](const FrontPoint& point) {
           const MetricValue* own = point.heldout ? point.heldout->FindOwn() : nullptr;
           return own != nullptr && !own->values.empty();
         });
}

std::optional<std::size_t> ChosenOf(const TunedFront& front, std::span<const Trial> trials,
                                    const ChoiceBasis& basis) {
  const Constraints& constraints = basis.constraints;
  const std::optional<double>& top1 = basis.reference.top1;
  if (front.baseline) {
    return ChooseAgainstBaseline(trials, *front.baseline, constraints, top1);
  }
  if (!constraints.any()) {
    const auto chosen = ChooseMemberOf(trials, Without(front, MissOfDefault), constraints, top1);
    return chosen ? chosen : MostAccurateMember(trials);
  }
  if (constraints.of_accuracy() && basis.confidence && HasValuesToPromise(front, constraints) &&
      CanPromise(constraints, static_cast<std::size_t>(basis.heldout_count), *basis.confidence)) {
    std::vector<std::optional<Certificate>> certificates;
    for (const FrontPoint& point : front.points) {
      certificates.push_back(point.certificate);
    }
    return ChooseMemberOf(trials, Promisable(trials, constraints, top1, certificates), constraints,
                          top1);
  }
  const auto miss = [&](const FrontPoint& point) {
    return MissOnSamples(point, constraints, basis.reference);
  };
  return ChooseMemberOf(trials, Without(front, miss), constraints, top1);
}

// "2,400": with separators of thousands.
std::string Grouped(std::size_t count) {
  std::string text = fmt::format("{}", count);
  for (auto at = std::ssize(text) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

// Rounded up to two digits: counts that a user is to give.
std::size_t RoundedUp(std::size_t count) {
  std::size_t unit = 1;
  while (count / unit >= 100) {
    unit *= 10;
  }
  return (count + unit - 1) / unit * unit;
}

// The share in percent, rounded up to two digits: "3.0" of 0.02951.
std::string PercentUp(double share) {
  const double percent = 100 * share;
  if (percent <= 0) {
    return "0";
  }
  const int exponent = static_cast<int>(std::floor(std::log10(percent)));
  const double unit = std::pow(10, exponent - 1);
  return fmt::format("{:.{}f}", std::ceil(percent / unit - 1e-9) * unit, std::max(0, 1 - exponent));
}

// "give 2,400 samples (598 held-out ones) or --confidence=none"
std::string WhatToGive(std::size_t needed, const TuneOptions& options) {
  const double share = options.heldout_share.value_or(kDefaultHeldoutShare);
  if (options.heldout || share == 0) {
    return fmt::format("give {} held-out samples (--heldout_inputs) or --confidence=none",
                       Grouped(needed));
  }
  const auto all = std::max(
      kFewestToHoldOut, static_cast<std::size_t>(std::ceil(static_cast<double>(needed) / share)));
  const auto drawn = static_cast<std::size_t>(options.data.draw_samples);
  return fmt::format("give {} samples ({} of them are then held out{}) or --confidence=none",
                     Grouped(RoundedUp(all)), Grouped(needed),
                     drawn > 0 && all > drawn ? "; with --draw_samples=0" : "");
}

std::string NotJudged(std::size_t points, double pass_s) {
  return fmt::format(
      "{} not judged on held-out samples, so nothing is promised of them: a pass takes {:.2g} s, "
      "which the budget does not have; give a longer one",
      Counted(static_cast<std::int64_t>(points), "point") + (points == 1 ? " was" : " were"),
      pass_s);
}

std::string PromiseNote(const BestPromise& promise, const TuneOptions& options, std::size_t samples,
                        double confidence) {
  const BoundRow* row = nullptr;
  for (const BoundRow& candidate : AllBounds()) {
    row = candidate.name == promise.name ? &candidate : row;
  }
  std::string text = fmt::format("--{}={}: ", promise.name, BoundText(*row, options.constraints));
  const std::string with = fmt::format("with {} {}", Grouped(samples),
                                       samples == 1 ? "held-out sample" : "held-out samples");
  const std::string sure = fmt::format("with {:g} % confidence", 100 * confidence);
  if (promise.share) {
    text += fmt::format("{} all but {} % of new samples can be promised to keep it {}", with,
                        PercentUp(UpperLimitOfShare(0, samples, confidence)), sure);
  } else if (promise.limit) {
    const bool drop = row->value == &Constraints::max_top1_drop;
    text += fmt::format(
        "{} {} can be promised {}, if none differs from float32", with,
        drop ? fmt::format("a drop of at most {} %", PercentUp(*promise.limit))
             : fmt::format("an agreement in all but {} %", PercentUp(1 - *promise.limit)),
        sure);
  } else if (promise.possible) {
    text += fmt::format(
        "{} it can be promised {}; how far beyond the bound the mean must be for that depends on "
        "the spread of the errors",
        with, sure);
  } else {
    text += fmt::format("{} no mean of errors can be promised", with);
  }
  if (promise.possible) {
    return text;
  }
  return text +
         (promise.needed ? fmt::format("; for this bound {}", WhatToGive(*promise.needed, options))
                         : "; no number of samples promises this bound of anything but "
                           "float32: give a looser one or --confidence=none") +
         "; otherwise the point is chosen on the samples, and not promised";
}

}  // namespace

std::vector<std::string> PromiseNotes(const TuneOptions& options, std::int64_t heldout_count) {
  std::vector<std::string> notes;
  if (!options.confidence || options.baseline) {
    return notes;
  }
  const auto samples = static_cast<std::size_t>(heldout_count);
  for (const BestPromise& promise :
       BestPromises(options.constraints, samples, *options.confidence)) {
    notes.push_back(PromiseNote(promise, options, samples, *options.confidence));
  }
  return notes;
}

bool RunsAsFloat32(const Prepared& prepared, const PrecisionPlan& plan) {
  const Graph& graph = prepared.graph();
  const PrecisionPlan reference = ReferencePlan(graph);
  if (plan.Digest() == reference.Digest()) {
    return true;
  }
  const bool same_types =
      plan.graph_inputs.empty() && plan.graph_outputs.empty() &&
      std::ranges::equal(plan.nodes, reference.nodes, [](const auto& a, const auto& b) {
        return a.inputs == b.inputs && a.outputs == b.outputs;
      });
  if (!same_types) {
    return false;  // without the work of compiling it
  }
  const Executable candidate = Compile(graph, plan, prepared.Compile());
  const Executable float32 = Compile(graph, reference, prepared.Compile());
  return std::ranges::equal(candidate.steps(), float32.steps(),
                            [](const StepInfo& a, const StepInfo& b) {
                              return a.node == b.node && a.parts == b.parts && a.op == b.op &&
                                     a.kernel == b.kernel && a.dtype == b.dtype;
                            });
}

HeldoutAccuracy JudgeHeldout(const Prepared& prepared, std::span<const Trial> trials,
                             TimeBudget& budget) {
  HeldoutAccuracy heldout;
  heldout.trials.resize(trials.size());
  if (prepared.facts.heldout_count == 0 || trials.empty()) {
    return heldout;
  }
  const PhaseScope scope(budget, BudgetPhase::kHeldout);
  // Of the slowest pass so far; of none: as many float32 runs.
  double pass_s = budget.run_s() * static_cast<double>(prepared.facts.heldout_count);
  if (pass_s > budget.left_s()) {
    heldout.warnings.push_back(NotJudged(trials.size(), pass_s));
    return heldout;
  }
  double begin_s = budget.elapsed_s();
  HeldoutJudge judge(prepared);
  heldout.reference = judge.reference();
  for (std::size_t i = 0; i < trials.size(); ++i) {
    pass_s = std::max(i == 0 ? 0 : pass_s, budget.elapsed_s() - begin_s);
    if (pass_s > budget.left_s()) {
      heldout.warnings.push_back(NotJudged(trials.size() - i, pass_s));
      break;
    }
    begin_s = budget.elapsed_s();
    heldout.judged = i + 1;
    auto outcome = judge.Judge(
        ResolvePrecision(prepared.graph(), trials[i].candidate.options, prepared.target()));
    if (auto* accuracy = std::get_if<Accuracy>(&outcome)) {
      heldout.trials[i] = std::move(*accuracy);
    } else {
      heldout.warnings.push_back(
          fmt::format("held-out samples: '{}' is not usable: {}",
                      Summary(trials[i].candidate, VocabularyOf(prepared.target())),
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

std::string WarningWithoutHeldout(const TuneOptions& options, std::int64_t heldout_count) {
  return options.constraints.of_accuracy() && options.confidence && heldout_count == 0
             ? fmt::format(
                   "{} is judged on the samples of the search, which says nothing certain of "
                   "others: "
                   "give --heldout_inputs or --heldout_share, or --confidence=none",
                   DemandOf(options.constraints))
             : "";
}

TunedFront ChooseAndCertify(TunedFront front, const ChoiceBasis& basis) {
  const Constraints& constraints = basis.constraints;
  std::vector<Trial> trials;
  for (FrontPoint& point : front.points) {
    point.certificate.reset();
    if (constraints.of_accuracy() && basis.confidence &&
        (point.as_float32 || (basis.heldout_count > 0 && point.heldout))) {
      point.certificate =
          CertifyPoint(point, constraints, basis.reference, *basis.confidence, basis.seed);
    }
    trials.push_back(point.trial);
  }
  front.chosen = ChosenOf(front, trials, basis);
  if (!front.chosen) {
    front.nearest = NearestMembers(trials, constraints, basis.reference.top1);
  }
  return front;
}

}  // namespace halftone
