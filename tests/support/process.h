// Runs a program and captures what it prints.
#pragma once

#include <cstdint>
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

// Destination of a standard stream of a program.
enum class Stream : std::uint8_t {
  kCaptured,         // to the result
  kNobodyReads,      // a pipe whose reader was closed before the program started
  kTwoLinesAreRead,  // a pipe whose reader closes after two lines, which are the result
  kAFrontIsRead,     // a pipe whose reader closes after ", front of ", the first front of a search
  kClosed,           // nowhere: the descriptor is not open
  kFull,             // /dev/full: every write fails with "no space left"
  kLikeOutput,       // standard error only: `2>&1`
};

// RunProcess() with both streams captured.
ProcessResult RunProcess(const std::vector<std::string>& arguments,
                         const std::vector<std::pair<std::string, std::string>>& environment,
                         Stream out, Stream err);

// Starts the program and ends it with SIGKILL as soon as `ready` returns true (asked every
// millisecond) or, when it never does, waits for its end. True: it was killed.
bool KillProcessWhen(const std::vector<std::string>& arguments,
                     const std::vector<std::pair<std::string, std::string>>& environment,
                     bool (*ready)(const void*), const void* context);

// Writes `lines` as an executable script of /bin/sh; creates the folder.
void WriteScript(const std::filesystem::path& path, std::string_view lines);

}  // namespace halftone::testing
