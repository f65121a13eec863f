#include "src/runtimes/command/result_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <vector>

#include "src/base/error.h"
#include "src/base/limits.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"
#include "src/runtimes/command/command_text.h"

namespace halftone {
namespace {

using nlohmann::json;

// The matcher of the standard library calls itself for each character of a line.
constexpr std::size_t kLongestLine = 4096;

[[noreturn]] void Throw(std::string_view where, std::string_view expected) {
  throw Error(ErrorKind::kUnsupported, fmt::format("{}: expected {}", where, expected));
}

std::optional<double> NumberIn(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// A number, or a text that is one: versions of the tools differ.
std::optional<double> NumberOf(const json& value) {
  if (value.is_number()) {
    return value.get<double>();
  }
  return value.is_string() ? NumberIn(value.get_ref<const std::string&>()) : std::nullopt;
}

// The member of an object; null: it has none, or is no object.
const json* Member(const json* object, std::string_view key) {
  if (object == nullptr || !object->is_object()) {
    return nullptr;
  }
  const auto found = object->find(key);
  return found == object->end() ? nullptr : &*found;
}

CommandAnswer Summary(const json* value, std::string_view expected, std::string_view where) {
  const auto ms = value == nullptr ? std::nullopt : NumberOf(*value);
  if (!ms) {
    Throw(where, expected);
  }
  CommandAnswer answer;
  answer.latencies_s = {SecondsOfLatency(*ms, where)};
  answer.is_summary = true;
  return answer;
}

CommandAnswer ParseHalftone(std::string_view text, std::string_view /*argument*/,
                            std::string_view where) {
  const std::string_view line = LastObjectLine(text);
  if (line.empty()) {
    Throw(where,
          "a line that begins with {, or the file $HALFTONE_RESULT "
          "(docs/guide/measuring_elsewhere.md)");
  }
  return ParseCommandAnswer(line, where);
}

CommandAnswer ParseNumber(std::string_view text, std::string_view /*argument*/,
                          std::string_view where) {
  const std::string_view trimmed = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  const std::size_t line_break = trimmed.rfind('\n');
  const std::string_view line =
      Trim(line_break == std::string_view::npos ? trimmed : trimmed.substr(line_break + 1));
  const auto ms = NumberIn(line);
  if (!ms) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("{}: expected milliseconds in the last line, got '{}'", where, Shown(line)));
  }
  CommandAnswer answer;
  answer.latencies_s = {SecondsOfLatency(*ms, where)};
  answer.is_summary = true;
  return answer;
}

// --exportTimes: a list of runs.
CommandAnswer ParseTrtexec(std::string_view text, std::string_view /*argument*/,
                           std::string_view where) {
  const json runs = ParseStrictJson(text, where);
  CommandAnswer answer;
  if (!runs.is_array() || runs.empty()) {
    Throw(where, "the list of trtexec --exportTimes");
  }
  for (const json& run : runs) {
    const json* const member = Member(&run, "computeMs");
    const auto ms = member == nullptr ? std::nullopt : NumberOf(*member);
    if (!ms) {
      Throw(where, "a number \"computeMs\" in each run of trtexec --exportTimes");
    }
    answer.latencies_s.push_back(SecondsOfLatency(*ms, where));
  }
  return answer;
}

CommandAnswer ParseBenchmarkApp(std::string_view text, std::string_view /*argument*/,
                                std::string_view where) {
  const json report = ParseStrictJson(text, where);
  const json* const results = Member(&report, "execution_results");
  if (const json* const error = Member(results, "error"); error != nullptr && error->is_string()) {
    CommandAnswer answer;
    answer.status = CommandStatus::kError;
    answer.message = error->get<std::string>();
    return answer;
  }
  return Summary(Member(results, "latency_median"),
                 "a number execution_results.latency_median of benchmark_app -json_stats", where);
}

// Seconds of a time with its unit in the layout of hyperfine 2.
std::optional<double> WallClock(const json& measurement) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"s", 1},     {"second", 1},         {"seconds", 1},
      {"ms", 1e-3}, {"millisecond", 1e-3}, {"milliseconds", 1e-3},
      {"us", 1e-6}, {"ns", 1e-9},
  };
  const json* const time = Member(&measurement, "time_wall_clock");
  const json* const value = Member(time, "value");
  const json* const unit = Member(time, "unit");
  const auto number = value == nullptr ? std::nullopt : NumberOf(*value);
  if (!number || unit == nullptr || !unit->is_string()) {
    return std::nullopt;
  }
  for (const auto& [name, seconds] : kUnits) {
    if (unit->get_ref<const std::string&>() == name) {
      return *number * seconds;
    }
  }
  return std::nullopt;
}

