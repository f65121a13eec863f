// Subcommands of `halftone`. Each is defined in a file of its own and has a row in main.cc.
#pragma once

#include <string_view>

#include "src/cli/parser_classes.h"

namespace halftone {

struct CommandRow {
  std::string_view name;
  std::string_view meaning;
  // Adds options to `app`, and a final callback that does the work. The callback sets `exit_code`,
  // which is 0 before, and may throw Error.
  void (*define)(CLI::App& app, int& exit_code);
  // True: the name is that of another tool, and a link of that name to `halftone` runs the command.
  bool is_tool = false;
};

void DefineTuneCommand(CLI::App& app, int& exit_code);
void DefineRetuneCommand(CLI::App& app, int& exit_code);
void DefineRunCommand(CLI::App& app, int& exit_code);
void DefineExplainCommand(CLI::App& app, int& exit_code);
void DefineExportCommand(CLI::App& app, int& exit_code);
void DefineCompareCommand(CLI::App& app, int& exit_code);
void DefineBankCommand(CLI::App& app, int& exit_code);
void DefineFleetCommand(CLI::App& app, int& exit_code);
void DefineAoeCommand(CLI::App& app, int& exit_code);
void DefineAtcCommand(CLI::App& app, int& exit_code);
void DefineQaicCommand(CLI::App& app, int& exit_code);  // qaic-compile and qaic-exec
void DefineCompletionCommand(CLI::App& app, int& exit_code);
void DefineManualCommand(CLI::App& app, int& exit_code);

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailure = 1;         // error of a model, input or database; unsupported
inline constexpr int kExitUsage = 2;           // wrong options
inline constexpr int kExitNoneMeetsBound = 3;  // done, but no point meets the bounds or holds
inline constexpr int kExitGateFailed = 4;      // done, but a --fail_if gate failed
inline constexpr int kExitInconclusive = 5;    // done, but the answer is uncertain
inline constexpr int kExitClosedPipe = 141;    // the reader of standard output is gone
inline constexpr int kExitInterrupted = 130;   // stopped by the user; finished measurements stay
inline constexpr int kExitBug = 70;            // a bug in halftone

}  // namespace halftone
