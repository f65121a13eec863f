// Calibration methods: ways to choose the range of a tensor from its statistics. One table; adding
// one is a function and a row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/quantization/quantization.h"
#include "src/quantization/tensor_statistics.h"

namespace halftone {

struct CalibrationSettings {
  // Share that the method `percentile` keeps, in percent: above 50, at most 100.
  double percentile = 99.99;
  // The range is for a symmetric grid: kl, kl2, mse, sqnr and ifmr search symmetric ranges.
  bool symmetric = false;
};

struct CalibrationMethod {
  std::string_view name;
  std::string_view description;
  ValueRange (*range)(const TensorStatistics&, const CalibrationSettings&);
};

std::span<const CalibrationMethod> AllCalibrationMethods();

// A method with its settings, as text: "mse", "percentile:99.999".
struct CalibrationChoice {
  const CalibrationMethod* method = nullptr;
  CalibrationSettings settings;

  // The range is finite with low <= 0 <= high, {0, 0} without values. An asymmetric range lies
  // within the observed one with 0 added, a symmetric one within the greatest magnitude; sqnr may
  // exceed that by a factor of 129/127, since its grid has one more number below 0 and it tries a
  // step of 1.01.
  [[nodiscard]] ValueRange Range(const TensorStatistics& statistics) const {
    return method->range(statistics, settings);
  }

  [[nodiscard]] std::string text() const;
};

// Throws Error{kUsage} that lists the names, or states the allowed percentiles.
CalibrationChoice ParseCalibrationMethod(std::string_view text);

// Methods that `auto` compares: the least error at the readers of a tensor decides.
inline constexpr std::string_view kAutoCalibration = "auto";
std::vector<CalibrationChoice> AutoCalibrationMethods();

// Methods that a value of --calibration_method compares: those of `auto`, or the named one alone.
// Throws as ParseCalibrationMethod().
std::vector<CalibrationChoice> CalibrationCandidates(std::string_view text);

}  // namespace halftone
