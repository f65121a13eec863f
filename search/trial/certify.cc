#include "search/trial/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/trial/pareto_front.h"
#include "src/accuracy/discrete_outputs.h"
#include "src/base/confidence.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Evidence {
  const Latency& latency;
  const Accuracy& heldout;
  const Accuracy& reference;
  ConfidenceOptions options;
};

const std::vector<double>& ValuesOf(const Accuracy& accuracy, std::string_view name) {
  const MetricValue* metric = accuracy.Find(name);
  static const std::vector<double> kNone;
  return metric != nullptr ? metric->values : kNone;
}

// "the SQNR on new samples is at least 38.2 dB ..." or that the samples are too few.
std::string Limited(std::string_view what, std::string_view side, double limit,
                    std::string_view number, const Evidence& evidence, std::size_t samples) {
  const std::string of = Counted(static_cast<std::int64_t>(samples), "held-out sample");
  return std::isfinite(limit)
             ? fmt::format("{} on new samples is {} {} with {:g} % confidence ({})", what, side,
                           number, 100 * evidence.options.confidence, of)
             : fmt::format("{}: too few to say what {} on new samples is", of, what);
}

PromisedBound SqnrPromise(double asked, const Evidence& evidence) {
  std::vector<double> powers = ValuesOf(evidence.heldout, "sqnr_db");
  for (double& value : powers) {
    value = std::pow(10, -value / 10);
  }
  const double limit = -10 * std::log10(UpperLimitOfMean(powers, evidence.options));
  return {.limit = limit,
          .holds = limit >= asked,
          .statement = Limited("the SQNR", "at least", limit, fmt::format("{:.1f} dB", limit),
                               evidence, powers.size())};
}

PromisedBound RelL2Promise(double asked, const Evidence& evidence) {
  const std::vector<double>& errors = ValuesOf(evidence.heldout, "rel_l2");
  const double limit = UpperLimitOfMean(errors, evidence.options);
  return {.limit = limit,
          .holds = limit <= asked,
          .statement = Limited("the relative L2 error", "at most", limit,
                               fmt::format("{:.3g}", limit), evidence, errors.size())};
}

// Adds to the statement of an unpromised bound on a share how many samples it takes, where there
// are too few even if all of them agree. `asked`: the largest share that may disagree.
void AddNeeded(double asked, std::size_t samples, const std::string& number,
               const Evidence& evidence, PromisedBound& bound) {
  if (bound.holds || asked <= 0) {
    return;
  }
  const double least = std::log(1 - evidence.options.confidence) / std::log1p(-asked);
  if (static_cast<double>(samples) < least) {
    bound.statement += fmt::format("; {:.0f} or more are needed for {}", std::ceil(least), number);
  }
}

PromisedBound Top1Promise(double asked, const Evidence& evidence) {
  // Drop of a sample: share of rows that float32 gets right and the candidate does not, less the
  // other way round, in [-1, 1]; without labels, share of rows with another class than float32, in
  // [0, 1].
  const std::vector<double>& right = ValuesOf(evidence.heldout, "top1");
  const std::vector<double>& reference_right = ValuesOf(evidence.reference, "top1");
  std::vector<double> values;
  double limit = kInfinity;
  const bool labelled = !right.empty() && right.size() == reference_right.size();
  if (labelled) {
    for (std::size_t i = 0; i < right.size(); ++i) {
      values.push_back((1 + right[i] - reference_right[i]) / 2);
    }
    limit = 1 - 2 * LowerLimitOfBoundedMean(values, evidence.options);
  } else {
    values = ValuesOf(evidence.heldout, "top1_agreement");
    limit = values.empty() ? kInfinity : 1 - LowerLimitOfBoundedMean(values, evidence.options);
  }
  PromisedBound bound{
      .limit = limit,
      .holds = limit <= asked + kShareSlack,
      .statement =
          Limited(labelled ? "the drop of top-1" : "the share of other top-1 classes", "at most",
                  limit, fmt::format("{:.2f} %", 100 * limit), evidence, values.size())};
  AddNeeded(asked, values.size(), fmt::format("{:g} %", 100 * asked), evidence, bound);
  return bound;
}

// Shares of elements lie in [0, 1] as those of classes, whatever their distribution.
PromisedBound AgreementPromise(double asked, const Evidence& evidence) {
  const std::vector<double>& values = ValuesOf(evidence.heldout, "agreement");
  const double limit =
      values.empty() ? -kInfinity : LowerLimitOfBoundedMean(values, evidence.options);
  PromisedBound bound{.limit = limit,
                      .holds = limit >= asked - kShareSlack,
                      .statement = Limited("the agreement", "at least", limit, FormatShare(limit),
                                           evidence, values.size())};
  AddNeeded(1 - asked, values.size(), FormatShare(asked), evidence, bound);
  return bound;
}

PromisedBound LatencyPromise(double asked, const Evidence& evidence) {
  const double limit = evidence.latency.ratio_interval.high;
  return {
      .limit = limit,
      .holds = limit <= asked,
      .statement = fmt::format("the latency is at most {:.3f} of float32 with {:g} % confidence",
                               limit, 100 * evidence.options.confidence)};
}

struct PromiseRow {
  std::optional<double> Constraints::*value;
  PromisedBound (*promise)(double asked, const Evidence& evidence);
};

constexpr PromiseRow kPromises[] = {
    {&Constraints::min_sqnr_db, SqnrPromise},
    {&Constraints::max_rel_l2, RelL2Promise},
    {&Constraints::max_top1_drop, Top1Promise},
    {&Constraints::min_agreement, AgreementPromise},
    {&Constraints::max_latency_ratio, LatencyPromise},
};

}  // namespace

bool Certificate::holds() const {
  return std::ranges::all_of(bounds, &PromisedBound::holds);
}

Certificate Certify(const Constraints& constraints, const Latency& latency, const Accuracy& heldout,
                    const Accuracy& reference, std::uint64_t seed) {
  const Evidence evidence{
      latency, heldout, reference, {.confidence = kPromiseConfidence, .seed = seed}};
  const MetricValue* judged = OutputErrorMetric(heldout);
  Certificate certificate{.samples = judged != nullptr ? judged->values.size() : 0, .bounds = {}};
  for (const BoundRow& row : AllBounds()) {
    if (const auto& asked = constraints.*row.value) {
      const auto* const promise = std::ranges::find(kPromises, row.value, &PromiseRow::value);
      Check(promise != std::end(kPromises), "every bound can be promised");
      PromisedBound bound = promise->promise(*asked, evidence);
      bound.name = row.name;
      bound.asked = *asked;
      certificate.bounds.push_back(std::move(bound));
    }
  }
  return certificate;
}

std::vector<std::size_t> Promisable(std::span<const Trial> front, const Constraints& constraints,
                                    std::optional<double> reference_top1,
                                    std::span<const std::optional<Certificate>> certificates) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const Measurement* measurement = front[i].measurement();
    if (measurement != nullptr && !Violation(constraints, *measurement, reference_top1)) {
      order.push_back(i);
    }
  }
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return ObjectivesOf(*front[i].measurement()).loss; });
  std::vector<std::size_t> promisable;
  for (const std::size_t i : order) {
    if (!certificates[i] || !certificates[i]->holds()) {
      break;
    }
    promisable.push_back(i);
  }
  std::ranges::sort(promisable);
  return promisable;
}

}  // namespace halftone
