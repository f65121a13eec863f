// JSON text of sensitivities, as the knowledge base stores it.
//
// {"cast_time":0.001,"cast_time_per_element":1e-9,"evaluations":3.5,
//  "groups":[{"choices":[{"errors":[...],"local_error":0,"time":0.1},{...,"refusal":"..."}],
//   "formats":{"float16":{"errors":[...],"rounding":{...}}},"gain":0.5,"largest_sample":3,
//   "largest_value":3.2,"longest_sum":64}],
//  "other_time":0.1,"samples":2,"schema":2,"weights":[0.4,0.3]}
//
// Equal weights are left out.
#pragma once

#include <string>
#include <string_view>

#include "search/probe/sensitivity.h"

namespace halftone {

std::string SensitivityToJson(const Sensitivity& sensitivity);

// The inverse of SensitivityToJson(); also reads schema 1, the layout of older programs. Error
// kDatabase: not JSON, another schema, missing keys, wrong types, an unknown number format, lists
// that do not have one number for each sample.
Sensitivity SensitivityFromJson(std::string_view text);

}  // namespace halftone
