// Wraps option descriptions so that --help reads well on a terminal of 100 columns.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}  // namespace CLI

namespace halftone {

// `text` with line breaks in place of blanks so that no line is longer than `columns`, unless one
// word is.
std::string Wrap(std::string_view text, std::size_t columns);

// Applies Wrap to every description of `app` and its subcommands.
void WrapHelp(CLI::App& app);

}  // namespace halftone
