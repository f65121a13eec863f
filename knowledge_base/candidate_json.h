// JSON text of candidates, as the knowledge base stores it.
//
// {"schema":1,"precision_mode":"force_fp16","keep_dtype":["conv1"],"op_precision_given":true,
//  "impl_mode_by_type":{"Conv2D":"high_precision"}}
// "modify_mixlist":{"black":{"to_add":["Add"]}}  ({} is a list file without changes)
// "customize_dtypes":[{"inputs":["float16",null],"outputs":[],"type":"Conv2D"}]  (or "node":...;
//  null leaves a tensor free)
// Keys in alphabetical order, fields with their default value left out, implementation modes by
// name: equal candidates give equal texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/trial/candidate.h"

namespace halftone {

std::string CandidateToJson(const Candidate& candidate);

// Parses such a text. Error kDatabase: not JSON, another schema, unknown keys (written by a newer
// halftone), wrong types and unknown names. Unknown keys are refused, not skipped: a candidate
// without one of its options is another candidate.
Candidate CandidateFromJson(std::string_view text);

// JSON text of a list of names, and its parser with the same errors.
std::string NamesToJson(const std::vector<std::string>& names);
std::vector<std::string> NamesFromJson(std::string_view text);

}  // namespace halftone
