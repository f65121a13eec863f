#include "knowledge_base/profile_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "knowledge_base/storable.h"
#include "src/base/error.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"

namespace halftone {
namespace {

using nlohmann::json;

constexpr int kSchema = 1;
constexpr std::string_view kWhere = "a stored operator profile";

// Throws unless `ok`. `where` is the value in the text: "call 3".
void Expect(bool ok, std::string_view where, std::string_view expected, const json& found) {
  if (!ok) {
    const std::string text = found.dump(-1, ' ', false, json::error_handler_t::replace);
    throw Error(ErrorKind::kDatabase,
                fmt::format("{}: {}: expected {}, found {}", kWhere, where, expected, Shown(text)));
  }
}

void ExpectKeys(const json& value, std::string_view where, const std::vector<std::string>& keys) {
  const bool ok = value.is_object() && value.size() == keys.size() &&
                  std::all_of(keys.begin(), keys.end(),
                              [&](const std::string& key) { return value.contains(key); });
  Expect(ok, where, fmt::format("an object with {}", Join(keys, ", ")), value);
}

double NumberFrom(const json& value, std::string_view where) {
  Expect(value.is_number(), where, "a number", value);
  return value.get<double>();
}

ProfiledCall CallFrom(const json& value, const std::string& where) {
  ExpectKeys(value, where, {"family", "seconds", "sizes"});
  ProfiledCall call;
  const json& family = value.at("family");
  Expect(family.is_string(), where + ", family", "a text", family);
  call.shape.family = family.get<std::string>();
  const json& sizes = value.at("sizes");
  Expect(sizes.is_array(), where + ", sizes", "an array", sizes);
  for (const json& size : sizes) {
    call.shape.sizes.push_back(NumberFrom(size, where + ", sizes"));
  }
  const json& seconds = value.at("seconds");
  Expect(seconds.is_object(), where + ", seconds", "an object", seconds);
  for (const auto& [kernel, time] : seconds.items()) {
    call.seconds.emplace(kernel, NumberFrom(time, where + ", seconds"));
  }
  return call;
}

json Parsed(std::string_view text) {
  try {
    return ParseStrictJson(text, kWhere);
  } catch (const Error& error) {  // kUsage, as for files of users
    throw Error(ErrorKind::kDatabase, error.what());
  }
}

}  // namespace

std::string CallsToJson(std::span<const ProfiledCall> calls) {
  json array = json::array();
  for (const ProfiledCall& call : calls) {
    array.push_back(
        {{"family", call.shape.family}, {"sizes", call.shape.sizes}, {"seconds", call.seconds}});
  }
  return json{{"schema", kSchema}, {"calls", array}}.dump(-1, ' ', false,
                                                          json::error_handler_t::replace);
}

std::vector<ProfiledCall> CallsFromJson(std::string_view text) {
  const json object = Parsed(text);
  const json schema = object.is_object() ? object.value("schema", json()) : json();
  if (schema != kSchema) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("{}: expected schema {}, found {}: it was written by another version "
                            "of halftone",
                            kWhere, kSchema, Shown(schema.dump())));
  }
  ExpectKeys(object, "the whole", {"calls", "schema"});
  const json& array = object.at("calls");
  Expect(array.is_array(), "calls", "an array", array);
  std::vector<ProfiledCall> calls;
  for (const json& call : array) {
    calls.push_back(CallFrom(call, fmt::format("call {}", calls.size() + 1)));
  }
  if (const std::string flaw = FlawOf(calls); !flaw.empty()) {
    throw Error(ErrorKind::kDatabase, fmt::format("{}: {}", kWhere, flaw));
  }
  return calls;
}

}  // namespace halftone
