#include "src/fleet/running_task.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <system_error>

#include "src/base/file.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::chrono::minutes kFresh{1};

bool IsFresh(const fs::path& file) {
  std::error_code code;
  const fs::file_time_type written = fs::last_write_time(file, code);
  return !code && fs::file_time_type::clock::now() - written < kFresh;
}

}  // namespace

std::optional<RunningTask> ReadRunningTask(const fs::path& file) {
  std::error_code code;
  if (!fs::exists(file, code)) {
    return std::nullopt;
  }
  try {
    const Json json = Json::parse(ReadFile(file));
    RunningTask task = {.node = json.at("node"), .text = {}, .is_fresh = IsFresh(file)};
    task.text = fmt::format("on {} since {}", task.node, json.at("begin").get<std::string>());
    if (const int attempt = json.at("attempt"); attempt > 1) {
      task.text += fmt::format(", attempt {}", attempt);
    }
    return task;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace halftone
