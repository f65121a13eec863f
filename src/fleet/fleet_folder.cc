#include "src/fleet/fleet_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <system_error>

#include "src/api/bank/bank_upkeep.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/file_lock.h"
#include "src/base/limits.h"
#include "src/base/move_folder.h"
#include "src/base/published_folder.h"
#include "src/base/remove_below.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"
#include "src/fleet/fleet_names.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kFleetFormat = 1;
constexpr std::string_view kFleetFile = "fleet.json";
constexpr std::string_view kSubmitLock = "submit.lock";
constexpr std::string_view kPlanFile = "plan.json";
constexpr std::string_view kResultFile = "result.json";
// Limit of the files that all machines write; a plan of 10,000 networks has 10 MiB.
constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;
constexpr std::string_view kPartEnd = ".part";  // of PublishedFolder, behind so many digits
constexpr std::size_t kPartDigits = 16;

// 64 bits of the system's randomness as hexadecimal digits: names that no other process takes.
std::string RandomName() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

// Without a slash at the end, which would leave the fleet without a name.
fs::path FullPath(const fs::path& path) {
  const fs::path full = fs::absolute(path).lexically_normal();
  return full.has_filename() ? full : full.parent_path();
}

fs::path RoundPath(const fs::path& fleet, int round) {
  return fleet / "rounds" / std::to_string(round);
}

// The greatest number, up to kMostRounds, that names a folder in `parent` which holds `file`; 0:
// none. An empty `file`: any folder.
int LastNumber(const fs::path& parent, std::string_view file = {}) {
  std::int64_t last = 0;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, code)) {
    const auto number =
        NumberIn(entry.path().filename().string(), WholeRange{1, limits::kMostRounds});
    if (number && *number > last && (file.empty() || fs::exists(entry.path() / file, code))) {
      last = *number;
    }
  }
  return static_cast<int>(last);
}

// The last round with a plan; 0: none.
int LastRound(const fs::path& fleet) {
  return LastNumber(fleet / "rounds", kPlanFile);
}

// What PublishedFolder left beside `folder` where its process was killed. A copy that is still
// being filled would come too late.
void RemoveParts(const fs::path& folder) {
  std::error_code code;
  const std::string begin = fmt::format(".{}.", folder.filename().string());
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.parent_path(), code)) {
    // Another network may be named so: "net.v2".
    if (const std::string name = entry.path().filename().string();
        name.starts_with(begin) && name.ends_with(kPartEnd) &&
        name.size() == begin.size() + kPartDigits + kPartEnd.size()) {
      RemoveBelow(folder.parent_path(), entry.path());
    }
  }
}

}  // namespace

FleetFolder::FleetFolder(fs::path path, std::string id, int round)
    : path_(std::move(path)), id_(std::move(id)), round_(round) {}

FleetFolder FleetFolder::Open(const fs::path& path) {
  const fs::path folder = FullPath(path);
  const fs::path file = folder / kFleetFile;
  std::error_code code;
  if (!fs::exists(file, code)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("no fleet in '{}': it has no {}; expected the folder that `halftone "
                            "fleet submit` named",
                            folder.string(), kFleetFile));
  }
  const int round = LastRound(folder);
  const Json json = ParseStrictJson(ReadSmallFile(file, kMostBytes), file.string());
  try {
    if (json.at("format") != kFleetFormat) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}' has format {}; this halftone reads format {}", file.string(),
                              json.at("format").dump(), kFleetFormat));
    }
    if (round == 0) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("the fleet in '{}' has no round with a plan: `halftone fleet submit` "
                              "was interrupted; remove the folder and submit again",
                              folder.string()));
    }
    const std::string id = json.at("id");
    if (const std::string why = WhyNoFleetName(id); !why.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}': \"id\" is '{}': {}", file.string(), Shown(id), why));
    }
    return {folder, id, round};
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kUsage, fmt::format("'{}' is no {} of a fleet: {}", file.string(),
                                               kFleetFile, error.what()));
  }
}

