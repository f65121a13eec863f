// `halftone atc`: the unchanged command line of ATC, resolved and written as `halftone explain`
// does.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "src/aoe/atc_table.h"
#include "src/cli/command.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

void RunAtc(const std::vector<std::string>& given, int& exit_code) {
  const ToolCommandLine line = ParseToolOptions(AtcTable(), given);
  if (line.help) {
    PrintText(AtcHelp());
    return;
  }
  std::vector<std::string> words = ExplainWordsOf(line);
  for (const std::string& note : line.notes) {
    PrintNote(note);
  }
  PrintNote("no model for a device is made: the plan of this command line, and its files");
  CLI::App explain;
  DefineExplainCommand(explain, exit_code);
  std::ranges::reverse(words);  // the order that CLI11 wants of a vector
  explain.parse(std::move(words));
}

}  // namespace

void DefineAtcCommand(CLI::App& app, int& exit_code) {
  app.set_help_flag();
  app.set_help_all_flag();
  app.prefix_command();
  app.final_callback([&app, &exit_code] { RunAtc(app.remaining(), exit_code); });
}

}  // namespace halftone
