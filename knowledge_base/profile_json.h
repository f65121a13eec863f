// JSON text of the calls of an operator profile, as the knowledge base stores it.
//
// {"schema":1,"calls":[{"family":"MatMul of one matrix: float32, float32 ->
// float32","sizes":[5.0,10.5,6.0,0.0],
//   "seconds":{"matmul.f32.highway":1.25e-05,"matmul.f32.onednn":2e-05}}]}
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/operators/operator_profile.h"

namespace halftone {

std::string CallsToJson(std::span<const ProfiledCall> calls);

// The inverse. Error kDatabase, with what was expected and found: not JSON, another schema, keys
// that are missing, unknown or stand twice, wrong types, calls with a FlawOf()
// (knowledge_base/storable.h).
std::vector<ProfiledCall> CallsFromJson(std::string_view text);

}  // namespace halftone
