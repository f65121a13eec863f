#include "src/fleet/running_task.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <system_error>

#include "src/api/progress_record.h"
#include "src/base/file.h"
#include "src/base/strict_json.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::chrono::minutes kFresh{1};
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 20;
constexpr int kShown_db = 40;
constexpr std::string_view kBoundShown = "min_sqnr_db=40";

bool IsFresh(const fs::path& file) {
  std::error_code code;
  const fs::file_time_type written = fs::last_write_time(file, code);
  return !code && fs::file_time_type::clock::now() - written < kFresh;
}

// ", search, 20 of 200 plans, best 1.40x, at 40 dB 1.20x"
std::string TextOf(const ProgressRecord& progress) {
  std::string text = fmt::format(", {}", NameOf(progress.phase));
  if (const std::uint64_t plans = progress.plans_measured + progress.plans_known; plans > 0) {
    text += fmt::format(
        ", {}{} plans", plans,
        progress.plans_planned ? fmt::format(" of {}", *progress.plans_planned) : std::string());
  }
  if (progress.best.any) {
    text += fmt::format(", best {:.2f}x", 1 / progress.best.any->latency_ratio);
  }
  for (const BestAtBound& best : progress.best.at_bounds) {
    if (best.bound == kBoundShown) {
      text += fmt::format(", {:.2f}x at {} dB", 1 / best.plan.latency_ratio, kShown_db);
    }
  }
  if (progress.best.meeting && progress.best.meeting != progress.best.any) {
    text += fmt::format(", {:.2f}x meets the goal", 1 / progress.best.meeting->latency_ratio);
  }
  return text;
}

}  // namespace

std::optional<RunningTask> ReadRunningTask(const fs::path& file) {
  std::error_code code;
  if (!fs::exists(file, code)) {
    return std::nullopt;
  }
  try {
    const Json json = ParseStrictJson(ReadSmallFile(file, kMostBytes), file.string());
    RunningTask task = {.node = json.at("node"), .text = {}, .is_fresh = IsFresh(file)};
    task.text = fmt::format("on {} since {}", task.node, json.at("begin").get<std::string>());
    if (const int attempt = json.at("attempt"); attempt > 1) {
      task.text += fmt::format(", attempt {}", attempt);
    }
    if (const Json& progress = json.at("progress"); !progress.is_null()) {
      task.text += TextOf(ParseProgress(progress.dump(), file.string()));
    }
    return task;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace halftone
