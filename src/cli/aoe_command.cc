// `halftone aoe`: the unchanged command line of Ascend AOE. src/aoe parses the words, because its
// rules (--reload[=path], -m only with a blank) differ from those of the other commands.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "src/aoe/aoe_words.h"
#include "src/aoe/job.h"
#include "src/aoe/option_table.h"
#include "src/aoe/result_file.h"
#include "src/aoe/result_text.h"
#include "src/aoe/session.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/interrupt.h"
#include "src/cli/latency_budget.h"
#include "src/cli/point_option.h"
#include "src/cli/progress.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string Timestamp() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return fmt::format("{:%Y%m%d%H%M%S}{:03}",
                     fmt::localtime(static_cast<std::time_t>(milliseconds / 1000)),
                     milliseconds % 1000);
}

struct OutcomeRow {
  AoeOutcome outcome;
  int exit_code;
};

constexpr OutcomeRow kExitCodes[] = {
    {AoeOutcome::kDone, kExitDone},
    {AoeOutcome::kNoneMeetsBound, kExitNoneMeetsBound},
    {AoeOutcome::kInterrupted, kExitInterrupted},
    {AoeOutcome::kFailed, kExitFailure},
};

void ReadResult(const ToolCommandLine& line) {
  constexpr std::uintmax_t kMostResultBytes = 64U << 20U;  // of an operator in 2 KiB: 32,768
  for (const auto& [name, values] : line.values) {
    if (name != "read_result") {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("--read_result shows a file and tunes nothing; leave --{} out", name));
    }
  }
  const std::string path = line.Get("read_result");
  PrintText(AoeResultText(ParseAoeResult(ReadSmallFile(path, kMostResultBytes), path),
                          TerminalColumns()));
}

// A job, with messages in the options that aoe has.
AoeOutcome RunInWords(const AoeJob& job, const AoeHooks& hooks) {
  try {
    return RunAoeJob(job, hooks);
  } catch (const Error& error) {
    throw Error(error.kind(), InWordsOfAoe(error.what()));
  }
}

void RunAoe(const std::vector<std::string>& words, int& exit_code) {
  const auto time = std::make_shared<TimeBudget>();
  const ToolCommandLine line = ParseAoeCommandLine(words);
  if (line.help) {
    PrintText(AoeHelp());
    return;
  }
  if (line.Has("read_result")) {
    ReadResult(line);
    return;
  }
  AoeJob job = MakeAoeJob(line, {.tune_bank_path = Variable("TUNE_BANK_PATH"),
                                 .ascend_cache_path = Variable("ASCEND_CACHE_PATH"),
                                 .ascend_work_path = Variable("ASCEND_WORK_PATH"),
                                 .repeat_tune = Variable("REPEAT_TUNE"),
                                 .home = Variable("HOME"),
                                 .current_folder = std::filesystem::current_path()});
  job.operator_budget_s *= TakeLatencyBudget(job.measure);
  for (const std::string& note : job.notes) {
    PrintNote(note);
  }
  for (const std::string& warning : job.warnings) {
    PrintWarning(warning);
  }
  PrintAdvice(job.precision);
  const InterruptGuard interrupt;
  std::unique_ptr<ProgressLine> progress;
  AoeHooks hooks{
      .time = time,
      .print = PrintLine,
      .warn = [](std::string_view text) { PrintWarning(InWordsOfAoe(text)); },
      .stop_requested = StopRequested,
      .timestamp = Timestamp,
      .process_id = ::getpid(),
      .command = fmt::format("halftone aoe {}", Join(words, " ")),
      .columns = TerminalColumns(),
  };
  if (job.progress_bar) {
    const auto show = [&](const auto& now) {
      if (progress == nullptr) {
        progress = std::make_unique<ProgressLine>(0, VocabularyOfTarget("host"));
      }
      progress->Show(now);
    };
    hooks.on_progress = show;
    hooks.on_operators = show;
    hooks.on_progress_end = [&] {
      if (progress != nullptr) {
        progress->Finish();
        progress.reset();
      }
    };
  }
  const AoeOutcome outcome = RunInWords(job, hooks);
  for (const OutcomeRow& row : kExitCodes) {
    if (row.outcome == outcome) {
      exit_code = row.exit_code;
    }
  }
}

}  // namespace

void DefineAoeCommand(CLI::App& app, int& exit_code) {
  app.set_help_flag();
  app.prefix_command();
  app.final_callback([&app, &exit_code] { RunAoe(app.remaining(), exit_code); });
}

}  // namespace halftone