FleetFolder FleetFolder::AddRound(const fs::path& path, const FleetPlan& plan, bool first) {
  const fs::path folder = FullPath(path);
  const fs::path file = folder / kFleetFile;
  const FileLock lock(folder / kSubmitLock);  // two rounds at once would be one
  std::error_code code;
  if (!fs::exists(file, code) && LastRound(folder) > 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("'{}' has rounds of a fleet but no {}: put that back, or name another "
                            "folder",
                            folder.string(), kFleetFile));
  }
  if (first && fs::exists(file, code) && LastRound(folder) > 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("'{0}' holds a fleet: `halftone fleet resume {0}` submits what is not "
                            "finished, `halftone fleet retune {0}` begins a round after an "
                            "upgrade; for another fleet name another folder",
                            folder.string()));
  }
  if (!fs::exists(file, code)) {
    WriteFileAtomically(file, Json({{"format", kFleetFormat}, {"id", RandomName()}}).dump() + "\n");
  }
  const int round = LastRound(folder) + 1;
  WriteFileAtomically(RoundPath(folder, round) / kPlanFile, PlanToJson(plan));
  return Open(folder);
}

void FleetFolder::RemoveUnusedRound() const {
  std::error_code code;
  const FileLock lock(SubmitLock());
  if (!Jobs().empty() || fs::exists(RoundFolder() / "results", code) ||
      fs::exists(RoundFolder() / "partial", code)) {
    return;
  }
  RemoveBelow(path_, RoundFolder());  // what stays is in nobody's way
  if (round_ == 1) {
    RemoveOneBelow(path_, path_ / kFleetFile);
  }
}

FleetFolder FleetFolder::AtRound(int round) const {
  std::error_code code;
  if (!fs::exists(RoundPath(path_, round) / kPlanFile, code)) {
    throw Error(ErrorKind::kUsage, fmt::format("the fleet in '{}' has no round {}; its rounds are "
                                               "1 to {}",
                                               path_.string(), round, LastRound(path_)));
  }
  return {path_, id_, round};
}

FleetPlan FleetFolder::Plan() const {
  const fs::path file = RoundFolder() / kPlanFile;
  return PlanFromJson(ReadSmallFile(file, kMostBytes), file.string());
}

fs::path FleetFolder::RoundFolder() const {
  return RoundPath(path_, round_);
}

fs::path FleetFolder::SubmitLock() const {
  return path_ / kSubmitLock;
}

fs::path FleetFolder::ResultFolder(const FleetItem& item) const {
  return RoundFolder() / "results" / item.kind / item.network;
}

fs::path FleetFolder::PartialFolder(const FleetItem& item) const {
  return RoundFolder() / "partial" / item.kind / item.network;
}

fs::path FleetFolder::ProgressFile(const FleetItem& item) const {
  return RoundFolder() / "running" / item.kind / (item.network + ".json");
}

fs::path FleetFolder::MergedBank(const std::string& kind) const {
  const fs::path banks = path_ / "merged" / kind;
  const int last = LastNumber(banks);
  return last == 0 ? fs::path() : banks / std::to_string(last);
}

void FleetFolder::ReplaceMergedBank(const std::string& kind, const fs::path& bank) const {
  const fs::path banks = path_ / "merged" / kind;
  const int last = LastNumber(banks);
  CopyBank(bank, {}, banks / std::to_string(last + 1));
  // The last one may be read by a task that begins.
  RemoveBelow(path_, banks / std::to_string(last - 1));
}

void FleetFolder::RequireInside(const FleetItem& item) const {
  for (const fs::path& path : {ResultFolder(item), PartialFolder(item), ProgressFile(item)}) {
    if (!LiesBelow(path_, path)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}' lies outside of the fleet's folder: expected folders there, "
                              "found a link; put what it leads to in its place",
                              path.string()));
    }
  }
}

bool FleetFolder::HasResult(const FleetItem& item) const {
  std::error_code code;
  return fs::exists(ResultFolder(item) / kResultFile, code);
}

