// Accuracy metrics: distance of the outputs of a configuration from the fp32 reference.
//
// A metric maps one sample (all outputs of the network) to one number; reports give the mean over
// the samples and the worst sample. One table: a new metric is one function and one row.
//
// Definitions, all in double:
// - The mean is the arithmetic mean of the per-sample values over the samples where the metric is
//   defined; for sqnr_db, that of the relative error powers, in decibels again.
// - sqnr_db, rel_l2, cosine and max_abs are computed per floating output; the worst output counts.
//   agreement is the share of equal elements of an integer or boolean output, again the worst one.
// - Equal outputs, and only those, have kExactSqnrDb, 0, 1, 0: the smallest difference leaves
//   kMostInexactDb at most, also one of the sign of a zero. An output whose reference is zero
//   everywhere and whose error is not has no relative error: sqnr_db, rel_l2 and cosine pass it
//   over, max_abs sees it.
// - Elements that are far beyond the others in the reference (src/accuracy/set_apart.h) hide no
//   error of these: sqnr_db, rel_l2 and cosine are the worse one of their value and that of the
//   others, max_abs is that of the others. One that became an ordinary number is an error among the
//   others.
// - An element that is infinite or NaN on one side only, or with the other sign, gives the output
//   the worst finite value: -kExactSqnrDb, 1e10 (-200 dB), -1, the largest float32. Left out are
//   elements that are the same infinity or both NaN, and infinities or elements set apart that
//   became the largest finite number of a dtype, as a target that saturates makes of them
//   (OutputCounts). An output of which nothing is left has no value.
// - top1_agreement and top1 compare the largest element of each row along ClassAxis; of equal ones
//   the lowest index counts; a row with NaN is wrong. Negative labels are left out. top5_agreement
//   and top5 ask whether that class is among the five largest; with five classes or fewer it always
//   is, so they are not defined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/accuracy/flips.h"
#include "src/accuracy/output_counts.h"
#include "src/base/stats.h"
#include "src/ir/tensor.h"

namespace halftone {

class Dataset;

struct SampleOutputs {
  std::span<const Tensor> reference;     // fp32 outputs of the reference plan, in graph order
  std::span<const Tensor> actual;        // outputs of the configuration
  std::span<const std::int64_t> labels;  // empty: no labels
  std::optional<std::size_t> class_output = std::nullopt;  // Labels::output()
};

// Sums of squares and products in double, of elements divided by a power of two where their squares
// would be infinite.
struct PowerSums {
  double reference_power = 0;
  double actual_power = 0;
  double product = 0;
  double error_power = 0;

  void Add(double want, double got);
};

// Sums over one floating output, from which the error metrics follow: those of the elements that
// are neither left out nor apart, and `apart`.
struct OutputSums : PowerSums {
  PowerSums apart;
  double max_abs_error = 0;
  bool broken = false;   // an element is not finite on one side, or another infinity
  bool differs = false;  // an element has another value, or is a zero of the other sign
  OutputCounts counts;
};

// Error power over reference power: the larger one of the elements set apart and the others. Empty:
// the reference is zero everywhere, the error is not. Requires !broken.
std::optional<double> RelativeErrorPower(const OutputSums& sums);

// Requires equal shapes.
OutputSums SumsOf(const Tensor& reference, const Tensor& actual);

// Input of a metric: the outputs, and the sums of every floating one.
struct SampleView {
  explicit SampleView(const SampleOutputs& sample);

  SampleOutputs outputs;
  std::vector<OutputSums> sums;
  std::vector<OutputCounts> counts;  // parallel to the outputs
};

enum class Better : std::uint8_t { kHigher, kLower };

struct MetricRow {
  std::string_view name;  // "sqnr_db"
  std::string_view meaning;
  Better better;
  bool needs_labels;
  // The value for one sample; empty when it is not defined there (an output of zeros only, ...).
  std::optional<double> (*of_sample)(const SampleView&);
  // Scale on which samples are averaged; null: that of the metric itself. Decibels are averaged as
  // noise powers: their plain mean would let one exact sample hide a hundred bad ones.
  double (*to_mean_scale)(double) = nullptr;
  double (*from_mean_scale)(double) = nullptr;
  bool of_discrete = false;  // compares integer and boolean outputs; else floating ones
};

// The table of metrics; docs/internals/measuring.md has a row for each.
std::span<const MetricRow> AllMetrics();
const MetricRow* FindMetric(std::string_view name);

// Begin of the name of a metric that a program of the user computes, or a function of the caller
// (src/accuracy/user_metric.h).
inline constexpr std::string_view kCommandMetric = "command:";
inline constexpr std::string_view kFunctionMetric = "function:";

// A metric of one output alone. top1 and top5 are defined where the labels are of this output.
struct OutputMetric {
  std::string name;  // "policy:rel_l2"
  const MetricRow* row = nullptr;
  std::size_t output = 0;

