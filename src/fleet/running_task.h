// Progress of a running task, which its checkpoint writes into the fleet's folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace halftone {

struct RunningTask {
  std::string node;
  // "on n0 since 2026-01-31T12:00:05Z, search, 20 of 200 plans, best 1.40x, 1.20x at 40 dB"
  std::string text;
  bool is_fresh = false;  // true: written less than a minute ago by this machine's clock
};

// Reads FleetFolder::ProgressFile(). Empty: the file is missing or damaged; a running task replaces
// a damaged file within a second.
std::optional<RunningTask> ReadRunningTask(const std::filesystem::path& file);

}  // namespace halftone
