// Runs another program and reads what it prints. No shell is in between: words are words.
#pragma once

#include <string>
#include <vector>

namespace halftone {

struct ProgramResult {
  int exit_code = 0;  // 128 + the signal that ended it
  bool timed_out = false;
  std::string out;  // the first megabyte of each
  std::string err;
};

// Standard input is empty. After `timeout_s` the program and what it started are killed (they are a
// process group of their own). Requires at least one word; the first is looked up in PATH unless it
// has a slash. Error kUsage: it cannot be started, with the reason of the system.
ProgramResult RunProgram(const std::vector<std::string>& words, double timeout_s);

}  // namespace halftone
