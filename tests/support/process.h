// Runs a program and captures what it prints.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halftone::testing {

struct ProcessResult {
  int exit_code = -1;  // 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

// Waits for the end. `environment` adds or replaces variables.
ProcessResult RunProcess(const std::vector<std::string>& arguments,
                         const std::vector<std::pair<std::string, std::string>>& environment = {});

// Starts the program and ends it with SIGKILL as soon as `ready` returns true (asked every
// millisecond) or, when it never does, waits for its end. True: it was killed.
bool KillProcessWhen(const std::vector<std::string>& arguments,
                     const std::vector<std::pair<std::string, std::string>>& environment,
                     bool (*ready)(const void*), const void* context);

// Writes `lines` as a program of /bin/sh that its owner may run, in a folder that is made if
// missing.
void WriteScript(const std::filesystem::path& path, std::string_view lines);

}  // namespace halftone::testing
