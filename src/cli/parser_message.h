// Messages of the command line parser, rewritten to say what was expected and what was probably
// meant.
#pragma once

#include <string>

#include "src/cli/parser_classes.h"

namespace halftone {

// Message about a parse error of `command` or of its subcommand; CLI11's own if there is no better
// one.
std::string ParserMessage(const CLI::App& command, const CLI::ParseError& error);

}  // namespace halftone
