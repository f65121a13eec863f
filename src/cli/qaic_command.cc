// `halftone qaic-compile` and `halftone qaic-exec`: the unchanged command line of the Cloud AI
// compiler. src/qaic parses the words, because its options have one dash.
#include <CLI/CLI.hpp>

#include "src/api/qaic/session.h"
#include "src/cli/command.h"
#include "src/cli/interrupt.h"
#include "src/cli/step_progress.h"
#include "src/cli/terminal.h"
#include "src/qaic/compile_options.h"
#include "src/qaic/option_table.h"

namespace halftone {
namespace {

int RunQaic(const std::vector<std::string>& words, QaicTool tool) {
  const ToolCommandLine line = ParseQaicCommandLine(words);
  if (line.help) {
    PrintText(QaicHelp());
    return kExitDone;
  }
  const InterruptGuard interrupt;
  StepProgressLine progress;
  progress.Set("reading the network");
  // A line of the terminal is ended before another is printed.
  const auto behind = [&](auto print) {
    return [&progress, print](std::string_view text) {
      progress.Finish();
      print(text);
    };
  };
  QaicHooks hooks{.print = behind(PrintLine),
                  .note = behind(PrintNote),
                  .warn = behind(PrintWarning),
                  .columns = TerminalColumns()};
  hooks.run.stop_requested = StopRequested;
  hooks.run.on_progress = [&](std::string_view what, std::size_t done, std::size_t planned) {
    progress.Set(what, done, planned);
  };
  RunQaicCompile(MakeQaicOptions(line, tool), hooks);
  return InterruptGuard::Requested() ? kExitInterrupted : kExitDone;
}

}  // namespace

void DefineQaicCommand(CLI::App& app, int& exit_code) {
  app.set_help_flag();
  app.set_help_all_flag();
  app.prefix_command();
  app.final_callback([&app, &exit_code] {
    exit_code = RunQaic(app.remaining(), *ValueIn(kQaicTools, app.get_name()));
  });
}

}  // namespace halftone
