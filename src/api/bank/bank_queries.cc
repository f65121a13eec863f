// Queries of a knowledge base: configurations to run, and the texts of `halftone bank`.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "knowledge_base/front_trials.h"
#include "knowledge_base/sqlite_store.h"
#include "src/api/bank/kernel_bank.h"
#include "src/api/bank/version_warnings.h"
#include "src/api/bank/workload.h"
#include "src/api/halftone.h"
#include "src/api/shape_profiles.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/base/whole_number.h"
#include "src/exec/operator_signature.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

constexpr std::size_t kKeyDigits =
    12;  // of a workload key in lists: enough to be unique in practice

std::unique_ptr<TrialStore> OpenForReading(const std::filesystem::path& bank,
                                           std::string_view soc_version) {
  return OpenSqliteStore(DatabasePath(bank, soc_version), OpenMode::kReadOnly);
}

struct FoundFront {
  WorkloadSummary workload;
  StoredFront front;
};

// "47.1 dB", "98.50 % agreement".
std::string NearnessText(const Accuracy& accuracy) {
  const Nearness nearness = NearnessOf(accuracy);
  return IsJudgedByAgreement(accuracy) ? fmt::format("{} {}", nearness.mean, nearness.what)
                                       : nearness.mean;
}

// The newest front of this network with these shapes before one of the first shape alone, of this
// operator library before one of another, of this CPU before one of another, and of halftone's
// kernels before one of a runtime.
FoundFront FindFront(TrialStore& store, std::span<const Model> profiles, std::string_view library,
                     const std::filesystem::path& bank) {
  const Model& model = profiles.front();
  const std::string shapes = NamesOfProfiles(profiles);
  std::optional<FoundFront> found;
  const auto rank = [&](const Workload& workload, const StoredFront& front) {
    return std::tuple(workload.input_shapes == shapes, LibraryOf(workload.cpu) == library,
                      MayBeOfThisCpu(workload.cpu), !IsOnRuntime(workload.cpu), front.recorded_at,
                      front.id);
  };
  for (const WorkloadSummary& workload : store.Workloads()) {
    if (workload.workload.model_hash != model.hash ||
        (workload.workload.input_shapes != shapes &&
         workload.workload.input_shapes != model.input_shapes)) {
      continue;
    }
    for (StoredFront& front : store.Fronts(workload.key)) {
      if (!found || rank(workload.workload, front) > rank(found->workload.workload, found->front)) {
        found = FoundFront{workload, std::move(front)};
      }
    }
  }
  if (!found) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("the knowledge base '{}' holds no front of '{}' with input shapes {}; "
                            "run `halftone tune` on it first",
                            bank.string(), model.name, shapes));
  }
  return std::move(*found);
}

std::size_t SelectMember(const StoredFront& front, std::string_view select) {
  const std::size_t count = front.members.size();
  if (select.empty()) {
    if (!front.chosen) {
      throw Error(ErrorKind::kUsage, fmt::format("no point of the stored front met the constraints "
                                                 "of the search; choose one with --select=1..{}",
                                                 count));
    }
    return *front.chosen;
  }
  if (select == "fastest") {
    return 0;
  }
  if (select == "most_accurate") {
    return count - 1;  // a front that is sorted by latency is sorted by accuracy
  }
  const auto number = WholeNumber<std::size_t>(select);
  if (!number || *number < 1 || *number > count) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--select={}: expected fastest, most_accurate or a number from 1 to {}",
                            select, count));
  }
  return *number - 1;
}

// "" for this one.
std::string OtherCpu(const std::string& cpu) {
  return cpu.empty() ? "  on an unknown CPU" : cpu != CpuName() ? fmt::format("  on {}", cpu) : "";
}

