// Strict JSON of configuration files: no comments, no duplicate keys, no deep nesting, errors with
// their position.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace halftone {

// Parses `text`. `where` is the file's name. Error kUsage, "<where>:<line>:<column>: ...": empty
// text, bytes that are not UTF-8, a syntax error, a key that stands twice in one object (most
// readers silently take the last), more than 64 levels.
nlohmann::json ParseStrictJson(std::string_view text, std::string_view where);

// "object", "array", "string", "number", "boolean" or "null": how messages name a type.
std::string_view JsonTypeName(const nlohmann::json& value);

}  // namespace halftone
