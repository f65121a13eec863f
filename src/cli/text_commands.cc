// halftone completion, halftone manual: the command table as text for a shell and for man.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "src/api/halftone.h"
#include "src/cli/command.h"
#include "src/cli/command_text.h"
#include "src/cli/terminal.h"

namespace halftone {

void DefineCompletionCommand(CLI::App& app, int& /*exit_code*/) {
  auto shell = std::make_shared<std::string>("bash");
  app.add_option("shell", *shell, "bash or zsh")->capture_default_str();
  app.final_callback(
      [&app, shell] { PrintText(FormatCompletion(DescribeCommand(*app.get_parent()), *shell)); });
}

void DefineManualCommand(CLI::App& app, int& /*exit_code*/) {
  app.final_callback(
      [&app] { PrintText(FormatManual(DescribeCommand(*app.get_parent()), Version())); });
}

}  // namespace halftone