std::string WorkloadLine(const WorkloadSummary& summary) {
  const Workload& workload = summary.workload;
  // Plans are measured again to confirm them: more records than trials.
  const std::string records =
      summary.records == summary.trials ? "" : fmt::format(" ({} records)", summary.records);
  const std::string choices =
      workload.kernel_choices == Hash128{}
          ? ""
          : fmt::format("  tuned kernels {}",
                        workload.kernel_choices.ToHex().substr(0, kKeyDigits));
  return fmt::format(
      "{}  {}  {}  {} {}{}{}  halftone {}  {}{}  {}  {}", summary.key.ToHex().substr(0, kKeyDigits),
      workload.model_name, workload.input_shapes, workload.isa, Counted(workload.threads, "thread"),
      choices, OtherCpu(workload.cpu), workload.tool_version, Counted(summary.trials, "trial"),
      records, Counted(summary.fronts, "front"), summary.last_recorded_at);
}

// Whether both are of one CPU, instruction set and version of halftone, whatever the kernels are.
bool SameMachine(const KernelVersion& a, const KernelVersion& b) {
  return a.cpu == b.cpu && a.isa == b.isa && a.tool_version == b.tool_version;
}

// The timings of each CPU, instruction set and version of halftone, whatever their kernels were.
std::vector<TimingSummary> TimingsByVersion(TrialStore& store) {
  std::vector<TimingSummary> summaries;
  for (TimingSummary& summary : store.OperatorTimingSummaries()) {
    const auto known = std::ranges::find_if(summaries, [&](const TimingSummary& other) {
      return SameMachine(other.kernels, summary.kernels);
    });
    if (known == summaries.end()) {
      summaries.push_back(std::move(summary));
      continue;
    }
    known->operators += summary.operators;
    known->tuned += summary.tuned;
    known->networks += summary.networks;
    known->last_recorded_at = std::max(known->last_recorded_at, summary.last_recorded_at);
  }
  return summaries;
}

// "operator tuning  avx2+avx512  halftone 0.1.0  24 operators (9 with another kernel)  1 network
// 2026-01-31T..."
std::string TimingLine(const TimingSummary& summary) {
  return fmt::format("operator tuning  {}{}  halftone {}  {} ({} with another kernel)  {}  {}",
                     summary.kernels.isa, OtherCpu(summary.kernels.cpu),
                     summary.kernels.tool_version, Counted(summary.operators, "operator"),
                     summary.tuned, Counted(summary.networks, "network"), summary.last_recorded_at);
}

// Operator profiles of one CPU, instruction set and version of halftone.
struct VersionProfiles {
  KernelVersion kernels;  // of one of them
  std::set<std::string> ops;
  std::int64_t calls = 0;
  std::string last_recorded_at;
};

std::vector<VersionProfiles> ProfilesByVersion(TrialStore& store) {
  std::vector<VersionProfiles> profiles;
  for (const ProfileSummary& summary : store.OperatorProfileSummaries()) {
    const auto known = std::ranges::find_if(profiles, [&](const VersionProfiles& other) {
      return SameMachine(other.kernels, summary.kernels);
    });
    VersionProfiles& profile = known != profiles.end() ? *known : profiles.emplace_back();
    profile.kernels = summary.kernels;
    profile.ops.insert(summary.op);
    profile.calls += summary.calls;
    profile.last_recorded_at = std::max(profile.last_recorded_at, summary.recorded_at);
  }
  return profiles;
}

// "operator profiles  avx2+avx512  halftone 0.1.0  Conv,Gemm  412 calls  2026-01-31T..."
std::string ProfileLine(const VersionProfiles& profile) {
  return fmt::format("operator profiles  {}{}  halftone {}  {}  {}  {}", profile.kernels.isa,
                     OtherCpu(profile.kernels.cpu), profile.kernels.tool_version,
                     Join({profile.ops.begin(), profile.ops.end()}, ","),
                     Counted(profile.calls, "call"), profile.last_recorded_at);
}

