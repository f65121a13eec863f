// Functions that run another program and read what it prints. Words are passed on without a shell.
// Processes that the program has started end with it, and all of them end with this process
// (src/base/supervised_program.h).
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct ProgramOptions {
  double timeout_s = 600;  // seconds until the program is ended
  // Seconds between SIGTERM and SIGKILL after the timeout, after a stop, and when this process
  // dies. 0: SIGKILL at once.
  double grace_s = 0;
  // Items NAME=value that replace or extend the environment of this process.
  std::vector<std::string> environment = {};
  // True hides a variable of this process from the program. Null: none is hidden.
  std::function<bool(std::string_view name)> hides_variable = {};
  std::filesystem::path folder = {};  // working directory of the program; empty: of this process
  // File to which both streams are appended, in the order in which they are read. It is created if
  // it is missing; its folder must exist. Empty: no log.
  std::filesystem::path log = {};
  std::size_t most_bytes = std::size_t{1} << 20;  // most bytes of each stream in the result
  bool keep_end = false;  // the result has the last bytes of a longer stream; false: the first
  std::function<bool()> stop_requested = {};  // asked at least every 20 ms; true ends the program
};

struct ProgramResult {
  int exit_code = 0;  // 128 + the signal, if a signal ended the program
  int signal = 0;     // 0: the program ended by itself
  bool timed_out = false;
  bool stopped = false;   // ended because of stop_requested()
  double seconds = 0;     // from start to end of the program
  std::string out;        // standard output
  std::string err;        // standard error
  std::string log_error;  // why the log is incomplete, as the system says; empty: it is complete
};

// Runs a program to its end, with an empty standard input and without a terminal. Afterwards,
// processes that it has started and left behind are ended too. Requires at least one word; the
// first is looked up in PATH unless it has a slash. Errors: kUsage, with the system's reason, if
// the program cannot be started; kIo if the log cannot be opened, or the system gives no pipe.
ProgramResult RunProgram(const std::vector<std::string>& words, const ProgramOptions& options);

// Runs a program with the default options and this timeout.
ProgramResult RunProgram(const std::vector<std::string>& words, double timeout_s);

// Runs a program with the streams of this process and in its process group, so that Ctrl-C reaches
// both. The program gets SIGTERM when `stop_requested`, which is asked at least every 20 ms,
// returns true, and when this process dies. Returns the exit code; 128 + the signal, if a signal
// ended the program. Error kUsage as RunProgram().
int RunInPlace(const std::vector<std::string>& words, const std::function<bool()>& stop_requested);

}  // namespace halftone
