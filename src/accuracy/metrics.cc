#include "src/accuracy/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/accuracy/dataset.h"
#include "src/accuracy/discrete_outputs.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// The worst values of the other metrics, for an output with kBrokenRelL2.
constexpr double kBrokenSqnrDb = -kExactSqnrDb;
constexpr double kBrokenCosine = -1.0;

// Bounds for outputs without such an element, below these values.
constexpr double kMostRelL2 = 9.8855309e9;  // -kMostInexactDb
constexpr double kMostMaxAbs = 0x1.fffffcp127;

double NoisePowerOfDb(double db) {
  return std::pow(10.0, -db / 10);
}

// A mean of equal outputs is off by the rounding of its sum, 1e-12 dB at most; a sample of 10^7
// that differs moves it by 1e-8 dB.
double DbOfNoisePower(double power) {
  constexpr double kRounding = 1e-9;
  const double db = -10 * std::log10(power) + 0.0;  // no negative zero
  return std::fabs(db - kExactSqnrDb) < kRounding ? kExactSqnrDb : db;
}

// The worst of `of_sums` over the floating outputs; empty when it is defined for none.
template <typename OfSums>
std::optional<double> WorstOutput(const SampleView& sample, Better better, const OfSums& of_sums) {
  std::optional<double> worst;
  for (const OutputSums& sums : sample.sums) {
    const std::optional<double> value = of_sums(sums);
    if (value && (!worst || (better == Better::kHigher ? *value < *worst : *value > *worst))) {
      worst = value;
    }
  }
  return worst;
}

// True: no element of the output was compared.
bool IsEmpty(const OutputSums& sums) {
  return sums.counts.compared == 0;
}

std::optional<double> SqnrDb(const SampleView& sample) {
  return WorstOutput(sample, Better::kHigher, [](const OutputSums& sums) -> std::optional<double> {
    if (sums.broken) {
      return kBrokenSqnrDb;
    }
    if (IsEmpty(sums)) {
      return std::nullopt;
    }
    if (!sums.differs) {
      return kExactSqnrDb;
    }
    const std::optional<double> power = RelativeErrorPower(sums);
    return power
               ? std::optional(std::clamp(DbOfNoisePower(*power), -kMostInexactDb, kMostInexactDb))
               : std::nullopt;
  });
}

std::optional<double> RelL2(const SampleView& sample) {
  return WorstOutput(sample, Better::kLower, [](const OutputSums& sums) -> std::optional<double> {
    if (sums.broken) {
      return kBrokenRelL2;
    }
    if (IsEmpty(sums)) {
      return std::nullopt;
    }
    const std::optional<double> power = RelativeErrorPower(sums);
    return power ? std::optional(std::min(std::sqrt(*power), kMostRelL2)) : std::nullopt;
  });
}

std::optional<double> CosineOf(const PowerSums& sums) {
  if (sums.error_power == 0) {
    return 1.0;  // also where both are zero
  }
  if (sums.reference_power == 0) {
    return std::nullopt;
  }
  if (sums.actual_power == 0) {
    return 0.0;
  }
  const double norms = std::sqrt(sums.reference_power) * std::sqrt(sums.actual_power);
  return std::clamp(sums.product / norms, -1.0, 1.0);
}

std::optional<double> Cosine(const SampleView& sample) {
  return WorstOutput(sample, Better::kHigher, [](const OutputSums& sums) -> std::optional<double> {
    if (sums.broken) {
      return kBrokenCosine;
    }
    if (IsEmpty(sums)) {
      return std::nullopt;
    }
    const std::optional<double> cosine = CosineOf(sums);
    return cosine && sums.counts.apart > 0 ? std::min(cosine, CosineOf(sums.apart)) : cosine;
  });
}

std::optional<double> MaxAbs(const SampleView& sample) {
  return WorstOutput(sample, Better::kLower, [](const OutputSums& sums) -> std::optional<double> {
    if (sums.broken) {
      return kBrokenMaxAbs;
    }
    return IsEmpty(sums) ? std::nullopt : std::optional(std::min(sums.max_abs_error, kMostMaxAbs));
  });
}

