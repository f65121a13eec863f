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
  std::filesystem::path log;   // last output of the command is written here; empty: nowhere
  std::filesystem::path lock;  // held while the command runs; empty: none
  bool repeat = true;          // after a timeout and errors; false: the first outcome counts

  [[nodiscard]] std::string& operator[](Placeholder placeholder) {
    return values.at(static_cast<std::size_t>(placeholder));
  }

  [[nodiscard]] const std::string& operator[](Placeholder placeholder) const {
    return values.at(static_cast<std::size_t>(placeholder));
  }
};

// Three calls in a row ended in trouble, of the machine or of what the command left.
struct CommandTrouble {
  std::string reason;     // one sentence
  bool of_files = false;  // the command ended well, and what it left cannot be used
};

struct CommandRun {
  CommandAnswer answer;  // with status ok
  double wall_s = 0;     // from the start of the command to its end
};

// Largest number of calls in a row that may end with the status error.
inline constexpr int kMostErrors = 3;

// Calls the command with an empty {outputs}, without a {result} and in {work}; repeats it once
// after a timeout, and after errors up to kMostErrors. A Rejection when the command says `invalid`
// or has taken too long twice. Waits while another process holds the lock. Error kUsage: it cannot
// be started; kUnsupported: a stop was requested, and the command and what it started have ended;
// kIo.
std::variant<CommandRun, Rejection, CommandTrouble> RunCommand(const CommandOptions& options,
                                                               const CommandCall& call);

}  // namespace halftone
