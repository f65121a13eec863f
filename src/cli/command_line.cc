#include "src/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "src/base/text.h"

namespace halftone {
namespace {

// For a shell: quoted where a character of it means something there ("sqnr_db<40").
std::string ShellWord(const std::string& word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=.,:/@%";
  if (word.find_first_not_of(kPlain) == std::string::npos) {
    return word;
  }
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

}  // namespace

std::string CommandLine(const CLI::App& app) {
  std::string text = "halftone " + app.get_name();
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() > 0) {
      text += option->get_type_size() == 0
                  ? fmt::format(" {}", option->get_name())
                  : " " + ShellWord(fmt::format("{}={}", option->get_name(),
                                                Join(option->results(), ",")));
    }
  }
  return text;
}

}  // namespace halftone
