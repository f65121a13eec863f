// Accuracy metrics: distance of the outputs of a configuration from the float32 reference.
//
// A metric maps one sample (all outputs of the network) to one number. Reports give the mean over
// the samples and the worst sample. One table holds the metrics; a new metric is a function and a
// row.
//
// Definitions, all in double:
// - The mean is the arithmetic mean over the samples for which the metric is defined. For sqnr_db,
//   the relative error powers are averaged, and their mean is converted to decibels.
// - sqnr_db, rel_l2, cosine and max_abs are computed for each floating output; the worst output
//   counts. agreement is the share of equal elements of an integer or boolean output; the worst
//   output counts.
// - For equal outputs, sqnr_db is kExactSqnrDb, rel_l2 is 0, cosine is 1 and max_abs is 0. Any
//   difference, even in the sign of a zero, limits sqnr_db to kMostInexactDb. If the reference of
//   an output is zero everywhere and the output is not, sqnr_db, rel_l2 and cosine skip the output;
//   max_abs does not.
// - Elements far beyond the others in the reference are set apart (src/accuracy/set_apart.h), so
//   that they do not hide errors of the others. sqnr_db, rel_l2 and cosine are computed over the
//   elements set apart and over the others, and the worse value counts. max_abs is over the others
//   only. If an element set apart becomes an ordinary number, it counts as an error of the others.
// - If an element is infinite or NaN on one side only, or infinite with different signs, the output
//   gets the worst values: sqnr_db -kExactSqnrDb, rel_l2 kBrokenRelL2, cosine -1, max_abs
//   kBrokenMaxAbs. Two kinds of elements are left out: those with the same infinity or NaN on both
//   sides; and those whose reference is infinite or set apart and whose result is the largest
//   finite number of a dtype, as on a target that saturates (OutputCounts). An output that has only
//   such elements has no value.
// - top1_agreement and top1 read the largest element of each row along ClassAxis(). Among equal
//   elements the lowest index wins. A row with NaN is wrong. Rows with a negative label are left
//   out. top5_agreement and top5 test if the class is among the five largest; they are undefined
//   for five classes or fewer.
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
  std::span<const Tensor> reference;     // float32 outputs of the reference plan, in graph order
  std::span<const Tensor> actual;        // outputs of the configuration
  std::span<const std::int64_t> labels;  // empty: no labels
  std::optional<std::size_t> class_output = std::nullopt;  // Labels::output()
};

// Sums of squares and products in double. If squares would be infinite, all elements are first
// divided by one power of two.
struct PowerSums {
  double reference_power = 0;
  double actual_power = 0;
  double product = 0;
  double error_power = 0;

  void Add(double want, double got);
};

// Sums over one floating output, from which the error metrics are computed. The base class has the
// sums over the elements that are neither left out nor set apart.
struct OutputSums : PowerSums {
  PowerSums apart;           // sums over the elements set apart
  double max_abs_error = 0;  // largest error of the elements in the sums of the base class
  bool broken = false;   // an element is not finite on one side only, or an infinity changed sign
  bool differs = false;  // an element has another value, or is a zero of the other sign
  OutputCounts counts;
};

// Error power divided by reference power: the larger quotient of the elements set apart and of the
// others. Empty: the reference is zero everywhere, the error is not. Requires !broken.
std::optional<double> RelativeErrorPower(const OutputSums& sums);

// Sums over the elements of one output. Requires equal shapes.
OutputSums SumsOf(const Tensor& reference, const Tensor& actual);

// Input of a metric.
struct SampleView {
  explicit SampleView(const SampleOutputs& sample);

  SampleOutputs outputs;
  std::vector<OutputSums> sums;      // one for each floating output
  std::vector<OutputCounts> counts;  // one for each output
};

enum class Better : std::uint8_t { kHigher, kLower };

struct MetricRow {
  std::string_view name;  // "sqnr_db"
  std::string_view meaning;
  Better better;
  bool needs_labels;
  // The value for one sample; empty: undefined, such as for outputs of zeros only.
  std::optional<double> (*of_sample)(const SampleView&);
  // Conversions of a value to the scale on which samples are averaged, and back; null: values are
  // averaged as they are. Decibels are averaged as noise powers, because one exact sample would
  // hide a hundred bad ones in their plain mean.
  double (*to_mean_scale)(double) = nullptr;
  double (*from_mean_scale)(double) = nullptr;
  bool of_discrete = false;  // true: compares integer and boolean outputs; false: floating ones
};

// The table of metrics; docs/internals/measuring.md has a row for each.
std::span<const MetricRow> AllMetrics();
// The row of this name; null: there is none.
const MetricRow* FindMetric(std::string_view name);

// Prefix in the name of a metric that a program of the user computes, and of one that a function of
// the caller computes (src/accuracy/user_metric.h).
inline constexpr std::string_view kCommandMetric = "command:";
inline constexpr std::string_view kFunctionMetric = "function:";

// A metric restricted to one output. top1 and top5 are defined only if the labels are of this
// output.
struct OutputMetric {
  std::string name;  // "policy:rel_l2"
  const MetricRow* row = nullptr;
  std::size_t output = 0;  // index of the output

  [[nodiscard]] std::optional<double> OfSample(const SampleOutputs& outputs) const;
};

// True if the name is that of a metric of a program, of a function or of one output. The user
// defines these, so they are called the user's own.
bool IsOwnMetric(std::string_view name);