std::optional<FleetResult> FleetFolder::Result(const FleetItem& item) const {
  if (!HasResult(item)) {
    return std::nullopt;
  }
  const fs::path file = ResultFolder(item) / kResultFile;
  return ResultFromJson(ReadSmallFile(file, kMostBytes), file.string());
}

bool FleetFolder::Publish(const FleetItem& item,
                          const std::function<void(const fs::path& folder)>& fill) const {
  if (HasResult(item)) {
    return false;
  }
  RequireInside(item);
  try {
    PublishedFolder result(ResultFolder(item));
    fill(result.part());
    result.Publish();
    RemoveParts(ResultFolder(item));
    return true;
  } catch (const std::exception&) {
    // Another copy of the task was faster, and may have removed what was filled in here, which
    // std::filesystem reports.
    if (HasResult(item)) {
      return false;
    }
    throw;
  }
}

void FleetFolder::SetAside(const FleetItem& item) const {
  RequireInside(item);
  const fs::path replaced = RoundFolder() / "replaced" / item.kind;
  int number = 1;
  while (!MoveFolder(ResultFolder(item), replaced / fmt::format("{}.{}", item.network, number))) {
    ++number;
  }
}

int FleetFolder::Generation(const FleetItem& item) const {
  const fs::path replaced = RoundFolder() / "replaced" / item.kind;
  int number = 0;
  std::error_code code;
  while (fs::exists(replaced / fmt::format("{}.{}", item.network, number + 1), code)) {
    ++number;
  }
  return number;
}

void FleetFolder::Restore(const FleetItem& item) const {
  RequireInside(item);
  const int last = Generation(item);
  if (last > 0 && !HasResult(item)) {
    MoveFolder(RoundFolder() / "replaced" / item.kind / fmt::format("{}.{}", item.network, last),
               ResultFolder(item));
  }
}

fs::path FleetFolder::WriteList(const std::string& kind,
                                const std::vector<std::string>& networks) const {
  fs::path list = RoundFolder() / "lists" / fmt::format("{}.{}", kind, RandomName());
  WriteFileAtomically(list, Join(networks, "\n") + "\n");
  return list;
}

std::vector<std::string> FleetFolder::ReadList(const fs::path& list) {
  const std::string text = ReadSmallFile(list, kMostBytes);
  std::vector<std::string> networks;
  for (const std::string_view line : Split(text, '\n')) {
    if (!line.empty()) {
      networks.emplace_back(line);
    }
  }
  return networks;
}

// Lists lie in the folder of the round, under whatever path the machine that wrote it knows it.
fs::path FleetFolder::ListOf(const fs::path& recorded) const {
  return recorded.empty() ? fs::path() : RoundFolder() / "lists" / recorded.filename();
}

void FleetFolder::AddJob(const FleetJobRecord& job) const {
  // The number of jobs so far keeps their order; two that are submitted at once differ behind it.
  const std::string name = fmt::format("{:06}.{}.json", Jobs().size(), RandomName());
  WriteFileAtomically(RoundFolder() / "jobs" / name, Json({{"job", job.job},
                                                           {"kind", job.kind},
                                                           {"purpose", job.purpose},
                                                           {"list", job.list.string()},
                                                           {"elements", job.elements}})
                                                             .dump() +
                                                         "\n");
}

std::vector<FleetJobRecord> FleetFolder::Jobs() const {
  std::vector<fs::path> files;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(RoundFolder() / "jobs", code)) {
    if (entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  std::vector<FleetJobRecord> jobs;
  for (const fs::path& file : files) {
    const Json json = ParseStrictJson(ReadSmallFile(file, kMostBytes), file.string());
    CheckFleetTexts(json, file.string());
    try {
      jobs.push_back({.job = json.at("job"),
                      .kind = json.at("kind"),
                      .purpose = json.at("purpose"),
                      .list = ListOf(json.at("list").get<std::string>()),
                      .elements = json.at("elements")});
    } catch (const Json::exception& error) {
      throw Error(ErrorKind::kUsage, fmt::format("'{}' is no record of a job of this fleet: {}",
                                                 file.string(), error.what()));
    }
  }
  return jobs;
}

}  // namespace halftone
