// Options of `halftone aoe`: those that AOE documents, and some of halftone's own.
#pragma once

#include <span>
#include <string>

#include "src/base/tool_options.h"

namespace halftone {

// Heading of an option in a help text: "  --log <debug,info> (default: info)".
std::string AscendHeading(const ToolOption& option);

// Table of the options: those of AOE in the order of its manual, then options of ATC that are
// refused, then halftone's own.
const ToolTable& AoeTable();

// Parses a command line. Errors as ParseToolOptions(), with the codes of AOE: E10001 and E10005 for
// values, E10056 for options that exclude each other.
ToolCommandLine ParseAoeCommandLine(std::span<const std::string> words);

// Text of `halftone aoe --help`, made from the table.
std::string AoeHelp();

}  // namespace halftone