// Whether `wanted` is among the `places` largest of `classes` elements from `first`: of equal ones
// those with the lowest indices come first. False when one is NaN.
bool IsAmongLargest(const Tensor& tensor, std::int64_t first, std::int64_t classes,
                    std::int64_t wanted, std::int64_t places) {
  const double value = DoubleAt(tensor.dtype(), tensor.data(), first + wanted);
  std::int64_t before = 0;
  for (std::int64_t c = 0; c < classes; ++c) {
    const double other = DoubleAt(tensor.dtype(), tensor.data(), first + c);
    if (std::isnan(other)) {
      return false;
    }
    before += other > value || (other == value && c < wanted) ? 1 : 0;
  }
  return before < places;
}

// The share of rows in which the class that float32 finds is among the `places` largest.
std::optional<double> Agreement(const SampleView& sample, std::int64_t places) {
  const SampleOutputs& outputs = sample.outputs;
  const auto chosen = ClassOutput(outputs);
  if (!chosen) {
    return std::nullopt;
  }
  const Tensor& reference = outputs.reference[*chosen];
  const Tensor& actual = outputs.actual[*chosen];
  const std::int64_t classes = reference.shape()[*ClassAxis(reference.shape())];
  const std::int64_t rows = reference.ElementCount() / classes;
  if (rows == 0 || classes <= places) {
    return std::nullopt;
  }
  std::int64_t agreed = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t want = ArgMax(reference, row * classes, classes);
    agreed += want >= 0 && IsAmongLargest(actual, row * classes, classes, want, places) ? 1 : 0;
  }
  return static_cast<double>(agreed) / static_cast<double>(rows);
}

// The share of labelled rows whose label is among the `places` largest.
std::optional<double> ShareRight(const SampleView& sample, std::int64_t places) {
  const SampleOutputs& outputs = sample.outputs;
  const auto chosen = ClassOutput(outputs);
  if (outputs.labels.empty() || !chosen) {
    return std::nullopt;
  }
  const Tensor& actual = outputs.actual[*chosen];
  const std::int64_t classes = actual.shape()[*ClassAxis(actual.shape())];
  if (classes <= places) {
    return std::nullopt;
  }
  std::int64_t labelled = 0;
  std::int64_t right = 0;
  for (std::size_t row = 0; row < outputs.labels.size(); ++row) {
    const std::int64_t label = outputs.labels[row];
    if (label >= 0) {
      ++labelled;
      right +=
          IsAmongLargest(actual, static_cast<std::int64_t>(row) * classes, classes, label, places)
              ? 1
              : 0;
    }
  }
  return labelled == 0 ? std::nullopt
                       : std::optional(static_cast<double>(right) / static_cast<double>(labelled));
}

std::optional<double> Top1Agreement(const SampleView& sample) {
  return Agreement(sample, 1);
}

std::optional<double> Top1(const SampleView& sample) {
  return ShareRight(sample, 1);
}

std::optional<double> Top5Agreement(const SampleView& sample) {
  return Agreement(sample, 5);
}

std::optional<double> Top5(const SampleView& sample) {
  return ShareRight(sample, 5);
}

std::optional<double> ElementAgreement(const SampleView& sample) {
  std::optional<double> worst;
  for (std::size_t i = 0; i < sample.outputs.reference.size(); ++i) {
    const Tensor& reference = sample.outputs.reference[i];
    if (!IsFloating(reference.dtype())) {
      worst = std::min(worst.value_or(1), ShareOfEqual(reference, sample.outputs.actual[i]));
    }
  }
  return worst;
}

constexpr MetricRow kMetrics[] = {
    {"sqnr_db",
     "signal to quantisation noise ratio of the worst output, 10 log10(sum ref^2 / sum err^2)",
     Better::kHigher, false, SqnrDb, NoisePowerOfDb, DbOfNoisePower},
    {"rel_l2", "error norm over reference norm of the worst output", Better::kLower, false, RelL2},
    {"cosine", "cosine of the angle between worst output and reference", Better::kHigher, false,
     Cosine},
    {"max_abs", "largest absolute error of any output element", Better::kLower, false, MaxAbs},
    {"top1_agreement", "share of rows whose largest class is that of the reference",
     Better::kHigher, false, Top1Agreement},
    {"top1", "share of labelled rows whose largest class is the label", Better::kHigher, true,
     Top1},
    {"top5_agreement", "share of rows in which the largest class of the reference is in the top 5",
     Better::kHigher, false, Top5Agreement},
    {"top5", "share of labelled rows whose label is in the top 5", Better::kHigher, true, Top5},
    {.name = "agreement",
     .meaning = "share of equal elements of the worst integer or boolean output",
     .better = Better::kHigher,
     .needs_labels = false,
     .of_sample = ElementAgreement,
     .of_discrete = true},
};

}  // namespace

