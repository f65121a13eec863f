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
  std::vector<double> latencies_s;  // seconds a run, in the order taken; positive; with kOk
  // The only latency is a median or mean of the tool: how far its runs spread is unknown.
  bool is_summary = false;
  std::optional<std::string> outputs;  // folder; empty: it hands out none
  std::optional<double> compile_s;
  std::string runtime;
  std::string device;
  std::string message;
  std::optional<bool> ran_as_asked;
  std::map<std::string, std::string> ran;  // type by name of node
  std::string other;                       // JSON object of the keys not known here; empty: none

  friend bool operator==(const CommandAnswer&, const CommandAnswer&) = default;
};

// Parses the object. `where` names the text in messages. Error kUsage: no JSON; kUnsupported: a key
// is missing or of another type, or a latency is no positive number.
CommandAnswer ParseCommandAnswer(std::string_view text, std::string_view where);

// Checks a latency in milliseconds and returns its seconds. Error kUnsupported.
double SecondsOfLatency(double ms, std::string_view where);

// The last line that begins with a brace; empty: there is none.
std::string_view LastObjectLine(std::string_view text);

}  // namespace halftone
