// JSON text of the calls of an operator profile, as the knowledge base stores it.
//
// {"calls":[{"family":"MatMul of one matrix: float32, float32 -> float32",
//   "seconds":{"matmul.f32.highway":1.25e-05,"matmul.f32.onednn":2e-05},
//   "sizes":[5.0,10.5,6.0,0.0]}],"schema":1}
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/operators/operator_profile.h"

namespace halftone {

std::string CallsToJson(std::span<const ProfiledCall> calls);

// The inverse of CallsToJson(). Error kDatabase says what was expected and what was found: not
// JSON, another schema, a key that is missing, unknown or repeated, a wrong type, or a FlawOf() of
// the calls (knowledge_base/storable.h).
std::vector<ProfiledCall> CallsFromJson(std::string_view text);

}  // namespace halftone
