// Tables and sentences on the 8-bit tensors of a run, which the page, the Markdown report and the
// screen share.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/base/text_table.h"
#include "src/quantization/calibration_record.h"
#include "src/report/tune_summary.h"

namespace halftone {

// Four significant digits.
std::string FormatFigure(double value);
// "-1 to 2.5".
std::string FormatRange(const ValueRange& range);
// "0.012 %", "0 %".
std::string FormatClipped(double share);
// "38.2 dB"; "-" for none.
std::string FormatTensorSqnr(const std::optional<double>& sqnr_db);
// "3.13", "1973" of a ratio of scales; "1" where all are equal, "-" where there is no scale.
std::string FormatRatio(const Spread& scales);

// "66 tensors were calibrated by auto on 64 samples."; of given scales, where they came from.
std::string CalibrationSentence(const CalibrationRecord& record);

// A row for each tensor, at most `most`. `summary`: adds whether the described point (TunedFront)
// holds it in 8 bits; null: no such column.
TextTable TensorTable(const CalibrationRecord& record, std::size_t most,
                      const TuneSummary* summary = nullptr);

// A row for each constant weight, at most `most`.
TextTable WeightTable(const CalibrationRecord& record, std::size_t most);

// Short tables for the screen and the Markdown report: a row for each of these indices of the
// record.
TextTable ShortTensorTable(const CalibrationRecord& record,
                           const std::vector<std::size_t>& tensors);
TextTable ShortWeightTable(const CalibrationRecord& record,
                           const std::vector<std::size_t>& weights);

// Two lines for the screen: "most clipped: ...", "widest channels: ..."; less where nothing is
// clipped, or no weight has several scales.
std::vector<std::string> QuantizationLines(const CalibrationRecord& record);

// True if the described point computes an operator in 8 bits.
bool DescribedPointIsQuantized(const TuneSummary& summary);

}  // namespace halftone
