// Parts of front.json that ReportDetails and CalibrationRecord fill. Not a public header.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>

#include "src/quantization/calibration_record.h"
#include "src/report/tune_summary.h"

namespace halftone {

// Objectives as JSON. The loss is a relative error; with `by_agreement`, a share of elements that
// differ.
nlohmann::ordered_json ObjectivesJson(const Objectives& objectives, bool by_agreement);

// Adds "sensitivity", "predictions" and "data_quality" to `json`; also "chosen_point" if a point
// was analysed. `described` is TunedFront::described().
void AddDetails(const ReportDetails& details, std::optional<std::size_t> described,
                nlohmann::ordered_json& json);

// Adds "quantization": the record without histograms and pictures, which are in histograms.json.
void AddQuantization(const CalibrationRecord& record, nlohmann::ordered_json& json);

}  // namespace halftone
