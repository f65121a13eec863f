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
// A share as "0.012 %" or "0 %".
std::string FormatClipped(double share);
// "38.2 dB"; "-" if there is none.
std::string FormatTensorSqnr(const std::optional<double>& sqnr_db);
// Ratio of the largest scale to the least: "3.13", "1973"; "1" if all are equal, "-" if there is
// none.
std::string FormatRatio(const Spread& scales);

// "66 tensors were calibrated by auto on 64 samples."; for given scales, a sentence that names
// their source.
std::string CalibrationSentence(const CalibrationRecord& record);

// A row for each tensor, at most `most`. With a `summary` that has a described point (TunedFront),
// a column says whether the point holds the tensor in 8 bits.
TextTable TensorTable(const CalibrationRecord& record, std::size_t most,
                      const TuneSummary* summary = nullptr);

// A row for each constant weight, at most `most`.
TextTable WeightTable(const CalibrationRecord& record, std::size_t most);

// Short tables for the screen and the Markdown report, with a row for each of these indices of the
// record.
TextTable ShortTensorTable(const CalibrationRecord& record,
                           const std::vector<std::size_t>& tensors);
TextTable ShortWeightTable(const CalibrationRecord& record,
                           const std::vector<std::size_t>& weights);

// Lines for the screen: "8 bits, most clipped: ..." if something is clipped, and "8 bits, widest
// channels: ..." if a weight has several scales.
std::vector<std::string> QuantizationLines(const CalibrationRecord& record);

// True if the described point computes an operator in 8 bits.
bool DescribedPointIsQuantized(const TuneSummary& summary);

}  // namespace halftone