std::span<const MetricRow> AllMetrics() {
  return kMetrics;
}

const MetricRow* FindMetric(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kMetrics), std::end(kMetrics),
                                         [&](const MetricRow& row) { return row.name == name; });
  return found == std::end(kMetrics) ? nullptr : found;
}

std::optional<double> OutputMetric::OfSample(const SampleOutputs& outputs) const {
  SampleOutputs alone{.reference = outputs.reference.subspan(output, 1),
                      .actual = outputs.actual.subspan(output, 1),
                      .labels = {},
                      .class_output = 0};
  if (ClassOutput(outputs) == output) {
    alone.labels = outputs.labels;
  }
  return row->of_sample(SampleView(alone));
}

bool IsOwnMetric(std::string_view name) {
  return name.find(':') != std::string_view::npos;
}

const MetricRow* RowOfValue(std::string_view name) {
  if (name.starts_with(kCommandMetric) || name.starts_with(kFunctionMetric)) {
    return nullptr;
  }
  const std::size_t colon = name.rfind(':');
  return FindMetric(colon == std::string_view::npos ? name : name.substr(colon + 1));
}

const MetricValue* Accuracy::Find(std::string_view name) const {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const MetricValue& value) { return value.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

const MetricValue* Accuracy::FindOwn() const {
  const auto found = std::ranges::find_if(
      metrics, [](const MetricValue& value) { return IsOwnMetric(value.name); });
  return found == metrics.end() ? nullptr : &*found;
}

double Accuracy::Mean(std::string_view name) const {
  const MetricValue* value = Find(name);
  Check(value != nullptr, "the metric was computed: " + std::string(name));
  return value->mean;
}

SampleMetrics MetricsOf(const SampleOutputs& outputs, const OutputMetric* own) {
  const SampleView sample(outputs);
  SampleMetrics metrics;
  for (const MetricRow& row : kMetrics) {
    metrics.values.push_back(row.of_sample(sample));
  }
  if (own != nullptr) {
    metrics.values.push_back(own->OfSample(outputs));
  }
  metrics.flips = FlipsOf(outputs);
  metrics.outputs = sample.counts;
  return metrics;
}

std::int64_t ArgMax(const Tensor& tensor, std::int64_t first, std::int64_t classes) {
  std::int64_t best = 0;
  double best_value = -std::numeric_limits<double>::infinity();
  for (std::int64_t c = 0; c < classes; ++c) {
    const double value = DoubleAt(tensor.dtype(), tensor.data(), first + c);
    if (std::isnan(value)) {
      return -1;
    }
    if (value > best_value) {
      best_value = value;
      best = c;
    }
  }
  return best;
}

std::optional<int> ClassAxis(const Shape& shape) {
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] > 1) {
      return axis;
    }
  }
  return std::nullopt;
}

namespace {

// True: maps as a convolution makes them, [N, C, H, W] and so on, whose last axis is a place.
bool IsMap(const Shape& shape) {
  constexpr int kFewestAxes = 4;
  const int rank = shape.rank();
  return rank >= kFewestAxes && shape[rank - 1] > 1 && shape[rank - 2] > 1;
}

}  // namespace

std::optional<std::size_t> ClassOutput(const SampleOutputs& outputs) {
  for (std::size_t i = 0; i < outputs.reference.size(); ++i) {
    const Tensor& output = outputs.reference[i];
    const std::optional<int> axis = ClassAxis(output.shape());
    if (outputs.class_output.value_or(i) != i || !axis || !IsFloating(output.dtype())) {
      continue;
    }
    if (!outputs.class_output && outputs.labels.empty() && IsMap(output.shape())) {
      continue;
    }
    const std::int64_t rows = output.ElementCount() / output.shape()[*axis];
    if (outputs.labels.empty() || rows == std::ssize(outputs.labels)) {
      return i;
    }
  }
  return std::nullopt;
}

void NameWorstSamples(const Dataset& dataset, Accuracy& accuracy) {
  for (MetricValue& value : accuracy.metrics) {
    if (value.worst_sample >= 0 && value.worst_sample < static_cast<std::int64_t>(dataset.size())) {
      value.worst_sample_name = dataset.NameOf(static_cast<std::size_t>(value.worst_sample));
    }
  }
}

}  // namespace halftone
