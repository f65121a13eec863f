// Formats of results: that of the contract, and those of tools that are called without a wrapper.
// A row each.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/runtimes/command/command_answer.h"

namespace halftone {

// Argument of a format, which stands behind its name and a colon.
enum class FormatArgument : std::uint8_t { kNone, kFile, kExpression };

struct ResultFormatRow {
  std::string_view name;
  FormatArgument argument;
  // True if the tool distinguishes a plan that it cannot run (exit status 3) from trouble of the
  // machine. Other tools fail alike for both; a run of float32 then shows whether the machine
  // works.
  bool tells_invalid;
  // Parses the text of the file, or of standard output for a format without a file. `argument` is
  // the expression. `where` names the text. Error kUsage, kUnsupported.
  CommandAnswer (*parse)(std::string_view text, std::string_view argument, std::string_view where);
  std::string_view reads;  // for help: what is taken
};

// `halftone`, whose object may also lie in the file {result}, comes first.
std::span<const ResultFormatRow> ResultFormats();

struct ResultFormat {
  const ResultFormatRow* row = nullptr;
  std::string argument;  // a path with placeholders, or an expression
};

// Throws Error kUsage about the result file of a format: it lies where other programs may write
// too, so that nothing there may be deleted. `found`: the path that the argument gives.
[[noreturn]] void ThrowResultPlace(std::string_view argument, std::string_view found);

// Parses "trtexec:{result}". Error kUsage: a name that is not in the table, an argument that is
// missing or superfluous, a path that leads out of {work}, but for {result} and what lies in
// {outputs}, an expression that cannot be compiled or has no group.
ResultFormat ParseResultFormat(std::string_view text);

}  // namespace halftone