CommandAnswer ParseHyperfine(std::string_view text, std::string_view /*argument*/,
                             std::string_view where) {
  const json report = ParseStrictJson(text, where);
  const json* const results = Member(&report, "results");
  if (results == nullptr || !results->is_array() || results->size() != 1) {
    Throw(where, "one command in \"results\" of hyperfine --export-json");
  }
  const json& result = results->front();
  const json* const times = Member(&result, "times");
  const json* const measurements = Member(&result, "measurements");
  CommandAnswer answer;
  const json* const list = times != nullptr ? times : measurements;
  if (list == nullptr || !list->is_array() || list->empty()) {
    Throw(where, "\"times\" in the result of hyperfine --export-json");
  }
  for (const json& element : *list) {
    const auto seconds = times != nullptr ? NumberOf(element) : WallClock(element);
    if (!seconds) {
      Throw(where, "seconds in \"times\" of hyperfine --export-json");
    }
    answer.latencies_s.push_back(SecondsOfLatency(*seconds * 1000, where));
  }
  const json* const codes = Member(&result, "exit_codes");
  if (codes != nullptr && codes->is_array() &&
      std::ranges::any_of(*codes, [](const json& code) { return code != 0; })) {
    answer = {};
    answer.status = CommandStatus::kError;
    answer.message = "a run that hyperfine timed failed";
  }
  return answer;
}

CommandAnswer ParseAisBench(std::string_view text, std::string_view /*argument*/,
                            std::string_view where) {
  const json summary = ParseStrictJson(text, where);
  return Summary(Member(Member(&summary, "NPU_compute_time"), "median"),
                 "a number NPU_compute_time.median in the summary of ais_bench", where);
}

CommandAnswer ParseExpression(std::string_view text, std::string_view argument,
                              std::string_view where) {
  const std::regex expression(std::string(argument), std::regex::ECMAScript);
  CommandAnswer answer;
  for (const std::string_view line : Split(text, '\n')) {
    if (line.size() > kLongestLine) {
      continue;
    }
    for (std::cregex_iterator match(line.data(), line.data() + line.size(), expression), end;
         match != end; ++match) {
      const std::string found = (*match)[1].str();
      const auto ms = NumberIn(found);
      if (!ms) {
        throw Error(ErrorKind::kUnsupported,
                    fmt::format("{}: expected milliseconds in group 1 of '{}', got '{}'", where,
                                Shown(argument), Shown(found)));
      }
      answer.latencies_s.push_back(SecondsOfLatency(*ms, where));
    }
  }
  if (answer.latencies_s.empty()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{}: nothing matches '{}'", where, Shown(argument)));
  }
  answer.is_summary = answer.latencies_s.size() == 1;
  return answer;
}

constexpr ResultFormatRow kFormats[] = {
    {"halftone", FormatArgument::kNone, true, ParseHalftone,
     "the object of the contract, in {result} or the last line that begins with a brace"},
    {"number", FormatArgument::kNone, true, ParseNumber, "the last line: milliseconds"},
    {"trtexec", FormatArgument::kFile, false, ParseTrtexec,
     "computeMs of each run of --exportTimes=FILE"},
    {"benchmark_app", FormatArgument::kFile, false, ParseBenchmarkApp,
     "execution_results.latency_median of -json_stats"},
    {"hyperfine", FormatArgument::kFile, false, ParseHyperfine,
     "times of the one command of --export-json FILE"},
    {"ais_bench", FormatArgument::kFile, false, ParseAisBench,
     "NPU_compute_time.median of ..._summary.json"},
    {"regex", FormatArgument::kExpression, true, ParseExpression,
     "group 1 of each match in a line: milliseconds"},
};

