#include "src/runtimes/command/command_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "src/base/enum_table.h"
#include "src/base/error.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"

namespace halftone {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;  // of the contract

// Less is no time of a run, which takes a few cycles of a clock of some GHz; more is longer than
// any call may take.
constexpr double kLeastLatencyMs = 1e-6;
constexpr double kMostLatencyMs = 86400e3;

constexpr EnumRow<CommandStatus> kStatuses[] = {
    {CommandStatus::kOk, "ok", ""},
    {CommandStatus::kInvalid, "invalid", ""},
    {CommandStatus::kError, "error", ""},
};

[[noreturn]] void Throw(std::string_view where, std::string_view expected, const json& found) {
  throw Error(ErrorKind::kUnsupported,
              fmt::format("{}: expected {}, got {}", where, expected,
                          Shown(found.dump(-1, ' ', false, json::error_handler_t::replace))));
}

// Readers of the keys; each gets the value and says what it expects otherwise.
using Reader = void (*)(const json& value, std::string_view where, CommandAnswer& answer);

void ReadVersion(const json& value, std::string_view where, CommandAnswer& /*answer*/) {
  if (!value.is_number_integer() || value != kVersion) {
    Throw(where, fmt::format("\"halftone_measure\": {}", kVersion), value);
  }
}

void ReadStatus(const json& value, std::string_view where, CommandAnswer& answer) {
  for (const auto& row : kStatuses) {
    if (value.is_string() && value.get_ref<const std::string&>() == row.name) {
      answer.status = row.value;
      return;
    }
  }
  Throw(where, "\"status\": \"ok\", \"invalid\" or \"error\"", value);
}

void ReadLatencies(const json& value, std::string_view where, CommandAnswer& answer) {
  if (!value.is_array()) {
    Throw(where, "\"latency_ms\": a list of numbers", value);
  }
  for (const json& latency : value) {
    if (!latency.is_number()) {
      Throw(where, "numbers in \"latency_ms\"", latency);
    }
    answer.latencies_s.push_back(SecondsOfLatency(latency.get<double>(), where));
  }
}

template <std::string CommandAnswer::*member>
void ReadText(const json& value, std::string_view where, CommandAnswer& answer) {
  if (!value.is_string()) {
    Throw(where, "a string as \"runtime\", \"device\" and \"message\"", value);
  }
  answer.*member = value.get<std::string>();
}

void ReadOutputs(const json& value, std::string_view where, CommandAnswer& answer) {
  if (!value.is_null() && !value.is_string()) {
    Throw(where, "a folder as \"outputs\"", value);
  }
  if (value.is_string() && !value.get_ref<const std::string&>().empty()) {
    answer.outputs = value.get<std::string>();
  }
}

void ReadCompileTime(const json& value, std::string_view where, CommandAnswer& answer) {
  if (value.is_null()) {
    return;
  }
  if (!value.is_number() || !(value.get<double>() >= 0) ||
      !(value.get<double>() <= kMostLatencyMs / 1000)) {
    Throw(where, "seconds, a day at most, as \"compile_s\"", value);
  }
  answer.compile_s = value.get<double>();
}

void ReadAsAsked(const json& value, std::string_view where, CommandAnswer& answer) {
  if (value.is_null()) {
    return;
  }
  if (!value.is_boolean()) {
    Throw(where, "true or false as \"ran_as_asked\"", value);
  }
  answer.ran_as_asked = value.get<bool>();
}

void ReadRan(const json& value, std::string_view where, CommandAnswer& answer) {
  if (!value.is_object() ||
      std::ranges::any_of(value, [](const json& type) { return !type.is_string(); })) {
    Throw(where, "an object of types by node as \"ran\"", value);
  }
  answer.ran = value.get<std::map<std::string, std::string>>();
}

struct KeyRow {
  std::string_view name;
  Reader read;
};

constexpr KeyRow kKeys[] = {
    {"halftone_measure", ReadVersion},
    {"status", ReadStatus},
    {"latency_ms", ReadLatencies},
    {"outputs", ReadOutputs},
    {"compile_s", ReadCompileTime},
    {"runtime", ReadText<&CommandAnswer::runtime>},
    {"device", ReadText<&CommandAnswer::device>},
    {"message", ReadText<&CommandAnswer::message>},
    {"ran_as_asked", ReadAsAsked},
    {"ran", ReadRan},
};

}  // namespace

CommandAnswer ParseCommandAnswer(std::string_view text, std::string_view where) {
  const json object = ParseStrictJson(text, where);
  if (!object.is_object()) {
    Throw(where, "an object", object);
  }
  for (const char* key : {"halftone_measure", "status"}) {
    if (!object.contains(key)) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("{}: expected the key \"{}\" (docs/guide/measuring_elsewhere.md)",
                              where, key));
    }
  }
  CommandAnswer answer;
  json other = json::object();
  for (const auto& [key, value] : object.items()) {
    const auto* const row = std::ranges::find(kKeys, key, &KeyRow::name);
    if (row == std::end(kKeys)) {
      other[key] = value;
    } else {
      row->read(value, where, answer);
    }
  }
  if (!other.empty()) {
    answer.other = other.dump();
  }
  if (answer.status == CommandStatus::kOk && answer.latencies_s.empty()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{}: expected one latency or more in \"latency_ms\" with status \"ok\"",
                            where));
  }
  return answer;
}

double SecondsOfLatency(double ms, std::string_view where) {
  if (!(ms >= kLeastLatencyMs && ms <= kMostLatencyMs)) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{}: expected latencies of {} ms (a nanosecond) to {} ms (a day), got "
                            "{}",
                            where, kLeastLatencyMs, kMostLatencyMs, ms));
  }
  return ms / 1000;
}

std::string_view LastObjectLine(std::string_view text) {
  for (std::size_t end = text.size(); end > 0;) {
    const std::size_t line_break = text.rfind('\n', end - 1);
    const std::size_t begin = line_break == std::string_view::npos ? 0 : line_break + 1;
    const std::string_view line = Trim(text.substr(begin, end - begin));
    if (line.starts_with('{')) {
      return line;
    }
    end = line_break == std::string_view::npos ? 0 : line_break;
  }
  return {};
}

}  // namespace halftone
