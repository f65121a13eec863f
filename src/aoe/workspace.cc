#include "src/aoe/workspace.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/printable.h"
#include "src/base/strict_json.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kJobFile = "job.json";
constexpr const char* kWorkspace = "aoe_workspace";
constexpr std::uintmax_t kMostBytes = 1U << 20U;

[[noreturn]] void ThrowUsage(std::string_view message) {
  throw Error(ErrorKind::kUsage, message);
}

struct RecordedJob {
  std::string state;
  std::string bank;
  std::map<std::string, std::string, std::less<>> options;
};

RecordedJob ReadJob(const fs::path& folder) {
  const std::string file = (folder / kJobFile).string();
  const json document = ParseStrictJson(ReadSmallFile(file, kMostBytes), file);
  try {
    return {document.at("state").get<std::string>(), document.at("bank").get<std::string>(),
            document.at("options").get<std::map<std::string, std::string, std::less<>>>()};
  } catch (const json::exception& error) {
    ThrowUsage(
        fmt::format("{}: expected the state, bank and options of a job: {}", file, error.what()));
  }
}

std::string ShownOption(const std::map<std::string, std::string, std::less<>>& options,
                        const std::string& name) {
  const auto found = options.find(name);
  return found == options.end() ? "none" : fmt::format("'{}'", found->second);
}

void CheckSame(const AoeJob& job, const RecordedJob& recorded, const fs::path& folder) {
  std::map<std::string, std::string, std::less<>> names = job.identity;
  names.insert(recorded.options.begin(), recorded.options.end());
  for (const auto& [name, value] : names) {
    const std::string then = ShownOption(recorded.options, name);
    const std::string now = ShownOption(job.identity, name);
    if (then != now) {
      ThrowUsage(
          fmt::format("--reload: the job in '{}' was started with {} for --{}, now it is {}; "
                      "continue it with the same options",
                      folder.string(), then, name, now));
    }
  }
  if (recorded.bank != job.bank.path.string()) {
    ThrowUsage(
        fmt::format("--reload: the job in '{}' keeps its measurements in '{}', now the bank "
                    "is '{}'; set TUNE_BANK_PATH as it was",
                    folder.string(), recorded.bank, job.bank.path.string()));
  }
}

bool IsFinished(const RecordedJob& recorded) {
  return recorded.state == "finished";
}

// "20260102030405678" of ".../digits_20260102030405678".
std::string TimestampOf(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.substr(name.find_last_of('_') + 1);
}

bool IsOfType(const AoeJob& job, const RecordedJob& recorded) {
  return ShownOption(job.identity, "job_type") == ShownOption(recorded.options, "job_type");
}

// The newest folder of the model that holds an unfinished job of this type; empty when there is
// none.
fs::path NewestUnfinished(const AoeJob& job, const fs::path& workspace, std::string_view model) {
  const std::string prefix = fmt::format("{}_", model);
  fs::path newest;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(workspace, error)) {
    const std::string name = entry.path().filename().string();
    const bool of_model = name.starts_with(prefix) &&
                          name.find_first_not_of("0123456789", prefix.size()) == name.npos;
    if (!of_model || !fs::exists(entry.path() / kJobFile, error)) {
      continue;
    }
    const RecordedJob recorded = ReadJob(entry.path());
    if (!IsFinished(recorded) && IsOfType(job, recorded) &&
        (newest.empty() || newest < entry.path())) {
      newest = entry.path();
    }
  }
  return newest;
}

}  // namespace

fs::path AoeWorkspace::ResultFolder(std::string_view model) const {
  return folder / "tunespace/result" / fmt::format("{}_{}_tune", model, timestamp);
}

void RecordAoeJob(const AoeWorkspace& workspace, const AoeJob& job, std::string_view state) {
  const json document = {
      {"state", state}, {"bank", job.bank.path.string()}, {"options", job.identity}};
  WriteFileAtomically(
      workspace.folder / kJobFile,
      PrintableJson(document.dump(2, ' ', false, json::error_handler_t::replace)) + "\n");
}

AoeWorkspace NewAoeWorkspace(const AoeJob& job, std::string_view model,
                             std::string_view timestamp) {
  const fs::path root = job.work_root / kWorkspace;
  std::error_code error;
  fs::create_directories(root, error);
  std::string name(timestamp);
  while (true) {
    AoeWorkspace workspace{root / fmt::format("{}_{}", model, name), name};
    // What stands in the way of any folder is said when the job writes to this one.
    if (fs::create_directory(workspace.folder, error) || error) {
      return workspace;
    }
    name = std::to_string(std::stoull(name) + 1);
  }
}

AoeWorkspace FindInterruptedJob(const AoeJob& job, std::string_view model) {
  fs::path folder = job.reload_folder;
  if (folder.empty()) {
    const fs::path workspace = job.work_root / kWorkspace;
    folder = NewestUnfinished(job, workspace, model);
    if (folder.empty()) {
      ThrowUsage(
          fmt::format("--reload: found no interrupted job of '{}' in '{}'; start it without "
                      "--reload, or name its folder",
                      model, workspace.string()));
    }
  }
  return OpenInterruptedJob(job, folder);
}

AoeWorkspace OpenInterruptedJob(const AoeJob& job, const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / kJobFile, error)) {
    ThrowUsage(fmt::format("--reload={}: expected the folder of a job, which holds {}",
                           folder.string(), kJobFile));
  }
  const RecordedJob recorded = ReadJob(folder);
  if (IsFinished(recorded)) {
    ThrowUsage(
        fmt::format("--reload={}: this job is finished; start it again without --reload: "
                    "what it measured is in the bank",
                    folder.string()));
  }
  CheckSame(job, recorded, folder);
  return {folder, TimestampOf(folder)};
}

}  // namespace halftone
