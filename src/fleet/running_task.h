// Progress of a running task, as its checkpoint shows it in the fleet's folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace halftone {

struct RunningTask {
  std::string node;
  std::string text;       // "on n0 since 12:00:05, search, 20 of 200 plans, best 1.4x at 43 dB"
  bool is_fresh = false;  // replaced less than a minute ago, by this machine's clock
};

// Empty: no such file, or a damaged one, which the next second replaces.
std::optional<RunningTask> ReadRunningTask(const std::filesystem::path& file);

}  // namespace halftone
