// Runs another program and reads what it prints. No shell is in between: words are words.
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
  // Seconds between SIGTERM and SIGKILL at the timeout and at a stop; 0: SIGKILL at once.
  double grace_s = 0;
  // Words NAME=value, in place of those of this process or beside them.
  std::vector<std::string> environment = {};
  // Whether the program does not get a variable of this process; null: it gets all.
  std::function<bool(std::string_view name)> hides_variable = {};
  std::filesystem::path folder = {};  // the program starts in it; empty: in that of this process
  // A file to which both streams are appended while the program runs, in the order in which they
  // are read; made where it is missing, in a folder that exists. Empty: none. Result::out and ::err
  // are kept as without it.
  std::filesystem::path log = {};
  std::size_t most_bytes = std::size_t{1} << 20;  // kept of each stream...
  bool keep_end = false;                          // ...of its end; false: of its begin
  bool kill_remaining = false;  // what it started and left behind is killed when it has ended
  std::function<bool()> stop_requested = {};  // polled; true: as at the timeout
  // Only for a program that calls EndWithParent() (src/base/end_with_parent.h), as `halftone` does,
  // and is started by itself, with no shell in between: it gets SIGTERM when this process dies.
  bool end_with_parent = false;
};

struct ProgramResult {
  int exit_code = 0;  // 128 + the signal that ended it
  int signal = 0;     // that signal; 0: it ended by itself
  bool timed_out = false;
  bool stopped = false;  // stop_requested() said so
  double seconds = 0;    // from its start to its end
  std::string out;
  std::string err;
  std::string log_error;  // why the log lacks the rest, of the system; empty: it is complete
};

// Standard input is empty. After the timeout the program and what it started are killed (they are a
// process group of their own). Requires at least one word; the first is looked up in PATH unless it
// has a slash. Errors: kUsage, it cannot be started, with the reason of the system; kIo, the log
// cannot be opened.
ProgramResult RunProgram(const std::vector<std::string>& words, const ProgramOptions& options);

// The first megabyte of each stream; SIGKILL at the timeout.
ProgramResult RunProgram(const std::vector<std::string>& words, double timeout_s);

// Runs a program that reads and prints where this process does, in its process group: Ctrl-C
// reaches both. It ends with this process, as by end_with_parent, and gets SIGTERM once
// `stop_requested`, which is polled, says so. The exit code; 128 + the signal that ended it.
// Errors: kUsage as above; kIo where SIGCHLD is ignored.
int RunInPlace(const std::vector<std::string>& words, const std::function<bool()>& stop_requested);

}  // namespace halftone
