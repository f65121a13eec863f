// halftone <command> --name=value: parses, calls the API, prints errors once, chooses the exit
// code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/output_file.h"
#include "src/base/path_error.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/command_text.h"
#include "src/cli/exit_code.h"
#include "src/cli/file_size_limit.h"
#include "src/cli/out_of_memory.h"
#include "src/cli/parser_message.h"
#include "src/cli/prepare_words.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

constexpr std::size_t kMostHelpColumns = 120;  // longer lines are hard to read

constexpr CommandRow kCommands[] = {
    {"tune", "Search precisions, print the Pareto front, write configuration files and a report",
     DefineTuneCommand},
    {"retune",
     "Measure a tuned front again after an upgrade or on other data: does what was shipped hold?",
     DefineRetuneCommand},
    {"run", "Run one configuration: accuracy against fp32, and latency; or check expected outputs",
     DefineRunCommand},
    {"explain", "Resolve options to a plan without running: dtypes, implementation modes, and why",
     DefineExplainCommand},
    {"export",
     "Write the network with its plan as files of other tools: ONNX, encodings, types of layers",
     DefineExportCommand},
    {"compare", "Compare two fronts, points or knowledge bases: what moved, and in which node",
     DefineCompareCommand},
    {"bank", "List, show, merge, verify, prune, export or import what a knowledge base holds",
     DefineBankCommand},
    {"fleet", "Tune many networks on many machines: submit, status, resume, report, retune",
     DefineFleetCommand},
    {"aoe", "Tune with the options of Ascend AOE: halftone aoe --model=m.onnx --job_type=2",
     DefineAoeCommand, true},
    {"atc",
     "Explain and write what the options of ATC ask for: halftone atc --model=m.onnx --framework=5",
     DefineAtcCommand, true},
    {"qaic-compile",
     "Run the options of the Cloud AI compiler: halftone qaic-compile -m=m.onnx -convert-to-fp16",
     DefineQaicCommand, true},
    {"qaic-exec", "The same as qaic-compile, under its older name", DefineQaicCommand, true},
    {"completion", "Print a completion script for the shell: source <(halftone completion bash)",
     DefineCompletionCommand},
    {"manual", "Print the manual page: halftone manual | man -l -", DefineManualCommand},
};

// "halftone bank list".
std::string PathOf(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent != nullptr ? PathOf(*parent) + " " : "") + command.get_name();
}

// The words behind the program's name, behind the command that a link to the program is named for.
std::vector<std::string> GivenWords(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const std::string name = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "";
  if (std::ranges::any_of(kCommands,
                          [&](const CommandRow& row) { return row.is_tool && row.name == name; })) {
    words.insert(words.begin(), name);
  }
  return words;
}

// CLI11's texts of --help and --version, and its messages, made to say which command and what to
// do. The exit code.
int AnswerParser(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {  // --help, --version
    std::ostringstream text;
    app.exit(error, text, text);
    PrintText(text.str());
    return kExitDone;
  }
  std::vector<std::string> names;
  for (const CommandRow& row : kCommands) {
    names.emplace_back(row.name);
  }
  if (app.get_subcommands().empty()) {
    PrintErrorLine(fmt::format("error: {}; expected a command: {}; see halftone --help",
                               error.what(), Join(names, ", ")));
  } else {
    const CLI::App& command = *app.get_subcommands().front();
    const std::string message = ParserMessage(command, error);
    // The code that ATC has for a required option that is missing.
    const bool missing =
        dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && message == error.what();
    PrintErrorLine(fmt::format("error: {}{}; see halftone {} --help", missing ? "E10054: " : "",
                               message, command.get_name()));
  }
  return kExitUsage;
}

// `exit_code`, unless something of standard output could not be written.
int JudgeOutput(int exit_code) {
  const int code = OutputError();
  if (code == 0) {
    return exit_code;
  }
  if (code == EPIPE) {
    return kExitClosedPipe;  // `halftone ... | head` has all it wants
  }
  PrintErrorLine(
      fmt::format("error: standard output could not be written: {}", std::strerror(code)));
  return kExitFailure;
}

int Main(int argc, char** argv) {
  std::signal(SIGCHLD, SIG_DFL);  // where it is ignored, children cannot be waited for
  PrepareStandardStreams();
  HandleFileSizeSignals();
  PrepareForLackOfMemory();
  CLI::App app("halftone finds the fastest mix of precisions that keeps an ONNX network accurate.",
               "halftone");
  app.set_version_flag("--version", VersionText);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 model, file, database or unsupported, 2 usage, 3 nothing measured, "
      "bounds not met or not promised, 4 a gate of --fail_if failed, 5 inconclusive, 70 bug, 130 "
      "interrupted, 141 nobody reads standard output.");
  // Commands inherit both.
  app.set_help_all_flag("--help-all", "Print all options of a command and exit");
  app.formatter_fn([](const CLI::App* command, const std::string&, CLI::AppFormatMode mode) {
    return FormatHelp(DescribeCommand(*command), PathOf(*command), mode == CLI::AppFormatMode::All,
                      std::min(TerminalColumns(), kMostHelpColumns));
  });
  int exit_code = kExitDone;
  for (const CommandRow& row : kCommands) {
    CLI::App* command = app.add_subcommand(std::string(row.name), std::string(row.meaning));
    row.define(*command, exit_code);
  }
  try {
    const std::vector<std::string> given = GivenWords(argc, argv);
    RequireKnownCommand(app, given);
    std::vector<std::string> words = PrepareWords(app, given);
    std::reverse(words.begin(), words.end());  // the order that CLI11 wants of a vector
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return JudgeOutput(AnswerParser(app, error));
  } catch (const ClosedPipe& error) {
    PrintErrorLine(fmt::format("error: {}", error.what()));
    return kExitClosedPipe;
  } catch (const StoppedByUser& error) {
    PrintErrorLine(fmt::format("interrupted: {}", error.what()));
    return NobodyReadsOutput() ? kExitClosedPipe : kExitInterrupted;
  } catch (const Error& error) {
    PrintErrorLine(fmt::format("error: {}", error.what()));
    return ExitCodeOf(error.kind());
  } catch (const std::exception& error) {
    if (const int code = PrintLackOfSystem(error); code != 0) {
      return code;
    }
    if (const auto* of_path = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
      PrintErrorLine(fmt::format("error: {}", SentenceOf(*of_path)));
      return kExitFailure;
    }
    if (dynamic_cast<const std::system_error*>(&error) != nullptr) {
      PrintErrorLine(fmt::format("error: {}", error.what()));
      return kExitFailure;
    }
    PrintErrorLine(
        fmt::format("error: internal error: {}; please report this as a bug", error.what()));
    return kExitBug;
  }
  return JudgeOutput(exit_code);
}

}  // namespace
}  // namespace halftone

int main(int argc, char** argv) {
  return halftone::Main(argc, argv);
}
