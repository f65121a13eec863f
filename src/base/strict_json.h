// JSON as configuration files have it: no comments, no key twice, no deep nesting, and errors that
// say where.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace halftone {

// The document in `text`. `where` is the file's name. Error kUsage, "<where>:<line>:<column>: ...":
// empty text, bytes that are not UTF-8, a syntax error, a key that stands twice in one object (the
// common readers silently take the last), more than 64 levels.
nlohmann::json ParseStrictJson(std::string_view text, std::string_view where);

// "object", "array", "string", "number", "boolean" or "null": how messages name a type.
std::string_view JsonTypeName(const nlohmann::json& value);

}  // namespace halftone
