#include "src/quantization/calibration_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/base/error.h"
#include "src/base/numbers.h"
#include "src/base/text.h"
#include "src/quantization/entropy_range.h"
#include "src/quantization/kl_divergence.h"
#include "src/quantization/least_error_range.h"
#include "src/quantization/rescale_histogram.h"

namespace halftone {
namespace {

constexpr std::string_view kPercentile = "percentile";

bool IsEmpty(const TensorHistogram& histogram) {
  return histogram.low >= histogram.high || histogram.total() == 0;
}

double Magnitude(ValueRange range) {
  return std::max(range.high, -range.low);
}

// `range` cut to the observed values, and extended to 0.
ValueRange WithinObserved(ValueRange range, const TensorStatistics& statistics) {
  const auto [low, high] = WithZero(statistics.observed);
  return {std::clamp(range.low, low, 0.0), std::clamp(range.high, 0.0, high)};
}

template <typename Real>
std::vector<Real> CountsOf(const TensorHistogram& histogram) {
  return {histogram.counts.begin(), histogram.counts.end()};
}

// The counts in equal bins from -magnitude to magnitude.
template <typename Real>
std::vector<Real> SymmetricCounts(const TensorHistogram& histogram) {
  const auto magnitude = static_cast<Real>(Magnitude({histogram.low, histogram.high}));
  return RescaledHistogram<Real>(CountsOf<Real>(histogram), static_cast<Real>(histogram.low),
                                 static_cast<Real>(histogram.high), -magnitude, magnitude);
}

// The counts of magnitudes in equal bins from 0 to the greatest: both sides of 0, added.
std::vector<double> MagnitudeCounts(const TensorHistogram& histogram) {
  const std::vector<double> both = SymmetricCounts<double>(histogram);
  const std::size_t half = both.size() / 2;
  std::vector<double> counts(half);
  for (std::size_t bin = 0; bin < half; ++bin) {
    counts[bin] = both[half + bin] + both[half - 1 - bin];
  }
  return counts;
}

ValueRange MinMax(const TensorStatistics& statistics, const CalibrationSettings&) {
  return WithZero(statistics.observed);
}

ValueRange MeanMinMax(const TensorStatistics& statistics, const CalibrationSettings&) {
  return WithinObserved(statistics.mean_of_samples, statistics);
}

// AIMET (PercentileEncodingAnalyzer): from the lower edge of the first bin at whose end at least
// 1 - p of the values lie below to the upper edge of the last one at whose end less than p do, at
// least one bin. Its histograms have empty bins at both ends; ours, which have none, act as if.
ValueRange Percentile(const TensorStatistics& statistics, const CalibrationSettings& settings) {
  const TensorHistogram& histogram = statistics.histogram;
  if (IsEmpty(histogram) || settings.percentile >= 100) {
    return WithZero(statistics.observed);
  }
  const auto total = static_cast<double>(histogram.total());
  const double upper_share = settings.percentile / 100;
  const double lower_share = 1 - upper_share;
  std::size_t first = 0;
  std::size_t end = 0;  // bins below the upper edge
  std::uint64_t seen = 0;
  for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    seen += histogram.counts[bin];
    const double share = static_cast<double>(seen) / total;
    first += share < lower_share ? 1 : 0;
    end += share < upper_share ? 1 : 0;
  }
  return WithinObserved({histogram.edge(first), histogram.edge(std::max(end, first + 1))},
                        statistics);
}

ValueRange Mse(const TensorStatistics& statistics, const CalibrationSettings& settings) {
  return LeastSquaresRange(statistics.histogram, settings.symmetric);
}

ValueRange Sqnr(const TensorStatistics& statistics, const CalibrationSettings& settings) {
  return SqnrRange(statistics.histogram, settings.symmetric);
}

ValueRange Ifmr(const TensorStatistics& statistics, const CalibrationSettings& settings) {
  return IfmrRange(statistics.histogram, settings.symmetric);
}

ValueRange Kl(const TensorStatistics& statistics, const CalibrationSettings& settings) {
  const TensorHistogram& histogram = statistics.histogram;
  const double magnitude = Magnitude(statistics.observed);
  if (IsEmpty(histogram) || !HasFloat32Bins({-magnitude, magnitude}, histogram.counts.size())) {
    return WithZero(statistics.observed);
  }
  if (settings.symmetric) {
    return GlowKlRange(SymmetricCounts<float>(histogram), {-magnitude, magnitude}, true);
  }
  return WithinObserved(
      GlowKlRange(CountsOf<float>(histogram), {histogram.low, histogram.high}, false), statistics);
}

ValueRange Kl2(const TensorStatistics& statistics, const CalibrationSettings& settings) {
  const TensorHistogram& histogram = statistics.histogram;
  if (IsEmpty(histogram)) {
    return WithZero(statistics.observed);
  }
  if (settings.symmetric && histogram.low < 0) {
    const double magnitude = Magnitude(statistics.observed);
    return AimetKlRange(SymmetricCounts<double>(histogram), {-magnitude, magnitude}, true);
  }
  return WithinObserved(
      AimetKlRange(CountsOf<double>(histogram), {histogram.low, histogram.high}, false),
      statistics);
}

ValueRange OrtEntropy(const TensorStatistics& statistics, const CalibrationSettings&) {
  if (IsEmpty(statistics.histogram)) {
    return WithZero(statistics.observed);
  }
  return WithinObserved(OnnxRuntimeEntropyRange(SymmetricCounts<double>(statistics.histogram),
                                                Magnitude(statistics.observed)),
                        statistics);
}

ValueRange TrtEntropy(const TensorStatistics& statistics, const CalibrationSettings& settings) {
  if (IsEmpty(statistics.histogram)) {
    return WithZero(statistics.observed);
  }
  const double magnitude = TensorRtEntropyMagnitude(MagnitudeCounts(statistics.histogram),
                                                    Magnitude(statistics.observed));
  return settings.symmetric ? ValueRange{-magnitude, magnitude}
                            : WithinObserved({-magnitude, magnitude}, statistics);
}

constexpr CalibrationMethod kMethods[] = {
    {"minmax", "the least and the greatest value of all samples", MinMax},
    {"mean_minmax", "the means over the samples of each one's least and greatest value",
     MeanMinMax},
    {kPercentile,
     "without the outermost values on each side; percentile:99.999 sets the share kept",
     Percentile},
    {"mse", "the least squared error of the quantised values", Mse},
    {"sqnr", "the same of 357 ranges, with values beyond the ends weighing three times", Sqnr},
    {"kl", "the least Kullback-Leibler divergence, as Glow computes it", Kl},
    {"kl2", "the same as AIMET computes it", Kl2},
    {"ifmr", "the least squared error around the greatest value but one in a million, as AMCT",
     Ifmr},
    {"ort_entropy", "the entropy calibrator of ONNX Runtime, with 2048 bins", OrtEntropy},
    {"trt_entropy", "the entropy calibrator of TensorRT", TrtEntropy},
};

double ParsePercentile(std::string_view text) {
  const auto value = NumberIn(text, RealRange{50, 100, true});
  if (!value) {
    throw Error(ErrorKind::kUsage,
                fmt::format("calibration method '{}': expected a number above 50 and at most 100, "
                            "found '{}'; write {}:99.99",
                            kPercentile, Shown(text), kPercentile));
  }
  return *value;
}

}  // namespace

