// The part of front.json that ReportDetails fills. Not a public header.
#pragma once

#include <nlohmann/json.hpp>

#include "src/report/tune_summary.h"

namespace halftone {

// The loss is a relative error, and where no output is floating a share of elements that differ.
nlohmann::ordered_json ObjectivesJson(const Objectives& objectives, bool by_agreement);

// Adds "sensitivity", "predictions", "data_quality" and, when the chosen point was analysed,
// "chosen_point" to it.
void AddDetails(const ReportDetails& details, nlohmann::ordered_json& json);

}  // namespace halftone
