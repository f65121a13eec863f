#include "src/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "src/base/shell_words.h"
#include "src/base/text.h"

namespace halftone {

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
