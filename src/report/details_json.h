// The part of front.json that ReportDetails fills. Not a public header.
#pragma once

#include <nlohmann/json.hpp>

#include "src/report/tune_summary.h"

namespace halftone {

// Adds "sensitivity", "predictions", "data_quality" and, when the chosen point was looked at,
// "chosen_point" to the object.
void AddDetails(const ReportDetails& details, nlohmann::ordered_json& json);

}  // namespace halftone
