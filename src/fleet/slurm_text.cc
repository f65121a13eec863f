#include "src/fleet/slurm_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/base/whole_number.h"

namespace halftone {
namespace {

// Meaning of a state of squeue.
enum class Phase : std::uint8_t { kQueued, kRunning, kEnded };

struct StateRow {
  std::string_view name;
  Phase phase;
};

// JOB STATE CODES of squeue. Running: processes of the job are on a node, if only stopped ones.
constexpr StateRow kStates[] = {
    {"PENDING", Phase::kQueued},      {"CONFIGURING", Phase::kQueued},
    {"REQUEUED", Phase::kQueued},     {"REQUEUE_FED", Phase::kQueued},
    {"REQUEUE_HOLD", Phase::kQueued}, {"RESV_DEL_HOLD", Phase::kQueued},
    {"SPECIAL_EXIT", Phase::kQueued}, {"RUNNING", Phase::kRunning},
    {"COMPLETING", Phase::kRunning},  {"RESIZING", Phase::kRunning},
    {"SIGNALING", Phase::kRunning},   {"STAGE_OUT", Phase::kRunning},
    {"STOPPED", Phase::kRunning},     {"SUSPENDED", Phase::kRunning},
    {"BOOT_FAIL", Phase::kEnded},     {"CANCELLED", Phase::kEnded},
    {"COMPLETED", Phase::kEnded},     {"DEADLINE", Phase::kEnded},
    {"FAILED", Phase::kEnded},        {"NODE_FAIL", Phase::kEnded},
    {"OUT_OF_MEMORY", Phase::kEnded}, {"PREEMPTED", Phase::kEnded},
    {"REVOKED", Phase::kEnded},       {"TIMEOUT", Phase::kEnded},
};

const StateRow* FindState(std::string_view name) {
  const auto* row = std::ranges::find(kStates, name, &StateRow::name);
  return row != std::end(kStates) ? row : nullptr;
}

struct FailureRow {
  std::string_view text;
  SlurmFailure failure;
};

constexpr FailureRow kFailures[] = {
    {"Unable to contact slurm controller", SlurmFailure::kNotReached},
    {"Socket timed out", SlurmFailure::kNoAnswer},
    {"Connection refused", SlurmFailure::kNotReached},
    {"Unexpected message received", SlurmFailure::kNotReached},  // of scontrol requeue
    {"Connection timed out", SlurmFailure::kNoAnswer},
    {"Connection reset by peer", SlurmFailure::kNoAnswer},
    {"Zero Bytes were transmitted or received", SlurmFailure::kNoAnswer},
    {"Slurm backup controller in standby mode", SlurmFailure::kNotReached},
    {"temporarily unable to accept job", SlurmFailure::kNotReached},
    {"Invalid job id specified", SlurmFailure::kForgotten},
    {"Job is pending execution", SlurmFailure::kQueuedAlready},
    {"Invalid feature specification", SlurmFailure::kNoSuchFeature},
};

bool IsNumber(std::string_view text) {
  return WholeNumber<std::uint32_t>(text).has_value() && text.front() != '-';
}

// Names of clusters go into command lines.
bool IsClusterName(std::string_view text) {
  return !text.empty() && text.front() != '-' && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

// Words that stand for nothing.
std::string OrNothing(std::string_view text) {
  return text == "None" || text == "(null)" || text == "N/A" ? "" : std::string(text);
}

// Lines with something in them, without blanks at their ends.
std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (const std::string_view line : Split(text, '\n')) {
    if (const std::string_view trimmed = Trim(line); !trimmed.empty()) {
      lines.push_back(trimmed);
    }
  }
  return lines;
}

[[noreturn]] void ThrowLine(std::string_view line) {
  throw Error(ErrorKind::kIo,
              fmt::format("squeue printed '{}'; expected ID|STATE|NODES|REASON with an id as 17 or "
                          "17_3",
                          Shown(line)));
}

// Fills in job and element from "17" or "17_3".
void ReadId(std::string_view id, std::string_view line, EngineTask& task) {
  const std::size_t bar = id.find('_');
  if (!IsNumber(id.substr(0, bar))) {
    ThrowLine(line);
  }
  task.job = id.substr(0, bar);
  if (bar == std::string_view::npos) {
    return;
  }
  const std::string_view element = id.substr(bar + 1);
  if (!IsNumber(element)) {
    ThrowLine(line);
  }
  task.element = WholeNumber<std::size_t>(element);
}

// The text before the next bar, which is taken away with it.
std::string_view TakeField(std::string_view& rest, std::string_view line) {
  const std::size_t bar = rest.find('|');
  if (bar == std::string_view::npos) {
    ThrowLine(line);
  }
  const std::string_view field = rest.substr(0, bar);
  rest.remove_prefix(bar + 1);
  return field;
}

// What Slurm says of a batch job that a node did not start: its prolog failed, or a controller that
// lost its memory asked a node for a second copy.
constexpr std::string_view kHeldReason = "launch failed requeued held";

// Empty: it has ended.
std::optional<EngineTask> ReadTask(std::string_view line) {
  std::string_view rest = line;
  EngineTask task;
  ReadId(TakeField(rest, line), line, task);
  const std::string_view state = TakeField(rest, line);
  task.node = OrNothing(TakeField(rest, line));
  task.reason = OrNothing(rest);
  if (state.empty()) {
    ThrowLine(line);
  }
  const StateRow* row = FindState(state);
  if (row != nullptr && row->phase == Phase::kEnded) {
    return std::nullopt;
  }
  const bool runs = row != nullptr && row->phase == Phase::kRunning;
  task.state = runs ? EngineTask::State::kRunning : EngineTask::State::kQueued;
  task.is_held = !runs && task.reason == kHeldReason;
  if (task.reason.empty() && state != "PENDING" && state != "RUNNING") {
    task.reason = state;
  }
  return task;
}

}  // namespace

std::optional<SlurmJobName> ParseSlurmJobName(std::string_view text) {
  const std::size_t semicolon = text.find(';');
  SlurmJobName job{.id = std::string(text.substr(0, semicolon))};
  if (!IsNumber(job.id)) {
    return std::nullopt;
  }
  if (semicolon != std::string_view::npos) {
    job.cluster = text.substr(semicolon + 1);
    if (!IsClusterName(job.cluster)) {
      return std::nullopt;
    }
  }
  return job;
}

std::string ToText(const SlurmJobName& job) {
  return job.cluster.empty() ? job.id : job.id + ";" + job.cluster;
}

std::vector<EngineTask> ParseSqueue(std::string_view out) {
  std::vector<EngineTask> tasks;
  for (const std::string_view line : Lines(out)) {
    // A headline that --clusters adds in some releases, whatever -h says.
    if (line.starts_with("CLUSTER: ")) {
      continue;
    }
    if (std::optional<EngineTask> task = ReadTask(line)) {
      tasks.push_back(*std::move(task));
    }
  }
  return tasks;
}

std::optional<std::string> FindByComment(std::string_view out, std::string_view token) {
  for (const std::string_view line : Lines(out)) {
    const std::string_view id = line.substr(0, line.find('|'));
    if (line.ends_with(token) && IsNumber(id)) {
      return std::string(id);
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> ConfigNumber(std::string_view out, std::string_view name) {
  for (const std::string_view line : Lines(out)) {
    const std::size_t sign = line.find('=');
    if (sign != std::string_view::npos && Trim(line.substr(0, sign)) == name) {
      return WholeNumber<std::size_t>(Trim(line.substr(sign + 1)));
    }
  }
  return std::nullopt;
}

std::vector<std::string> ParseFeatures(std::string_view out) {
  std::set<std::string> features;
  for (const std::string_view line : Lines(out)) {
    for (const std::string_view feature : Split(line, ',')) {
      features.insert(OrNothing(Trim(feature)));
    }
  }
  features.erase("");
  return {features.begin(), features.end()};
}

SlurmFailure FailureOf(std::string_view err) {
  const auto* row = std::ranges::find_if(kFailures, [&](const FailureRow& other) {
    return err.find(other.text) != std::string_view::npos;
  });
  return row != std::end(kFailures) ? row->failure : SlurmFailure::kRefused;
}

std::string FailureText(std::string_view err) {
  constexpr std::string_view kNames[] = {
      "sbatch: ", "scancel: ", "squeue: ", "scontrol: ", "sinfo: ", "error: ", "fatal: "};
  std::vector<std::string> lines;
  for (std::string_view line : Lines(err)) {
    for (const std::string_view name : kNames) {
      line.remove_prefix(line.starts_with(name) ? name.size() : 0);
    }
    if (!line.starts_with("Try \"")) {
      lines.emplace_back(line);
    }
  }
  return Join(lines, "; ");
}

}  // namespace halftone
