// One call of a measuring command, by the rules of the contract: statuses, repetitions, results.
#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "search/trial/trial.h"
#include "src/runtimes/command/command_answer.h"
#include "src/runtimes/command/command_options.h"
#include "src/runtimes/command/command_text.h"

namespace halftone {

struct CommandCall {
  PlaceholderValues values;
  std::filesystem::path log;   // file for the end of the command's output; empty: none
  std::filesystem::path lock;  // held while the command runs; empty: none
  bool repeat = true;          // after a timeout or errors; false: the first outcome counts

  [[nodiscard]] std::string& operator[](Placeholder placeholder) {
    return values.at(static_cast<std::size_t>(placeholder));
  }

  [[nodiscard]] const std::string& operator[](Placeholder placeholder) const {
    return values.at(static_cast<std::size_t>(placeholder));
  }
};

// Trouble of the machine, or of the files that the command left: kMostErrors calls in a row failed,
// or the only call if CommandCall::repeat is false.
struct CommandTrouble {
  std::string reason;     // one sentence
  bool of_files = false;  // the command ended well, but files that it left cannot be used
};

struct CommandRun {
  CommandAnswer answer;  // its status is kOk
  double wall_s = 0;     // from the start of the command to its end
};

// Most calls in a row that may fail.
inline constexpr int kMostErrors = 3;

// Calls the command in {work}, with an empty {outputs} and without a {result}. Repeats the call
// once after a timeout, and up to kMostErrors calls after errors. A Rejection if the command says
// `invalid`, or takes too long twice. Waits while another process holds the lock. Error kUsage: the
// command cannot be started, or its result file lies elsewhere; kUnsupported: a stop was requested,
// and the command has ended with all that it started; kIo.
std::variant<CommandRun, Rejection, CommandTrouble> RunCommand(const CommandOptions& options,
                                                               const CommandCall& call);

}  // namespace halftone
