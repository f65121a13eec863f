#include "src/fleet/round.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/file_lock.h"
#include "src/base/text.h"
#include "src/fleet/merge.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTasks = "tasks";
constexpr std::string_view kMerge = "merge";
constexpr std::string_view kReport = "report";

bool IsNamed(const std::string& kind, const std::vector<std::string>& kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

class RoundSubmitter {
 public:
  RoundSubmitter(const FleetFolder& folder, FleetEngine& engine, const ResumeMore& more,
                 const SubmitSettings& settings)
      : folder_(folder), engine_(engine), more_(more), settings_(settings), plan_(folder.Plan()) {}

  std::size_t Submit() {
    CheckKinds(plan_, engine_, settings_.kinds);
    active_ = ActiveTasks(folder_, engine_);
    WithdrawHeld();
    std::vector<std::string> merges;
    std::size_t submitted = 0;
    for (const FleetKind& kind : plan_.kinds) {
      if (!IsChosen(kind.name)) {
        continue;
      }
      const std::vector<std::string> networks = NetworksToSubmit(kind);
      if (networks.empty()) {
        continue;
      }
      try {
        merges.push_back(SubmitKind(kind, networks));
      } catch (...) {  // refused, or interrupted: the results of before count
        for (const std::string& name : networks) {
          folder_.Restore({kind.name, name});
        }
        throw;
      }
      submitted += networks.size();
    }
    if (merges.empty() && settings_.kinds.empty() && IsEndMissing()) {
      settings_.say("merge and report are missing: they are queued again");
      for (const FleetKind& kind : plan_.kinds) {
        merges.push_back(SubmitMerge(kind, {}));
      }
    }
    if (!merges.empty()) {
      SubmitJob({.name = "halftone-report",
                 .words = Words("report", {}),
                 .after = merges,
                 .log = Log("report")},
                {.purpose = std::string(kReport)});
    }
    return submitted;
  }

 private:
  [[nodiscard]] bool IsChosen(const std::string& kind) const {
    return settings_.kinds.empty() || IsNamed(kind, settings_.kinds);
  }

  // Withdraws tasks that the engine holds: they would wait for ever, and so would the merge behind
  // them.
  void WithdrawHeld() {
    std::set<std::pair<std::string, std::optional<std::size_t>>> withdrawn;  // of several items
    std::map<std::pair<std::string, std::string>, std::int64_t> counts;      // by kind and reason
    std::erase_if(active_, [&](const auto& active) {
      const auto& [item, task] = active;
      if (!task.is_held || !IsChosen(item.kind)) {
        return false;
      }
      if (withdrawn.emplace(task.job, task.element).second) {
        engine_.Withdraw(task);
      }
      ++counts[{item.kind, task.reason}];
      return true;
    });
    for (const auto& [of, count] : counts) {
      settings_.say(
          fmt::format("{}: {} taken out of the queue, where the engine held what it could "
                      "not start: {}",
                      of.first, Counted(count, "network"), of.second));
    }
  }

  [[nodiscard]] bool NeedsTask(const FleetItem& item) const {
    if (!folder_.HasResult(item)) {
      return true;
    }
    return (more_.failed && HasFailed(item)) || (more_.busy && WasDisturbed(item));
  }

  // By other programs, as far as is known.
  [[nodiscard]] bool WasDisturbed(const FleetItem& item) const {
    try {
      const FleetResult result = folder_.Result(item).value();
      return IsBusy(result) || result.end == TaskEnd::kInconclusive;
    } catch (const Error&) {  // damaged: it has failed
      return false;
    }
  }

  std::vector<std::string> NetworksToSubmit(const FleetKind& kind) {
    std::vector<std::string> networks;
    std::size_t active = 0;
    std::size_t done = 0;
    for (const FleetNetwork& network : plan_.networks) {
      const FleetItem item = {kind.name, network.name};
      if (std::ranges::find(network.kinds, kind.name) == network.kinds.end()) {
        continue;
      }
      if (active_.contains(item)) {
        ++active;
      } else if (NeedsTask(item)) {
        networks.push_back(network.name);
      } else {
        ++done;
      }
    }
    for (const std::string& name : networks) {
      // Also what has lost its result.json, in whose place nothing can be published.
      if (const FleetItem item = {kind.name, name}; fs::exists(folder_.ResultFolder(item))) {
        folder_.SetAside(item);
      }
    }
    if (networks.empty()) {
      settings_.say(fmt::format("{}: nothing to submit: {} done, {} queued or running{}", kind.name,
                                done, active, FailedHint(kind)));
    }
    return networks;
  }

  // "; 2 of them failed: --failed tries them again"; empty: none.
  [[nodiscard]] std::string FailedHint(const FleetKind& kind) const {
    const auto failed = std::ranges::count_if(ItemsOf(plan_), [&](const FleetItem& item) {
      return item.kind == kind.name && folder_.HasResult(item) && HasFailed(item);
    });
    return failed == 0 ? "" : fmt::format("; {} of them failed: --failed tries them again", failed);
  }

  // True for a damaged result, too.
  [[nodiscard]] bool HasFailed(const FleetItem& item) const {
    try {
      const TaskEnd end = folder_.Result(item).value().end;
      return end == TaskEnd::kFailed || end == TaskEnd::kDied;
    } catch (const Error&) {
      return true;
    }
  }

  [[nodiscard]] std::vector<std::string> Words(std::string_view command,
                                               const std::vector<std::string>& more) const {
    std::vector<std::string> words = {settings_.program.string(), "fleet", std::string(command),
                                      folder_.path().string(),
                                      fmt::format("--round={}", folder_.round())};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  [[nodiscard]] fs::path Log(std::string_view name) const {
    const fs::path logs = folder_.RoundFolder() / "logs";
    CreateFolder(logs);
    return logs / name;
  }

  std::string SubmitJob(EngineJob job, FleetJobRecord record) {
    job.stop_requested = settings_.stop_requested;
    record.job = engine_.Submit(job);
    record.elements = job.elements;
    folder_.AddJob(record);
    return record.job;
  }

  // The job of the merge behind it.
  std::string SubmitKind(const FleetKind& kind, const std::vector<std::string>& networks) {
    const fs::path list = folder_.WriteList(kind.name, networks);
    const std::size_t elements = std::min(networks.size(), engine_.MostElements());
    const std::string of_kind = fmt::format("--kind={}", kind.name);
    std::vector<std::string> work = {of_kind, fmt::format("--list={}", list.string()),
                                     fmt::format("--stride={}", elements)};
    if (!settings_.scratch.empty()) {
      work.push_back(fmt::format("--scratch={}", settings_.scratch.string()));
    }
    settings_.say(fmt::format("{}: {} in {}", kind.name,
                              Counted(static_cast<std::int64_t>(networks.size()), "network"),
                              Counted(static_cast<std::int64_t>(elements), "task")));
    const std::string tasks =
        SubmitJob({.name = "halftone-" + kind.name,
                   .words = Words("work", work),
                   .elements = elements,
                   .constraint = kind.constraint,
                   .exclusive = kind.exclusive,
                   .cpus = kind.cpus,
                   .log = Log("tasks-" + kind.name)},
                  {.kind = kind.name, .purpose = std::string(kTasks), .list = list});
    return SubmitMerge(kind, {tasks});
  }

  std::string SubmitMerge(const FleetKind& kind, const std::vector<std::string>& after) {
    return SubmitJob({.name = "halftone-merge-" + kind.name,
                      .words = Words("merge", {fmt::format("--kinds={}", kind.name)}),
                      .after = after,
                      .log = Log("merge-" + kind.name)},
                     {.kind = kind.name, .purpose = std::string(kMerge)});
  }

  // True: no task and nothing behind tasks is in the queue, and there are banks that were not
  // merged, or results that are newer than the report: a controller that lost its state, or an
  // interruption, took merge and report away.
  [[nodiscard]] bool IsEndMissing() {
    std::vector<std::string> behind;
    for (const FleetJobRecord& record : folder_.Jobs()) {
      if (record.purpose != kTasks) {
        behind.push_back(record.job);
      }
    }
    if (!active_.empty() || (!behind.empty() && !engine_.Active(behind).empty())) {
      return false;
    }
    return IsReportOld() || std::ranges::any_of(plan_.kinds, [&](const FleetKind& kind) {
             return HasUnmerged(folder_, kind.name);
           });
  }

  [[nodiscard]] bool IsReportOld() const {
    std::error_code code;
    const fs::file_time_type report =
        fs::last_write_time(folder_.RoundFolder() / "report.json", code);
    const bool is_missing = static_cast<bool>(code);
    return std::ranges::any_of(ItemsOf(plan_), [&](const FleetItem& item) {
      const fs::file_time_type result =
          fs::last_write_time(folder_.ResultFolder(item) / "result.json", code);
      return !code && (is_missing || result > report);
    });
  }

  const FleetFolder& folder_;
  FleetEngine& engine_;
  const ResumeMore& more_;
  const SubmitSettings& settings_;
  FleetPlan plan_;
  std::map<FleetItem, EngineTask> active_;
};

}  // namespace

void RequireKinds(const FleetPlan& plan, const std::vector<std::string>& kinds) {
  for (const std::string& name : kinds) {
    if (plan.FindKind(name) == nullptr) {
      std::vector<std::string> names;
      std::ranges::transform(plan.kinds, std::back_inserter(names), &FleetKind::name);
      throw Error(ErrorKind::kUsage,
                  fmt::format("the fleet has no kind '{}'; it has {}", name, Join(names, ", ")));
    }
  }
}

void CheckKinds(const FleetPlan& plan, const FleetEngine& engine,
                const std::vector<std::string>& kinds) {
  RequireKinds(plan, kinds);
  for (const FleetKind& kind : plan.kinds) {
    if (engine.waits() && kinds.empty() && !kind.constraint.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("kind '{0}' is for machines with '{1}', and the engine has this "
                              "machine only: name the kinds that it may stand for, --kinds={0}",
                              kind.name, kind.constraint));
    }
  }
}

