// `halftone qaic-compile` and `halftone qaic-exec`: the unchanged command line of the Cloud AI
// compiler. src/qaic parses the words, because its options have one dash.
#include <CLI/CLI.hpp>

#include "src/api/qaic/session.h"
#include "src/cli/command.h"
#include "src/cli/terminal.h"
#include "src/qaic/compile_options.h"
#include "src/qaic/option_table.h"

namespace halftone {
namespace {

void RunQaic(const std::vector<std::string>& words) {
  const ToolCommandLine line = ParseQaicCommandLine(words);
  if (line.help) {
    PrintText(QaicHelp());
    return;
  }
  RunQaicCompile(
      MakeQaicOptions(line),
      {.print = PrintLine, .note = PrintNote, .warn = PrintWarning, .columns = TerminalColumns()});
}

}  // namespace

void DefineQaicCommand(CLI::App& app, int& /*exit_code*/) {
  app.set_help_flag();
  app.set_help_all_flag();
  app.prefix_command();
  app.final_callback([&app] { RunQaic(app.remaining()); });
}

}  // namespace halftone