// A line for each instruction set and version: "calibrations  avx2+avx512  halftone 0.1.0  2
// networks  3 calibrations  1.2 MB  2026-01-31T..."
std::string CalibrationLines(TrialStore& store) {
  struct Group {
    KernelVersion kernels;  // of one of them
    std::set<Hash128> networks;
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    std::string last_recorded_at;
  };

  std::vector<Group> groups;
  for (const CalibrationSummary& summary : store.CalibrationSummaries()) {
    const auto known = std::ranges::find_if(
        groups, [&](const Group& group) { return SameMachine(group.kernels, summary.kernels); });
    Group& group = known != groups.end() ? *known : groups.emplace_back();
    group.kernels = summary.kernels;
    group.networks.insert(summary.model_hash);
    ++group.count;
    group.bytes += summary.bytes;
    group.last_recorded_at = std::max(group.last_recorded_at, summary.recorded_at);
  }
  std::string text;
  for (const Group& group : groups) {
    AddLine(text,
            fmt::format("calibrations  {}  halftone {}  {}  {}  {}  {}", group.kernels.isa,
                        group.kernels.tool_version, Counted(std::ssize(group.networks), "network"),
                        Counted(group.count, "calibration"),
                        FormatBytes(static_cast<double>(group.bytes)), group.last_recorded_at));
  }
  return text;
}

// A line for each machine and version that operators were timed on, or networks calibrated.
std::string OperatorLines(TrialStore& store) {
  std::string text;
  for (const TimingSummary& summary : TimingsByVersion(store)) {
    AddLine(text, TimingLine(summary));
  }
  for (const VersionProfiles& profile : ProfilesByVersion(store)) {
    AddLine(text, ProfileLine(profile));
  }
  return text + CalibrationLines(store);
}

// The operators for which tuning found another kernel, the largest gain first; networks share them.
// None for a workload that was measured with other kernels than those of now.
std::string TunedOperators(TrialStore& store, const Workload& workload) {
  std::vector<OperatorTiming> tuned;
  if (!IsCurrent(workload)) {
    return "";
  }
  for (const OpKind op : OperatorsNamed(workload.operators)) {
    for (StoredTiming& stored : store.OperatorTimings(CurrentKernels({op}))) {
      if (stored.timing.tuned()) {
        tuned.push_back(std::move(stored.timing));
      }
    }
  }
  std::stable_sort(tuned.begin(), tuned.end(),
                   [](const auto& a, const auto& b) { return a.ratio < b.ratio; });
  std::string text =
      tuned.empty() ? "" : "operators with another kernel, the largest gain first:\n";
  for (const OperatorTiming& timing : tuned) {
    AddLine(text, fmt::format("  {:.2f}x [{:.2f}, {:.2f}]  {} -> {}  {}", 1 / timing.ratio,
                              1 / timing.ratio_interval.high, 1 / timing.ratio_interval.low,
                              timing.static_kernel, timing.kernel, timing.signature));
  }
  return text;
}

}  // namespace

StoredConfiguration LoadStored(const Model& model, const std::filesystem::path& bank,
                               std::string_view soc_version, std::string_view select) {
  return LoadStored({&model, 1}, bank, LoadTarget(soc_version), select);
}

StoredConfiguration LoadStored(std::span<const Model> profiles, const std::filesystem::path& bank,
                               const TargetSpec& target, std::string_view select) {
  const Model& model = profiles.front();
  const std::string_view soc_version = target.name;
  const auto store = OpenForReading(bank, soc_version);
  const auto snapshot = store->Snapshot();
  const FoundFront found = FindFront(*store, profiles, target.library, bank);
  const std::vector<StoredTrial> history = store->History(found.workload.key);
  const StoredTrial& stored = *TrialsOf(found.front, history, DatabasePath(bank, soc_version))
                                   .at(SelectMember(found.front, select));
  const Workload& workload = found.workload.workload;
  std::vector<std::string> warnings =
      VersionWarnings(workload, CurrentKernels(OperatorsOf(model.graph)),
                      ChoicesFrom(*store, model.graph, workload.threads).Digest(), target.library);
  if (profiles.size() > 1 && workload.input_shapes == model.input_shapes) {
    warnings.push_back(
        fmt::format("measured at the input shape {} alone: the others run the same precision",
                    workload.input_shapes));
  }
  return {.precision = stored.trial.candidate.options,
          .trial = stored.trial,
          .recorded_at = stored.recorded_at,
          .workload_key = found.workload.key,
          .threads = workload.threads,
          .warnings = std::move(warnings)};
}

