// histograms.json: the record of a calibration (src/quantization/calibration_record.h), written by
// `tune` beside its reports and read by `explain --tensor`. Format: docs/reference/range_files.md
// and docs/reference/histograms.schema.json.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "src/quantization/calibration_record.h"

namespace halftone {

inline constexpr int kHistogramsSchemaVersion = 1;
inline constexpr std::string_view kHistogramsFile = "histograms.json";

// Bounds of a file that is written: at most 2.6 KB a histogram, 8 KB a picture.
inline constexpr std::size_t kMostFileHistograms = 1000;
inline constexpr std::size_t kMostFilePictures = 500;
// Of a file that is read: what is bounded as above takes 7 MB, and the rows of 50,000 tensors 50.
inline constexpr std::size_t kMostHistogramsBytes = 64U << 20U;

// A document that ParseHistograms() reads back to an equal value. Bytes of names that are not UTF-8
// are replaced. Requires finite numbers.
std::string WriteHistograms(const CalibrationRecord& record);

// `origin`: the file's name. Error kUsage, "<origin>: <place>: ...": not JSON, another
// schema_version, an unknown or missing key, a value of another type or out of its range, counts of
// a histogram without extent, too large a file.
CalibrationRecord ParseHistograms(std::string_view text, std::string_view origin);

}  // namespace halftone
