// JSON of the run of a plan on a runtime outside halftone, as the knowledge base stores it.
//
// {"as_asked":true,"build_s":0.012,"detail":"26 of 26 products in fewer bits ran so",
//  "low_asked":26,"low_ran":26,"own_outputs":true,
//  "runtime":"ONNX Runtime 1.30.0, cpu, 2 threads"}
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "search/trial/trial.h"

namespace halftone {

nlohmann::json RuntimeRunToJson(const RuntimeRun& run);

// The inverse of RuntimeRunToJson(). Missing keys and wrong types throw nlohmann::json::exception.
RuntimeRun RuntimeRunFrom(const nlohmann::json& value);

// The same from text. Error kDatabase: not JSON, missing keys, wrong types.
RuntimeRun RuntimeRunFromText(std::string_view text);

}  // namespace halftone
