// JSON text of sensitivities, as the knowledge base stores it.
//
// {"schema":2,"samples":2,"weights":[0.4,0.3],"evaluations":3.5,"other_time":0.1,"cast_time":0.001,
//  "cast_time_per_element":1e-9,"groups":[{"gain":0.5,"largest_value":3.2,
//   "largest_sample":3,"longest_sum":64,"formats":{"float16":{"errors":[...],"rounding":{...}}},
//   "choices":[{"time":0.1,"local_error":0,"errors":[...]},
//   {"refusal":"...",...}]}]}
#pragma once

#include <string>
#include <string_view>

#include "search/probe/sensitivity.h"

namespace halftone {

std::string SensitivityToJson(const Sensitivity& sensitivity);

// Error kDatabase: not JSON, another schema, missing keys, wrong types.
Sensitivity SensitivityFromJson(std::string_view text);

}  // namespace halftone