  [[nodiscard]] std::optional<double> OfSample(const SampleOutputs& outputs) const;
};

// True: a metric with this name is the user's own, of a program or of one output.
bool IsOwnMetric(std::string_view name);

// The row by which a MetricValue of this name was computed: FindMetric() of the name, or of what
// stands behind the output's. Null for a program's or a function's.
const MetricRow* RowOfValue(std::string_view name);

struct MetricValue {
  std::string name;
  double mean = 0;
  double worst = 0;
  std::int64_t worst_sample = 0;
  // Values of the samples for which it is defined, in order. A knowledge base stores them for
  // confirmed trials only; empty when it comes from there without them, or has more samples than
  // are stored.
  std::vector<double> values;
  // Name of worst_sample; reports fill it in, empty elsewhere.
  std::string worst_sample_name = {};
  // MeanInterval() of more samples than `values` can hold; else empty.
  std::optional<Interval> interval = {};

  friend bool operator==(const MetricValue&, const MetricValue&) = default;
};

// Most values for a bootstrap interval of the mean; with more it is normal. Both agree there
// (tests/accuracy/metrics_test.cc), and 1000 resamples of a million values take a minute.
inline constexpr std::size_t kMostResampled = 32768;

// The 95 % interval of the mean, on the scale on which samples are averaged: percentile bootstrap
// over the samples (1000 resamples), or beyond kMostResampled mean +- 1.96 standard errors. It
// covers what other samples of the same kind would give; equal samples give no width, which does
// not make them certain. Empty for fewer than two samples, and without values or an interval.
std::optional<Interval> MeanInterval(const MetricValue& value);

// All metrics of one configuration over a set of samples.
struct Accuracy {
  std::vector<MetricValue> metrics;
  // Empty when no output has classes, and when it comes from a knowledge base.
  std::optional<Top1Flips> flips = {};
  // Loss that the search minimises, by the metric that the user chose or that a network without
  // floating outputs has (src/accuracy/loss_metric.h); empty: the mean of rel_l2.
  std::optional<double> loss = {};
  // Parallel to the outputs; empty when it comes from a knowledge base.
  std::vector<OutputCounts> outputs = {};

  // Null when it was not computed.
  [[nodiscard]] const MetricValue* Find(std::string_view name) const;
  // The user's own metric (IsOwnMetric()); null: there is none.
  [[nodiscard]] const MetricValue* FindOwn() const;
  // The mean of a metric that must exist.
  [[nodiscard]] double Mean(std::string_view name) const;

  friend bool operator==(const Accuracy&, const Accuracy&) = default;
};

// sqnr_db of equal outputs, a number so that every number stays finite in files and databases.
inline constexpr double kExactSqnrDb = 200.0;

// Bound of sqnr_db for outputs that differ; float32 itself has about 150 dB. -kMostInexactDb is the
// bound below for outputs whose infinities and NaN are those of the reference.
inline constexpr double kMostInexactDb = 199.9;

// rel_l2, -200 dB, and max_abs of an output in which a finite element became infinite or NaN, or
// one that is not finite something else. Finite, like every stored number.
inline constexpr double kBrokenRelL2 = 1e10;
inline constexpr double kBrokenMaxAbs = std::numeric_limits<float>::max();

// Metrics of one sample.
struct SampleMetrics {
  // Parallel to AllMetrics(), and one more with an OutputMetric; empty: not defined.
  std::vector<std::optional<double>> values;
  std::optional<Top1Flips> flips;
  std::vector<OutputCounts> outputs = {};
};

// `own`: may be null.
SampleMetrics MetricsOf(const SampleOutputs& outputs, const OutputMetric* own = nullptr);

inline constexpr std::size_t kAllValues = std::numeric_limits<std::size_t>::max();

// Collects samples one by one. Stores values of at most `max_values` samples (kMostResampled or
// more); with more, MetricValue has the interval instead, and memory does not grow with their
// number.
class AccuracyAccumulator {
 public:
  // `own`: that of the MetricsOf() added; must outlive it.
  explicit AccuracyAccumulator(std::size_t max_values = kAllValues,
                               const OutputMetric* own = nullptr);

  void Add(const SampleOutputs& outputs) { Add(MetricsOf(outputs, own_)); }

  void Add(const SampleMetrics& sample);
  [[nodiscard]] Accuracy Finish() const;

 private:
  struct Running {
    double sum = 0;
    double worst = 0;
    std::int64_t worst_sample = -1;
    std::int64_t count = 0;      // samples for which it is defined
    double running_mean = 0;     // on the scale of means, as squared_off
    double squared_off = 0;      // sum of squared differences from the mean
    std::vector<double> values;  // empty: too many
  };

  std::size_t max_values_;
  const OutputMetric* own_;  // null: none
  std::vector<Running> running_;
  std::optional<Top1Flips> flips_;
  std::vector<OutputCounts> outputs_;
  std::int64_t samples_ = 0;
};

// Index of the largest of `classes` elements from `first`; the lowest of equal ones. -1 when one of
// them is NaN, which agrees with nothing.
std::int64_t ArgMax(const Tensor& tensor, std::int64_t first, std::int64_t classes);

// The axis along which classes lie: the last one longer than 1; empty when there is none.
std::optional<int> ClassAxis(const Shape& shape);

// Index of the output for top-1: SampleOutputs::class_output, or the first floating output with a
// class axis; with labels, it must have as many rows, without it is no map of four axes or more,
// whose last one is a place. Empty when there is none.
std::optional<std::size_t> ClassOutput(const SampleOutputs& outputs);

// Fills in MetricValue::worst_sample_name from the samples that `accuracy` was computed on.
void NameWorstSamples(const Dataset& dataset, Accuracy& accuracy);

}  // namespace halftone