// The row of the table by which a MetricValue of this name was computed; for "policy:rel_l2" that
// of rel_l2. Null for the metric of a program or a function.
const MetricRow* RowOfValue(std::string_view name);

struct MetricValue {
  std::string name;
  double mean = 0;
  double worst = 0;
  std::int64_t worst_sample = 0;  // index of the sample with the worst value; -1: unknown
  // Values of the samples for which the metric is defined, in order. Empty if there are more than
  // an AccuracyAccumulator holds, and if the value comes from a knowledge base, which stores them
  // for confirmed trials only.
  std::vector<double> values;
  // Name of worst_sample; empty outside reports.
  std::string worst_sample_name = {};
  // MeanInterval() if there are more values than `values` can hold; else empty.
  std::optional<Interval> interval = {};

  friend bool operator==(const MetricValue&, const MetricValue&) = default;
};

// Most values for a bootstrap interval of the mean. With more values, the interval is that of the
// central limit theorem: both agree for so many values (tests/accuracy/metrics_test.cc), and 1000
// resamples of a million values take a minute.
inline constexpr std::size_t kMostResampled = 32768;

// The 95 % confidence interval of the mean, computed on the scale on which samples are averaged. Up
// to kMostResampled values it is a percentile bootstrap over the samples (1000 resamples), beyond
// that mean +- 1.96 standard errors. It covers the means that other samples of the same kind would
// give. Equal values give an interval of width 0, although the mean is not certain. Empty if
// `value` has fewer than two values and no interval of its own.
std::optional<Interval> MeanInterval(const MetricValue& value);

// All metrics of one configuration over a set of samples.
struct Accuracy {
  std::vector<MetricValue> metrics;
  // Empty if no output has classes, and if the accuracy comes from a knowledge base.
  std::optional<Top1Flips> flips = {};
  // Loss that the search minimises, by the LossMetric (src/accuracy/loss_metric.h); empty: the loss
  // is the mean of rel_l2.
  std::optional<double> loss = {};
  // One for each output; empty if the accuracy comes from a knowledge base.
  std::vector<OutputCounts> outputs = {};

  // The metric of this name; null: it was not computed.
  [[nodiscard]] const MetricValue* Find(std::string_view name) const;
  // The user's own metric (IsOwnMetric()); null: there is none.
  [[nodiscard]] const MetricValue* FindOwn() const;
  // The mean of a metric. Requires that it was computed.
  [[nodiscard]] double Mean(std::string_view name) const;

  friend bool operator==(const Accuracy&, const Accuracy&) = default;
};

// sqnr_db of equal outputs. It is finite, so that files and databases can hold it.
inline constexpr double kExactSqnrDb = 200.0;

// Largest sqnr_db of outputs that differ; float32 itself has about 150 dB. -kMostInexactDb is the
// least sqnr_db of outputs that are not broken (OutputSums::broken).
inline constexpr double kMostInexactDb = 199.9;

// rel_l2 (-200 dB) and max_abs of a broken output (OutputSums::broken). They are finite, so that
// files and databases can hold them.
inline constexpr double kBrokenRelL2 = 1e10;
inline constexpr double kBrokenMaxAbs = std::numeric_limits<float>::max();

// Metrics of one sample.
struct SampleMetrics {
  // One for each row of AllMetrics(), then one for the OutputMetric if there is one. Empty:
  // undefined.
  std::vector<std::optional<double>> values;
  std::optional<Top1Flips> flips;
  std::vector<OutputCounts> outputs = {};
};

// Computes all metrics of one sample, with `own` as well unless it is null.
SampleMetrics MetricsOf(const SampleOutputs& outputs, const OutputMetric* own = nullptr);

inline constexpr std::size_t kAllValues = std::numeric_limits<std::size_t>::max();

// Collects the metrics of samples one by one. It holds the values of at most `max_values` samples,
// which must be kMostResampled or more. With more samples, MetricValue has an interval in place of
// values, and memory does not grow with the number of samples.
class AccuracyAccumulator {
 public:
  // `own` is the OutputMetric of all samples that are added; null: none. It must outlive the
  // object.
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
    std::int64_t count = 0;      // samples for which the metric is defined
    double running_mean = 0;     // mean on the scale of MetricRow::to_mean_scale
    double squared_off = 0;      // sum of squared differences from the mean, on the same scale
    std::vector<double> values;  // empty if there are more than `max_values_` samples
  };

  std::size_t max_values_;
  const OutputMetric* own_;  // null: none
  std::vector<Running> running_;
  std::optional<Top1Flips> flips_;
  std::vector<OutputCounts> outputs_;
  std::int64_t samples_ = 0;
};

// Index, from 0, of the largest of the `classes` elements that begin at element `first`; the lowest
// index among equal elements. -1 if one of them is NaN.
std::int64_t ArgMax(const Tensor& tensor, std::int64_t first, std::int64_t classes);

// The axis along which classes lie: the last axis longer than 1; empty: there is none.
std::optional<int> ClassAxis(const Shape& shape);

// Index of the output that top-1 reads: SampleOutputs::class_output, else the first floating output
// with a class axis. If there are labels, the output must have as many rows. If there are neither
// labels nor class_output, maps of four axes or more are skipped, because their last axis is a
// position. Empty: there is no such output.
std::optional<std::size_t> ClassOutput(const SampleOutputs& outputs);

// Fills in MetricValue::worst_sample_name from the samples that `accuracy` was computed on.
void NameWorstSamples(const Dataset& dataset, Accuracy& accuracy);

}  // namespace halftone
