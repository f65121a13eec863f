// The options of `halftone aoe`: those that AOE documents, and a few of ours.
#pragma once

#include <span>
#include <string>

#include "src/base/tool_options.h"

namespace halftone {

// An option as a heading of a help text: "  --log <debug,info> (default: info)".
std::string AscendHeading(const ToolOption& option);

// In the order of AOE's manual, ours last.
const ToolTable& AoeTable();

// Errors as ParseToolOptions(), with AOE's codes: E10001 and E10005 for values, E10056 for options
// that exclude each other.
ToolCommandLine ParseAoeCommandLine(std::span<const std::string> words);

// The text of `halftone aoe --help`, from the table.
std::string AoeHelp();

}  // namespace halftone
