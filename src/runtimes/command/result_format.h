// Formats of results, a row each: that of the contract, and those of tools that are called without
// a wrapper.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/runtimes/command/command_answer.h"

namespace halftone {

// Argument of a format, behind its name and a colon.
enum class FormatArgument : std::uint8_t { kNone, kFile, kExpression };

struct ResultFormatRow {
  std::string_view name;
  FormatArgument argument;
  // True if the tool has an exit status of its own, 3, for a plan that it cannot run. Other tools
  // fail alike for such a plan and for trouble of the machine; a run of float32 then shows whether
  // the machine works.
  bool tells_invalid;
  // Parses the text of the file; for a format without a file, standard output. `argument` is the
  // expression. `where` names the text in messages. Error kUsage, kUnsupported.
  CommandAnswer (*parse)(std::string_view text, std::string_view argument, std::string_view where);
  std::string_view reads;  // what is taken from the text, for the help
};

// The first row is `halftone`. Its JSON object may also stand in the file {result}, instead of on
// standard output.
std::span<const ResultFormatRow> ResultFormats();

struct ResultFormat {
  const ResultFormatRow* row = nullptr;
  std::string argument;  // a path with placeholders, or an expression
};

// Throws Error kUsage: the result file of a format lies where other programs may write too. Each
// call begins by deleting the result file, and such a file must not be deleted. `found` is the path
// that `argument` gives.
[[noreturn]] void ThrowResultPlace(std::string_view argument, std::string_view found);

// Parses a text such as "trtexec:{result}". Error kUsage: a name that is not in the table; an
// argument that is missing or superfluous; a path that is neither {result} nor inside {work} or
// {outputs}; an expression that is too long, cannot be compiled or has no group.
ResultFormat ParseResultFormat(std::string_view text);

}  // namespace halftone
