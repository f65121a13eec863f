// JSON text of candidates, as the knowledge base stores it.
//
// {"impl_mode_by_type":{"Conv2D":"high_precision"},"keep_dtype":["conv1"],
//  "op_precision_given":true,"precision_mode":"force_fp16","schema":1}
//
// Two more fields by example:
//  "modify_mixlist":{"black":{"to_add":["Add"]}}; {} stands for a list file without changes.
//  "customize_dtypes":[{"inputs":["float16",null],"outputs":[],"type":"Conv2D"}]; the key "node" in
//  place of "type" names one node, and null leaves a tensor free.
//
// Keys are in alphabetical order, fields with their default value are left out, and implementation
// modes have their names. Equal candidates therefore give equal texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/trial/candidate.h"

namespace halftone {

std::string CandidateToJson(const Candidate& candidate);

// Parses the text of CandidateToJson(). Error kDatabase: not JSON, another schema, wrong types,
// unknown names, and unknown keys, which a newer halftone wrote. Unknown keys are not skipped: a
// candidate without one of its options is another candidate.
Candidate CandidateFromJson(std::string_view text);

// JSON array of names, and its parser. Error kDatabase: not JSON, or not an array of texts.
std::string NamesToJson(const std::vector<std::string>& names);
std::vector<std::string> NamesFromJson(std::string_view text);

}  // namespace halftone