std::string ListBank(const std::filesystem::path& bank, std::string_view soc_version) {
  const auto store = OpenForReading(bank, soc_version);
  const auto snapshot = store->Snapshot();
  std::string text;
  for (const WorkloadSummary& summary : store->Workloads()) {
    AddLine(text, WorkloadLine(summary));
  }
  text += OperatorLines(*store);
  return text.empty() ? "the knowledge base is empty\n" : text;
}

std::string ShowBank(const std::filesystem::path& bank, std::string_view soc_version,
                     std::string_view workload_prefix) {
  const auto store = OpenForReading(bank, soc_version);
  const auto snapshot = store->Snapshot();
  std::vector<WorkloadSummary> matching;
  for (WorkloadSummary& summary : store->Workloads()) {
    if (summary.key.ToHex().starts_with(workload_prefix)) {
      matching.push_back(std::move(summary));
    }
  }
  if (matching.empty()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("no workload in '{}' has a key that begins with '{}'; see `halftone bank list`",
                    bank.string(), workload_prefix));
  }
  if (!workload_prefix.empty() && matching.size() > 1) {
    throw Error(ErrorKind::kUsage, fmt::format("{} workloads begin with '{}'; give more digits",
                                               matching.size(), workload_prefix));
  }
  const WorkloadSummary& chosen = *std::max_element(
      matching.begin(), matching.end(),
      [](const auto& a, const auto& b) { return a.last_recorded_at < b.last_recorded_at; });
  const Vocabulary& words = VocabularyOfTarget(soc_version);
  std::string text;
  AddLine(text, WorkloadLine(chosen));
  const std::vector<StoredFront> fronts = store->Fronts(chosen.key);
  const std::vector<StoredTrial> history = store->History(chosen.key);
  if (!fronts.empty()) {
    const StoredFront& front = fronts.front();
    const std::vector<const StoredTrial*> members =
        TrialsOf(front, history, DatabasePath(bank, soc_version));
    AddLine(text, fmt::format("front of {} ({}):", front.recorded_at, front.strategy));
    for (std::size_t i = 0; i < front.members.size(); ++i) {
      const Trial& trial = members[i]->trial;
      const Measurement& measurement = *trial.measurement();
      AddLine(text,
              fmt::format("  {}{}  {}  {}  {}", i + 1, front.chosen == i ? "*" : " ",
                          FormatSpeedUp(measurement.latency), NearnessText(measurement.accuracy),
                          Summary(trial.candidate, words)));
    }
  }
  text += "trials, oldest first:\n";
  for (const StoredTrial& stored : store->Trials(chosen.key)) {
    const Trial& trial = stored.trial;
    if (const Measurement* measurement = trial.measurement()) {
      AddLine(text,
              fmt::format("  {}  {}  {}  {}  {}", stored.recorded_at,
                          trial.plan_digest.ToHex().substr(0, kKeyDigits),
                          FormatSpeedUp(measurement->latency), NearnessText(measurement->accuracy),
                          Summary(trial.candidate, words)));
    } else {
      AddLine(text, fmt::format("  {}  rejected: {}: {}", stored.recorded_at,
                                Summary(trial.candidate, words), trial.rejection()->reason));
    }
  }
  text += TunedOperators(*store, chosen.workload);
  text += OperatorLines(*store);
  return text;
}

}  // namespace halftone
