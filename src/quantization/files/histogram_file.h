// File histograms.json: the record of a calibration (src/quantization/calibration_record.h), which
// `tune` writes beside its reports and `explain --tensor` reads. Format:
// docs/reference/range_files.md and docs/reference/histograms.schema.json.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "src/quantization/calibration_record.h"

namespace halftone {

inline constexpr int kHistogramsSchemaVersion = 1;
inline constexpr std::string_view kHistogramsFile = "histograms.json";

// Most histograms and pictures in a file that is written: at most 2.6 KB a histogram and 8 KB a
// picture.
inline constexpr std::size_t kMostFileHistograms = 1000;
inline constexpr std::size_t kMostFilePictures = 500;
// Most bytes of a file that is read. The histograms and pictures take at most 7 MB, the rows of
// 50,000 tensors 50 MB.
inline constexpr std::size_t kMostHistogramsBytes = 64U << 20U;

// The text of the file. ParseHistograms() reads it back to an equal value, except that bytes of
// names that are not UTF-8 are replaced. Requires finite numbers.
std::string WriteHistograms(const CalibrationRecord& record);

// Parses the text of the file named `origin`. Error kUsage, "<origin>: <place>: ...": not JSON,
// another schema_version, an unknown or missing key, a value of another type or out of its range, a
// histogram without bins or with low > high, more than kMostHistogramsBytes.
CalibrationRecord ParseHistograms(std::string_view text, std::string_view origin);

}  // namespace halftone
