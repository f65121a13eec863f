// Calibration methods: ways to choose the range of a tensor from its statistics. One table holds
// them; a new method is a function and a row of the table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/quantization/quantization.h"
#include "src/quantization/tensor_statistics.h"

namespace halftone {

struct CalibrationSettings {
  // Percentage of the values that the method `percentile` keeps: above 50, at most 100.
  double percentile = 99.99;
  // True if the grid is symmetric. Then kl, mse, sqnr, ifmr, trt_entropy and, for a tensor with
  // values below 0, kl2 search symmetric ranges. The other methods ignore it.
  bool symmetric = false;

  friend bool operator==(const CalibrationSettings&, const CalibrationSettings&) = default;
};

struct CalibrationMethod {
  std::string_view name;
  std::string_view description;
  ValueRange (*range)(const TensorStatistics&, const CalibrationSettings&);
};

std::span<const CalibrationMethod> AllCalibrationMethods();

// A method with its settings. As text: "mse", "percentile:99.999".
struct CalibrationChoice {
  const CalibrationMethod* method = nullptr;
  CalibrationSettings settings;

  // Returns a finite range with low <= 0 <= high; {0, 0} for a tensor without finite values. An
  // asymmetric range lies within the observed range extended to 0. A symmetric range lies within
  // -m and m, where m is the largest observed magnitude; only sqnr may exceed m, by up to 1.4 %.
  [[nodiscard]] ValueRange Range(const TensorStatistics& statistics) const {
    return method->range(statistics, settings);
  }

  [[nodiscard]] std::string text() const;

  friend bool operator==(const CalibrationChoice&, const CalibrationChoice&) = default;
};

// Parses the text of a choice. Error kUsage, which lists the names or states the allowed
// percentiles.
CalibrationChoice ParseCalibrationMethod(std::string_view text);

// Methods that `auto` compares. For each tensor it takes the method with the least error at the
// nodes that read the tensor.
inline constexpr std::string_view kAutoCalibration = "auto";
std::vector<CalibrationChoice> AutoCalibrationMethods();

// Methods that a value of --calibration_method compares: those of `auto`, or the named one alone.
// Errors as ParseCalibrationMethod().
std::vector<CalibrationChoice> CalibrationCandidates(std::string_view text);

}  // namespace halftone
