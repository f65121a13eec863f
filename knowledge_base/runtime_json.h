// JSON of how a plan ran on a runtime outside halftone, as the knowledge base stores it.
//
// {"runtime":"ONNX Runtime 1.30.0, cpu, 2 threads","low_asked":26,"low_ran":26,"as_asked":true,
//  "own_outputs":true,"detail":"26 of 26 products in fewer bits ran so","build_s":0.012}
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "search/trial/trial.h"

namespace halftone {

nlohmann::json RuntimeRunToJson(const RuntimeRun& run);

// nlohmann's errors for missing keys and wrong types.
RuntimeRun RuntimeRunFrom(const nlohmann::json& value);

// The same as text. Error kDatabase: not JSON, missing keys, wrong types.
RuntimeRun RuntimeRunFromText(std::string_view text);

}  // namespace halftone
