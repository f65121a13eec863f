#include "search/trial/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "search/trial/pareto_front.h"
#include "src/accuracy/discrete_outputs.h"
#include "src/accuracy/metric_words.h"
#include "src/base/confidence.h"
#include "src/base/error.h"
#include "src/base/number_pair.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Text of a promised limit, at most kMostInexactDb: equal outputs cannot be promised. It differs
// from that of the bound that is asked for.
std::string DecibelsText(double limit, double asked) {
  return FixedPair(std::min(limit, kMostInexactDb), asked, 2).a + " dB";
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Evidence {
  const PointEvidence& point;
  ConfidenceOptions options;
};

const std::vector<double>& ValuesOf(const Accuracy* accuracy, std::string_view name) {
  const MetricValue* metric = accuracy != nullptr ? accuracy->Find(name) : nullptr;
  static const std::vector<double> kNone;
  return metric != nullptr ? metric->values : kNone;
}

const std::vector<double>& HeldoutValues(const Evidence& evidence, std::string_view name) {
  return ValuesOf(&evidence.point.heldout, name);
}

std::string HeldoutSamples(std::size_t samples) {
  return Counted(static_cast<std::int64_t>(samples), "held-out sample");
}

// "the SQNR on new samples is at least 38.2 dB ..." or that the samples are too few.
std::string Limited(std::string_view what, std::string_view side, double limit,
                    std::string_view number, const Evidence& evidence, std::size_t samples) {
  return std::isfinite(limit)
             ? fmt::format("{} on new samples is {} {} with {:g} % confidence ({})", what, side,
                           number, 100 * evidence.options.confidence, HeldoutSamples(samples))
             : fmt::format("{}: too few to say what {} on new samples is", HeldoutSamples(samples),
                           what);
}

// As many values as `count` from the samples of the search, the first at `first`: what the held-out
// ones may look like.
std::vector<double> AsMany(const std::vector<double>& values, std::size_t count,
                           std::size_t first = 0) {
  std::vector<double> drawn;
  for (std::size_t i = 0; i < count && !values.empty(); ++i) {
    drawn.push_back(values[(first + i) % values.size()]);
  }
  return drawn;
}

// ---- Means of errors ----

// Most parts of the samples of the search that are each judged as the held-out ones.
constexpr std::size_t kMostParts = 5;

struct MeanLimit {
  double limit = kInfinity;
  bool capped = false;  // of the winsorised mean
  bool holds = false;   // with a cap, the plain mean over the held-out samples meets the bound too
};

// Upper limit of the mean of `errors`, on the scale of `asked`; `seen`: those of the search.
MeanLimit LimitOfErrors(const std::vector<double>& errors, const std::vector<double>& seen,
                        double asked, double cap_factor, const Evidence& evidence) {
  const double cap = asked * cap_factor;
  const auto mean = [&](const std::vector<double>& values) {
    return UpperLimitOfMean(values, evidence.options);
  };
  const auto capped = [&](const std::vector<double>& values) {
    return UpperLimitOfCappedMean(values, cap, evidence.options);
  };
  // The plain mean says more, so the other one must have promised more often on such samples.
  int plain_promises = 0;
  int capped_promises = 0;
  if (cap > 0 && std::isfinite(cap) && !seen.empty() && !errors.empty()) {
    const std::size_t parts = std::clamp<std::size_t>(seen.size() / errors.size(), 1, kMostParts);
    for (std::size_t part = 0; part < parts; ++part) {
      const std::vector<double> like = AsMany(seen, errors.size(), part * errors.size());
      plain_promises += mean(like) <= asked ? 1 : 0;
      capped_promises += capped(like) <= asked ? 1 : 0;
    }
  }
  const bool use_cap = capped_promises > plain_promises;
  const double limit = use_cap ? capped(errors) : mean(errors);
  const double sum = std::accumulate(errors.begin(), errors.end(), 0.0);
  const bool met = !use_cap || sum <= asked * static_cast<double>(errors.size());
  return {.limit = limit, .capped = use_cap, .holds = limit <= asked && met};
}

std::string CapText(const MeanLimit& mean, double asked) {
  return mean.capped
             ? fmt::format(
                   ", where a sample counts as at most {:g} dB worse than the bound asked for{}",
                   kCapDecibels,
                   mean.limit <= asked && !mean.holds
                       ? "; without that, the mean of the held-out samples misses the bound"
                       : "")
             : "";
}

PromisedBound SqnrPromise(double asked, const Evidence& evidence) {
  const auto powers = [](std::vector<double> decibels) {
    for (double& value : decibels) {
      value = std::pow(10, -value / 10);
    }
    return decibels;
  };
  const std::vector<double> errors = powers(HeldoutValues(evidence, "sqnr_db"));
  const MeanLimit of_power =
      LimitOfErrors(errors, powers(ValuesOf(evidence.point.search, "sqnr_db")),
                    std::pow(10, -asked / 10), std::pow(10, kCapDecibels / 10), evidence);
  const double limit = -10 * std::log10(of_power.limit);
  return {.limit = limit,
          .holds = of_power.holds,
          .statement = Limited("the SQNR", "at least", limit, DecibelsText(limit, asked), evidence,
                               errors.size()) +
                       CapText(of_power, std::pow(10, -asked / 10))};
}

PromisedBound RelL2Promise(double asked, const Evidence& evidence) {
  const std::vector<double>& errors = HeldoutValues(evidence, "rel_l2");
  const MeanLimit mean = LimitOfErrors(errors, ValuesOf(evidence.point.search, "rel_l2"), asked,
                                       std::pow(10, kCapDecibels / 20), evidence);
  return {.limit = mean.limit,
          .holds = mean.holds,
          .statement = Limited("the relative L2 error", "at most", mean.limit,
                               SignificantPair(mean.limit, asked, 3).a, evidence, errors.size()) +
                       CapText(mean, asked)};
}

// ---- Shares of samples ----

// Adds to the statement of an unpromised bound on a share how many samples it takes, where there
// are too few even if all of them agree. `asked`: the largest share that may disagree.
void AddNeeded(double asked, std::size_t samples, const std::string& number,
               const Evidence& evidence, PromisedBound& bound) {
  if (bound.holds || asked <= 0 || asked >= 1) {
    return;
  }
  const std::size_t least = TrialsForShare(asked, evidence.options.confidence);
  if (samples < least) {
    bound.statement += fmt::format("; {} or more are needed for {}", least, number);
  }
}

// The value that at least `share` of new samples keep: the best order statistic for which the exact
// limit of the share of worse samples is at most 1 - share. `better` sorts the best first. Infinite
// on the bad side: too few samples.
double KeptByShare(std::vector<double> values, double share, double confidence, bool higher) {
  std::ranges::sort(values, [&](double a, double b) { return higher ? a < b : a > b; });
  double kept = higher ? -kInfinity : kInfinity;
  for (std::size_t worse = 0; worse < values.size(); ++worse) {
    if (UpperLimitOfShare(worse, values.size(), confidence) > 1 - share + kShareSlack) {
      break;
    }
    kept = values[worse];
  }
  return kept;
}

struct ShareRow {
  std::optional<double> Constraints::*value;
  std::string_view metric;
  std::string_view what;
  bool higher;  // is better
};

constexpr ShareRow kShares[] = {
    {&Constraints::min_sqnr_db, "sqnr_db", "an SQNR", true},
    {&Constraints::max_rel_l2, "rel_l2", "a relative L2 error", false},
};

PromisedBound SharePromise(const ShareRow& row, double asked, double share,
                           const Evidence& evidence) {
  const std::vector<double>& values = HeldoutValues(evidence, row.metric);
  const double limit = KeptByShare(values, share, evidence.options.confidence, row.higher);
  const std::string shared = fmt::format("{:.10g} % of new samples", 100 * share);
  PromisedBound bound{
      .limit = limit,
      .holds = row.higher ? limit >= asked : limit <= asked,
      .statement =
          std::isfinite(limit)
              ? fmt::format("{} have {} of {} with {:g} % confidence ({})", shared, row.what,
                            row.higher
                                ? "at least " + DecibelsText(limit, asked)
                                : fmt::format("at most {}", SignificantPair(limit, asked, 3).a),
                            100 * evidence.options.confidence, HeldoutSamples(values.size()))
              : fmt::format("{}: too few to say what {} have", HeldoutSamples(values.size()),
                            shared)};
  AddNeeded(1 - share, values.size(), shared, evidence, bound);
  return bound;
}

// ---- Losses against float32 ----

// Upper limit of the mean loss per sample by the share of samples that lose at all: losses are 1 at
// most.
double LimitByLosers(const std::vector<double>& losses, const Evidence& evidence) {
  const auto losers = std::ranges::count_if(losses, [](double loss) { return loss > 0; });
  return UpperLimitOfShare(static_cast<std::size_t>(losers), losses.size(),
                           evidence.options.confidence);
}

// The same by betting; losses lie in [least, 1], where least is 0 or -1.
double LimitByBetting(const std::vector<double>& losses, double least, const Evidence& evidence) {
  std::vector<double> values;
  values.reserve(losses.size());
  for (const double loss : losses) {
    values.push_back((1 - loss) / (1 - least));
  }
  return 1 - (1 - least) * LowerLimitOfBoundedMean(values, evidence.options);
}

// The better of both on `seen`, losses in the samples of the search.
double LimitOfLosses(const std::vector<double>& losses, const std::vector<double>& seen,
                     double least, const Evidence& evidence) {
  if (losses.empty()) {
    return kInfinity;
  }
  const std::vector<double> like = AsMany(seen, losses.size());
  const bool bets =
      !like.empty() && LimitByBetting(like, least, evidence) < LimitByLosers(like, evidence);
  return bets ? LimitByBetting(losses, least, evidence) : LimitByLosers(losses, evidence);
}

std::vector<double> OneLess(std::vector<double> values) {
  for (double& value : values) {
    value = 1 - value;
  }
  return values;
}

// Drops in the samples of the search: what a sample has of other classes, half of it lost and half
// of it won, as nothing better is known of single samples there.
std::vector<double> DropsSeen(const Evidence& evidence) {
  std::vector<double> drops = OneLess(ValuesOf(evidence.point.search, "top1_agreement"));
  double sign = 1;
  for (double& drop : drops) {
    if (drop > 0) {
      drop *= sign;
      sign = -sign;
    }
  }
  return drops;
}

PromisedBound Top1Promise(double asked, const Evidence& evidence) {
  // Drop of a sample: share of rows that float32 gets right and the candidate does not, less the
  // other way round, in [-1, 1]; without labels, share of rows with another class than float32, in
  // [0, 1].
  const std::vector<double>& right = HeldoutValues(evidence, "top1");
  const std::vector<double>& reference_right = ValuesOf(&evidence.point.reference, "top1");
  const bool labelled = !right.empty() && right.size() == reference_right.size();
  std::vector<double> drops;
  if (labelled) {
    for (std::size_t i = 0; i < right.size(); ++i) {
      drops.push_back(reference_right[i] - right[i]);
    }
  } else {
    drops = OneLess(HeldoutValues(evidence, "top1_agreement"));
  }
  const double limit =
      labelled ? LimitOfLosses(drops, DropsSeen(evidence), -1, evidence)
               : LimitOfLosses(drops, OneLess(ValuesOf(evidence.point.search, "top1_agreement")), 0,
                               evidence);
  PromisedBound bound{
      .limit = limit,
      .holds = limit <= asked + kShareSlack,
      .statement =
          Limited(labelled ? "the drop of top-1" : "the share of other top-1 classes", "at most",
                  limit, FixedPair(100 * limit, 100 * asked, 2).a + " %", evidence, drops.size())};
  AddNeeded(asked, drops.size(), fmt::format("{:g} %", 100 * asked), evidence, bound);
  return bound;
}

// Shares of elements lie in [0, 1] as those of classes, whatever their distribution.
PromisedBound AgreementPromise(double asked, const Evidence& evidence) {
  const std::vector<double> losses = OneLess(HeldoutValues(evidence, "agreement"));
  const double limit =
      1 - LimitOfLosses(losses, OneLess(ValuesOf(evidence.point.search, "agreement")), 0, evidence);
  PromisedBound bound{.limit = limit,
                      .holds = limit >= asked - kShareSlack,
                      .statement = Limited("the agreement", "at least", limit, FormatShare(limit),
                                           evidence, losses.size())};
  AddNeeded(1 - asked, losses.size(), FormatShare(asked), evidence, bound);
  return bound;
}

// Upper limit of a mean of losses by the samples that were not seen. With n samples, a share p of
// new ones may differ from all of them (UpperLimitOfShare); such a sample is taken to have the
// largest loss known, of the search or held out: limit = mean + p (largest - mean). The bootstrap
// alone would promise too much of equal values, which have no spread.
double LimitWithUnseen(const std::vector<double>& losses, const Evidence& evidence, double sign) {
  if (losses.empty()) {
    return -std::numeric_limits<double>::infinity();
  }
  double largest = std::ranges::max(losses);
  const MetricValue* search =
      evidence.point.search == nullptr ? nullptr : evidence.point.search->FindOwn();
  for (const double value : search == nullptr ? std::vector<double>() : search->values) {
    largest = std::max(largest, sign * value);
  }
  const double mean =
      std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
  const double unseen = UpperLimitOfShare(0, losses.size(), evidence.options.confidence);
  return mean + unseen * (largest - mean);
}

// The mean of what the user's program gives for each sample: numbers of any kind, so by bootstrap.
template <bool kLeast>
PromisedBound OwnMetricPromise(double asked, const Evidence& evidence) {
  const MetricValue* own = evidence.point.heldout.FindOwn();
  std::vector<double> values = own == nullptr ? std::vector<double>() : own->values;
  const double sign = kLeast ? -1 : 1;
  for (double& value : values) {
    value *= sign;
  }
  const double limit = sign * std::max(UpperLimitByBootstrap(values, evidence.options),
                                       LimitWithUnseen(values, evidence, sign));
  if (own != nullptr && values.empty()) {
    return {.limit = limit,
            .holds = false,
            .statement =
                "the program of --metric gives one number for all samples: of new ones "
                "nothing can be said; let it print a number for each sample"};
  }
  return {.limit = limit,
          .holds = kLeast ? limit >= asked : limit <= asked,
          .statement = Limited("the metric", kLeast ? "at least" : "at most", limit,
                               SignificantPair(limit, asked, 6).a + ", by bootstrap,", evidence,
                               values.size())};
}

PromisedBound LatencyPromise(double asked, const Evidence& evidence) {
  if (evidence.point.latency.is_predicted()) {
    return {
        .limit = evidence.point.latency.ratio,
        .holds = false,
        .statement = fmt::format("the latency is predicted to be {:.3f} of float32, and nothing "
                                 "is promised of a prediction",
                                 evidence.point.latency.ratio)};
  }
  const double limit = evidence.point.latency.ratio_interval.high;
  return {.limit = limit,
          .holds = limit <= asked,
          .statement = fmt::format("the latency is at most {} of float32 with 95 % confidence",
                                   FixedPair(limit, asked, 3).a)};
}

struct PromiseRow {
  std::optional<double> Constraints::*value;
  PromisedBound (*promise)(double asked, const Evidence& evidence);
  double exact;  // limit of a point that is float32; NaN: float32 itself may miss the bound
};

constexpr double kFloat32MayMiss = std::numeric_limits<double>::quiet_NaN();
constexpr PromiseRow kPromises[] = {
    {&Constraints::min_sqnr_db, SqnrPromise, kExactSqnrDb},
    {&Constraints::max_rel_l2, RelL2Promise, 0},
    {&Constraints::max_top1_drop, Top1Promise, 0},
    {&Constraints::min_agreement, AgreementPromise, 1},
    {&Constraints::min_metric, OwnMetricPromise<true>, kFloat32MayMiss},
    {&Constraints::max_metric, OwnMetricPromise<false>, kFloat32MayMiss},
    {&Constraints::max_latency_ratio, LatencyPromise, kFloat32MayMiss},
};

PromisedBound PromiseOf(const PromiseRow& row, double asked, std::optional<double> share,
                        const Evidence& evidence) {
  if (evidence.point.as_float32 && !std::isnan(row.exact)) {
    const bool higher = row.value == &Constraints::min_sqnr_db;
    return {.limit = row.exact,
            .holds = !higher || asked <= row.exact,
            .statement =
                "its outputs are those of float32, whatever the samples: it runs the same "
                "kernels"};
  }
  if (share) {
    const auto* const of_share = std::ranges::find(kShares, row.value, &ShareRow::value);
    Check(of_share != std::end(kShares), "every bound on a share of samples can be promised");
    return SharePromise(*of_share, asked, *share, evidence);
  }
  return row.promise(asked, evidence);
}

}  // namespace

bool Certificate::holds() const {
  return std::ranges::all_of(bounds, &PromisedBound::holds);
}

Certificate Certify(const Constraints& constraints, const PointEvidence& point,
                    const CertifyOptions& options) {
  const Evidence evidence{point, {.confidence = options.confidence, .seed = options.seed}};
  const MetricValue* judged = OutputErrorMetric(point.heldout);
  Certificate certificate{.samples = judged != nullptr ? judged->values.size() : 0,
                          .confidence = options.confidence,
                          .bounds = {}};
  for (const BoundRow& row : AllBounds()) {
    if (const auto& asked = constraints.*row.value) {
      const auto* const promise = std::ranges::find(kPromises, row.value, &PromiseRow::value);
      Check(promise != std::end(kPromises), "every bound can be promised");
      const std::optional<double> share = row.ShareIn(constraints);
      PromisedBound bound = PromiseOf(*promise, *asked, share, evidence);
      bound.name = row.name;
      bound.asked = *asked;
      bound.share = share;
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
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return InaccuracyOf(*front[i].measurement()); });
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