std::string FormText(const ResultFormatRow& row) {
  switch (row.argument) {
    case FormatArgument::kNone:
      return std::string(row.name);
    case FormatArgument::kFile:
      return fmt::format("{}:FILE", row.name);
    case FormatArgument::kExpression:
      break;
  }
  return fmt::format("{}:EXPRESSION", row.name);
}

void CheckExpression(const std::string& text) {
  if (text.size() > limits::kMostExpressionBytes) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--measure_format: expected a regular expression of at most {} bytes, "
                            "found one of {}",
                            limits::kMostExpressionBytes, text.size()));
  }
  try {
    if (std::regex(text, std::regex::ECMAScript).mark_count() > 0) {
      return;
    }
  } catch (const std::regex_error& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--measure_format: '{}' is no regular expression: {}", Shown(text),
                            error.what()));
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("--measure_format: expected a group around the milliseconds in '{}', as "
                          "in 'median = ([0-9.]+)'",
                          Shown(text)));
}

// Whether a path with placeholders lies in {work} or {outputs}, or is {result}, as far as the text
// says: links are looked at before each call.
bool StaysWithCommand(const std::string& argument) {
  namespace fs = std::filesystem;
  PlaceholderValues roots;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    roots.at(i) = fmt::format("/{}", kPlaceholders[i].name);
  }
  for (const Placeholder word : {Placeholder::kRuns, Placeholder::kWarmup, Placeholder::kSeconds,
                                 Placeholder::kPoint, Placeholder::kRole}) {
    roots.at(static_cast<std::size_t>(word)).erase(0, 1);
  }
  const auto root = [&](Placeholder place) {
    return fs::path(roots.at(static_cast<std::size_t>(place)));
  };
  const fs::path path =
      (root(Placeholder::kWork) / FillPlaceholders(argument, roots, "--measure_format"))
          .lexically_normal();
  const auto inside = [&](Placeholder place) {
    const fs::path relative = path.lexically_relative(root(place));
    return path.has_filename() && relative != "." && *relative.begin() != "..";
  };
  return path == root(Placeholder::kResult) || inside(Placeholder::kWork) ||
         inside(Placeholder::kOutputs);
}

}  // namespace

void ThrowResultPlace(std::string_view argument, std::string_view found) {
  throw Error(
      ErrorKind::kUsage,
      fmt::format("--measure_format: expected a file that the command alone writes, {{result}} "
                  "or a path inside {{work}}, since what lies there is deleted before each "
                  "call; got '{}'{}",
                  Shown(argument),
                  found == argument ? "" : fmt::format(", which is '{}'", Shown(found))));
}

std::span<const ResultFormatRow> ResultFormats() {
  return kFormats;
}

ResultFormat ParseResultFormat(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto* const row =
      std::ranges::find(kFormats, text.substr(0, colon), &ResultFormatRow::name);
  const std::string argument(colon == std::string_view::npos ? "" : text.substr(colon + 1));
  if (row == std::end(kFormats) ||
      (row->argument == FormatArgument::kNone) != (colon == std::string_view::npos) ||
      (row->argument != FormatArgument::kNone && argument.empty())) {
    std::vector<std::string> forms;
    for (const ResultFormatRow& other : kFormats) {
      forms.push_back(FormText(other));
    }
    throw Error(ErrorKind::kUsage, fmt::format("--measure_format: expected one of {}, got '{}'",
                                               Join(forms, ", "), Shown(text)));
  }
  if (row->argument == FormatArgument::kExpression) {
    CheckExpression(argument);
  }
  if (row->argument == FormatArgument::kFile && !StaysWithCommand(argument)) {
    ThrowResultPlace(argument, argument);
  }
  return {.row = row, .argument = argument};
}

}  // namespace halftone
