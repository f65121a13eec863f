// Messages of the command line's parser, made to say what was expected and what was probably meant.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace halftone {

// CLI11's message about `command` (or a command inside it), or a better one.
std::string ParserMessage(const CLI::App& command, const CLI::ParseError& error);

}  // namespace halftone