std::span<const CalibrationMethod> AllCalibrationMethods() {
  return kMethods;
}

std::string CalibrationChoice::text() const {
  return method->name == kPercentile ? fmt::format("{}:{}", method->name, settings.percentile)
                                     : std::string(method->name);
}

CalibrationChoice ParseCalibrationMethod(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::vector<std::string> names = {std::string(kAutoCalibration)};
  for (const CalibrationMethod& method : kMethods) {
    names.emplace_back(method.name);
    if (method.name != name) {
      continue;
    }
    CalibrationChoice choice{.method = &method, .settings = {}};
    if (colon == std::string_view::npos) {
      return choice;
    }
    if (name != kPercentile) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("calibration method '{}': expected no setting, found '{}'; only {} "
                              "has one",
                              name, Shown(text.substr(colon + 1)), kPercentile));
    }
    choice.settings.percentile = ParsePercentile(text.substr(colon + 1));
    return choice;
  }
  throw Error(ErrorKind::kUsage, fmt::format("unknown calibration method '{}': expected one of {}",
                                             Shown(name), Join(names, ", ")));
}

std::vector<CalibrationChoice> AutoCalibrationMethods() {
  std::vector<CalibrationChoice> choices;
  for (const std::string_view text :
       {"minmax", "mean_minmax", "percentile:99.99", "percentile:99.999", "mse"}) {
    choices.push_back(ParseCalibrationMethod(text));
  }
  return choices;
}

std::vector<CalibrationChoice> CalibrationCandidates(std::string_view text) {
  return text == kAutoCalibration ? AutoCalibrationMethods()
                                  : std::vector{ParseCalibrationMethod(text)};
}

}  // namespace halftone
