// Answer of a measuring command: the JSON object of the contract halftone-measure, version 1
// (docs/guide/measuring_elsewhere.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

enum class CommandStatus : std::uint8_t {
  kOk,
  kInvalid,  // this plan cannot be built or run there
  kError,    // trouble of the machine, which says nothing about the plan
};

struct CommandAnswer {
  CommandStatus status = CommandStatus::kOk;
  // Seconds of each run, in the order taken; positive. With kOk there are one or more.
  std::vector<double> latencies_s;
  // The only latency is a median or mean that the tool made; the spread of its runs is unknown.
  bool is_summary = false;
  std::optional<std::string> outputs;  // folder; empty: the command hands out none
  std::optional<double> compile_s;
  std::string runtime;
  std::string device;
  std::string message;
  std::optional<bool> ran_as_asked;
  std::map<std::string, std::string> ran;  // by name of node: the type that it ran in
  std::string other;  // JSON object of the keys that are unknown here; empty: none

  friend bool operator==(const CommandAnswer&, const CommandAnswer&) = default;
};

// Parses the object. `where` names the text in messages. Error kUsage: no JSON; kUnsupported: a key
// is missing or of another type, or as SecondsOfLatency().
CommandAnswer ParseCommandAnswer(std::string_view text, std::string_view where);

// Returns the seconds of a latency in milliseconds. Error kUnsupported: below a nanosecond or above
// a day.
double SecondsOfLatency(double ms, std::string_view where);

// The last line that begins with a brace; empty if there is none.
std::string_view LastObjectLine(std::string_view text);

}  // namespace halftone
