// Commands of `halftone fleet` that the engine's jobs run: one element of an array, and the merge
// after it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <system_error>
#include <thread>

#include "src/base/error.h"
#include "src/base/file_lock.h"
#include "src/cli/command.h"
#include "src/cli/fleet_flags.h"
#include "src/cli/interrupt.h"
#include "src/cli/shared_options.h"
#include "src/cli/terminal.h"
#include "src/fleet/engine.h"
#include "src/fleet/merge.h"
#include "src/fleet/task.h"

namespace halftone {
namespace {

struct WorkFlags {
  FleetFlags fleet;
  std::string kind;
  std::string list;
  std::size_t element = 0;
  std::size_t stride = 1;
  std::string scratch;
};

std::filesystem::path ScratchOf(const std::string& given) {
  if (!given.empty()) {
    return given;
  }
  std::error_code code;
  std::filesystem::path folder = std::filesystem::temp_directory_path(code);
  if (code) {
    throw Error(ErrorKind::kIo,
                "TMPDIR names no folder: set it to one on this machine's own disk, or --scratch");
  }
  return folder;
}

int RunWork(const WorkFlags& flags) {
  const FleetFolder folder = OpenFleet(flags.fleet);
  const InterruptGuard interrupt(InterruptGuard::Signals::kAndNotice);
  const WorkSettings settings = {.program = ThisProgram(),
                                 .scratch = ScratchOf(flags.scratch),
                                 .takes = CommandTakes,
                                 .stop_requested = InterruptGuard::Requested,
                                 .say = [](std::string_view line) { PrintLine(line); }};
  if (RunElement(folder, flags.kind, flags.list, flags.element, flags.stride, settings)) {
    return kExitDone;
  }
  // A time limit ends a task that would go on; whoever stops it does not want it to.
  if (InterruptGuard::NoticeCame()) {
    const FleetPlan plan = folder.Plan();
    if (OpenEngine(plan.engine, plan.engine_options)->RequeueThis()) {
      PrintLine("the time of this job ends: it is queued again");
      return kExitDone;
    }
  }
  return kExitInterrupted;
}

void DefineWork(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<WorkFlags>();
  CLI::App* work = app.add_subcommand(
      "work", "Job of the engine: tune one element's networks, one after the other");
  AddFleetFlags(*work, flags->fleet);
  work->add_option("--kind", flags->kind, "Kind of this machine")->required();
  work->add_option("--list", flags->list, "File with a network on each line")->required();
  RequireRange(work->add_option("--element", flags->element, "First network of the list, from 0"),
               limits::kCountRange)
      ->capture_default_str();
  RequireRange(work->add_option("--stride", flags->stride, "And every N-th behind it"),
               limits::kPositiveCountRange)
      ->capture_default_str();
  work->add_option("--scratch", flags->scratch,
                   "Folder on this machine's own disk; without it TMPDIR");
  work->final_callback([flags, &exit_code] { exit_code = RunWork(*flags); });
}

struct MergeFlags {
  FleetFlags fleet;
  std::vector<std::string> kinds;
};

// A task may still be merging what it has published.
MergeOfKind MergeBehindOthers(const FleetFolder& folder, const std::string& kind) {
  constexpr std::chrono::seconds kLook{1};
  constexpr int kMostLooks = 600;
  for (int look = 0; look < kMostLooks; ++look) {
    try {
      return MergeKind(folder, kind);
    } catch (const FileHeld&) {
      std::this_thread::sleep_for(kLook);
    }
  }
  return MergeKind(folder, kind);
}

// 1: a bank or a result was damaged.
int RunMerge(const MergeFlags& flags) {
  const FleetFolder folder = OpenFleet(flags.fleet);
  RequireKinds(folder.Plan(), flags.kinds);
  bool damaged = false;
  for (const FleetKind& kind : folder.Plan().kinds) {
    if (flags.kinds.empty() || std::ranges::find(flags.kinds, kind.name) != flags.kinds.end()) {
      const MergeOfKind merge = MergeBehindOthers(folder, kind.name);
      PrintText(FormatMerge(kind.name, merge));
      damaged = damaged || !merge.damaged.empty();
    }
  }
  return damaged ? kExitFailure : kExitDone;
}

void DefineMerge(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<MergeFlags>();
  CLI::App* merge = app.add_subcommand(
      "merge", "Job of the engine: add the banks of the results to the bank of their kind");
  AddFleetFlags(*merge, flags->fleet);
  AddKindsFlag(*merge, flags->kinds);
  merge->final_callback([flags, &exit_code] { exit_code = RunMerge(*flags); });
}

}  // namespace

void DefineFleetJobs(CLI::App& app, int& exit_code) {
  DefineWork(app, exit_code);
  DefineMerge(app, exit_code);
}

}  // namespace halftone
