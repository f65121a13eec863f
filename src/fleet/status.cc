#include "src/fleet/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "src/base/enum_table.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/base/text_table.h"
#include "src/fleet/round.h"
#include "src/fleet/running_task.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr EnumRow<ItemState> kStateNames[] = {
    {ItemState::kRunning, "running"},    {ItemState::kQueued, "queued"},
    {ItemState::kNotSubmitted, "to do"}, {ItemState::kGood, "done"},
    {ItemState::kNotGood, "not met"},    {ItemState::kFailed, "failed"},
};

ItemState StateOf(TaskEnd end) {
  if (IsGood(end)) {
    return ItemState::kGood;
  }
  return end == TaskEnd::kFailed || end == TaskEnd::kDied ? ItemState::kFailed
                                                          : ItemState::kNotGood;
}

class StatusReader {
 public:
  StatusReader(const FleetFolder& folder, FleetEngine* engine) : folder_(folder), engine_(engine) {}

  RoundStatus Read() {
    RoundStatus status;
    try {
      if (engine_ != nullptr) {
        engine_->AskOnce();
        active_ = ActiveTasks(folder_, *engine_);
        knows_running_ = !engine_->waits();
      }
    } catch (const Error& error) {
      status.engine_error = error.what();
    }
    const FleetPlan plan = folder_.Plan();
    for (const FleetItem& item : ItemsOf(plan)) {
      status.items.push_back(Of(item));
    }
    status.has_follower =
        engine_ != nullptr && engine_->waits() &&
        std::ranges::count(status.items, ItemState::kRunning, &ItemStatus::state) > 0;
    return status;
  }

 private:
  ItemStatus Of(const FleetItem& item) {
    try {
      if (const std::optional<FleetResult> result = folder_.Result(item)) {
        return {item, StateOf(result->end),
                fmt::format("{}: {}", NameOf(result->end), result->reason)};
      }
    } catch (const Error& error) {
      return {item, ItemState::kFailed, error.what()};
    }
    const auto task = active_.find(item);
    const std::optional<RunningTask> running = ReadRunningTask(folder_.ProgressFile(item));
    if (task != active_.end() && task->second.state == EngineTask::State::kQueued) {
      return {item, ItemState::kQueued, task->second.reason};
    }
    // An element runs its items one after the other: only the one that shows progress runs.
    if (running && (task != active_.end() || (running->is_fresh && !knows_running_))) {
      return {item, ItemState::kRunning, running->text};
    }
    if (task != active_.end()) {
      return {item, ItemState::kQueued, "behind others on " + task->second.node};
    }
    return {item, ItemState::kNotSubmitted,
            running ? "ended without a result: " + running->text : ""};
  }

  const FleetFolder& folder_;
  FleetEngine* engine_;
  std::map<FleetItem, EngineTask> active_;
  bool knows_running_ = false;  // by the engine, not by how fresh a task's progress is
};

std::string Named(const ItemStatus& status) {
  return status.item.kind + "/" + status.item.network;
}

std::string LinesOf(const RoundStatus& status, ItemState state, std::size_t most) {
  std::string lines;
  std::size_t count = 0;
  for (const ItemStatus& item : status.items) {
    if (item.state == state && ++count <= most) {
      lines += fmt::format("{} {}{}{}\n", NameIn(kStateNames, state), Named(item),
                           item.text.empty() ? "" : ": ", Printable(item.text));
    }
  }
  if (count > most) {
    lines += fmt::format("... and {} more {}\n", count - most, NameIn(kStateNames, state));
  }
  return lines;
}

// "queued: 9 (Resources), 2 (behind others on n0)"; reasons are the engine's words.
std::string QueueLine(const RoundStatus& status) {
  std::map<std::string, std::size_t> reasons;
  for (const ItemStatus& item : status.items) {
    if (item.state == ItemState::kQueued) {
      ++reasons[item.text];
    }
  }
  std::vector<std::string> parts;
  parts.reserve(reasons.size());
  for (const auto& [reason, count] : reasons) {
    parts.push_back(reason.empty() ? std::to_string(count) : fmt::format("{} ({})", count, reason));
  }
  return parts.empty() ? "" : fmt::format("queued: {}\n", Join(parts, ", "));
}

}  // namespace

RoundStatus StatusOf(const FleetFolder& folder, FleetEngine* engine) {
  return StatusReader(folder, engine).Read();
}

std::string FormatStatus(const FleetFolder& folder, const RoundStatus& status, std::size_t most) {
  std::map<std::string, std::map<ItemState, std::size_t>> counts;
  for (const ItemStatus& item : status.items) {
    ++counts[item.item.kind][item.state];
  }
  TextTable table = {.header = {"kind", "networks"}};
  for (const auto& row : kStateNames) {
    table.header.emplace_back(row.name);
  }
  for (auto& [kind, states] : counts) {
    std::size_t all = 0;
    std::vector<std::string> cells = {kind, ""};
    for (const auto& row : kStateNames) {
      all += states[row.value];
      cells.push_back(std::to_string(states[row.value]));
    }
    cells[1] = std::to_string(all);
    table.rows.push_back(std::move(cells));
  }
  std::string text = fmt::format("fleet {}, round {}\n", folder.path().string(), folder.round()) +
                     AlignedTable(table);
  if (!status.engine_error.empty()) {
    text +=
        fmt::format("the engine does not answer, so that what runs is known by files only: {}\n",
                    status.engine_error);
  }
  text += QueueLine(status);
  for (const ItemState state : {ItemState::kRunning, ItemState::kFailed, ItemState::kNotGood}) {
    text += LinesOf(status, state, most);
  }
  const auto left = std::ranges::count(status.items, ItemState::kNotSubmitted, &ItemStatus::state);
  if (left > 0 && status.has_follower) {
    text += fmt::format("{} to do behind what runs\n", left);
  } else if (left > 0 && !status.engine_error.empty()) {
    text += fmt::format("{} to do\n", left);
  } else if (left > 0 && FleetFolder::Open(folder.path()).round() != folder.round()) {
    text += fmt::format("{} were not done before the next round began\n", left);
  } else if (left > 0) {
    text += fmt::format("{} to do and not in the queue: halftone fleet resume {}\n", left,
                        folder.path().string());
  }
  return text;
}

std::string StatusToJson(const FleetFolder& folder, const RoundStatus& status) {
  Json items = Json::array();
  for (const ItemStatus& item : status.items) {
    items.push_back({{"kind", item.item.kind},
                     {"network", item.item.network},
                     {"state", NameIn(kStateNames, item.state)},
                     {"text", item.text}});
  }
  return Json({{"format", 1},
               {"fleet", folder.path().string()},
               {"round", folder.round()},
               {"engine_error", status.engine_error},
               {"items", items}})
             .dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace halftone
