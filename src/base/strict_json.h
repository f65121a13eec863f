// Parser of strict JSON for configuration files: no comments, no duplicate keys, no deep nesting.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace halftone {

// Parses `text`; `where` is the name of the file. Errors kUsage. "<where>:<line>:<column>: ...": a
// syntax error, or bytes that are not UTF-8. "<where>: ...": an empty text, a key that stands twice
// in one object (most parsers silently take the last), more than 64 levels of nesting, or a number
// beyond double.
nlohmann::json ParseStrictJson(std::string_view text, std::string_view where);

// Returns the type for messages: "object", "array", "string", "number", "boolean" or "null".
std::string_view JsonTypeName(const nlohmann::json& value);

}  // namespace halftone
