// Runs another program and reads what it prints. No shell is in between: words are words. It ends
// with all that it started, and with this process (src/base/supervised_program.h).
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct ProgramOptions {
  double timeout_s = 600;
  // Seconds between SIGTERM and SIGKILL at the timeout, at a stop and when this process dies; 0:
  // SIGKILL at once.
  double grace_s = 0;
  // Words NAME=value that replace variables of this process or add to them.
  std::vector<std::string> environment = {};
  // True hides a variable of this process from the program; null: it gets all.
  std::function<bool(std::string_view name)> hides_variable = {};
  std::filesystem::path folder = {};  // the program starts in it; empty: in that of this process
  // A file to which both streams are appended while the program runs, in the order in which they
  // are read; made where it is missing, in a folder that exists. Empty: none. Result::out and ::err
  // are kept as without it.
  std::filesystem::path log = {};
  std::size_t most_bytes = std::size_t{1} << 20;  // kept of each stream...
  bool keep_end = false;                          // ...of its end; false: of its begin
  std::function<bool()> stop_requested = {};      // polled; true: as at the timeout
};

struct ProgramResult {
  int exit_code = 0;  // 128 + the signal that ended it
  int signal = 0;     // that signal; 0: it ended by itself
  bool timed_out = false;
  bool stopped = false;  // stop_requested() said so
  double seconds = 0;    // from its start to its end
  std::string out;
  std::string err;
  std::string log_error;  // the system's reason why the log lacks the rest; empty: it is complete
};

// Standard input is empty, and there is no terminal. After the timeout the program is killed. When
// it has ended, all processes that it started and left behind are ended, wherever they hide.
// Requires at least one word; the first is looked up in PATH unless it has a slash. Errors: kUsage,
// it cannot be started, with the reason of the system; kIo, the log cannot be opened.
ProgramResult RunProgram(const std::vector<std::string>& words, const ProgramOptions& options);

// The first megabyte of each stream; SIGKILL at the timeout.
ProgramResult RunProgram(const std::vector<std::string>& words, double timeout_s);

// Runs a program with the streams of this process and in its process group: Ctrl-C reaches both. It
// gets SIGTERM when `stop_requested`, which is polled, returns true, and when this process dies.
// Returns the exit code; 128 + the signal that ended it. Error kUsage as RunProgram().
int RunInPlace(const std::vector<std::string>& words, const std::function<bool()>& stop_requested);

}  // namespace halftone