std::map<FleetItem, EngineTask> ActiveTasks(const FleetFolder& folder, FleetEngine& engine) {
  const std::vector<FleetJobRecord> records = folder.Jobs();
  std::vector<std::string> jobs;
  for (const FleetJobRecord& record : records) {
    if (record.purpose == kTasks) {
      jobs.push_back(record.job);
    }
  }
  std::map<FleetItem, EngineTask> items;
  if (jobs.empty()) {
    return items;
  }
  std::map<std::string, std::vector<std::string>> lists;  // by job: a job has many elements
  for (const EngineTask& task : engine.Active(jobs)) {
    const auto record = std::ranges::find(records, task.job, &FleetJobRecord::job);
    if (record == records.end() || record->elements == 0 || !task.element) {
      continue;
    }
    const auto [list, is_new] = lists.try_emplace(task.job);
    if (is_new) {
      list->second = FleetFolder::ReadList(record->list);
    }
    const std::vector<std::string>& networks = list->second;
    for (std::size_t i = *task.element; i < networks.size(); i += record->elements) {
      items.insert_or_assign({record->kind, networks[i]}, task);
    }
  }
  return items;
}

std::size_t SubmitRound(const FleetFolder& folder, FleetEngine& engine, const ResumeMore& more,
                        const SubmitSettings& settings) {
  const FileLock lock(folder.SubmitLock());  // two at once would submit all twice
  return RoundSubmitter(folder, engine, more, settings).Submit();
}

}  // namespace halftone
