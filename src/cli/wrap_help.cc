#include "src/cli/wrap_help.h"

#include <CLI/CLI.hpp>

#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::size_t kLineColumns = 100;
constexpr std::size_t kNameColumns = 30;  // CLI11's column of option names

}  // namespace

std::string Wrap(std::string_view text, std::size_t columns) {
  std::string wrapped;
  std::size_t column = 0;
  for (const std::string_view word : Split(text, ' ')) {
    if (column > 0 && column + 1 + word.size() > columns) {
      wrapped += '\n';
      column = 0;
    } else if (column > 0) {
      wrapped += ' ';
      ++column;
    }
    wrapped += word;
    column += word.size();
  }
  return wrapped;
}

void WrapHelp(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    option->description(Wrap(option->get_description(), kLineColumns - kNameColumns));
  }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    command->description(Wrap(command->get_description(), kLineColumns - kNameColumns));
    WrapHelp(*command);
  }
}

}  // namespace halftone
