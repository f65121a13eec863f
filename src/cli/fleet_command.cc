// halftone fleet: many networks on many machines.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "src/api/machine_features.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/fleet_flags.h"
#include "src/cli/interrupt.h"
#include "src/cli/shared_options.h"
#include "src/cli/terminal.h"
#include "src/fleet/engine.h"
#include "src/fleet/fleet_file.h"
#include "src/fleet/report/report_formats.h"
#include "src/fleet/report/report_of_round.h"
#include "src/fleet/status.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

std::string EngineHelp() {
  std::string text = "Places the tasks, in place of the engine of FLEET.yaml";
  for (const EngineRow& row : AllEngines()) {
    text += fmt::format("; {}: {}", row.name, row.meaning);
  }
  return text;
}

struct SubmitFlags {
  std::string file;
  FleetFlags fleet;
  std::string engine;
  std::string scratch;
  std::vector<std::string> kinds;
  ResumeMore more;
  bool dry_run = false;
};

void AddScratchFlag(CLI::App& app, std::string& scratch) {
  app.add_option("--scratch", scratch,
                 "Folder on the own disk of each machine, where banks are while a task runs; "
                 "without it the TMPDIR of the task");
}

// Submits what is to do. The exit code.
int SubmitTasks(const FleetFolder& folder, const SubmitFlags& flags) {
  const FleetPlan plan = folder.Plan();
  const std::unique_ptr<FleetEngine> engine = OpenEngine(plan.engine, plan.engine_options);
  std::optional<InterruptGuard> interrupt;
  if (engine->waits()) {
    interrupt.emplace();
  }
  try {
    SubmitRound(folder, *engine, flags.more,
                {.program = ThisProgram(),
                 .kinds = flags.kinds,
                 .scratch = flags.scratch,
                 .say = [](std::string_view line) { PrintLine(line); },
                 .stop_requested = InterruptGuard::Requested});
  } catch (const EngineInterrupted&) {
    PrintErrorLine(
        fmt::format("interrupted: halftone fleet resume {} goes on", folder.path().string()));
    return kExitInterrupted;
  }
  if (engine->waits()) {
    return engine->failed() ? kExitFailure : ExitCodeOf(StatusOf(folder, nullptr));
  }
  PrintLine(fmt::format("halftone fleet status {} shows how far it is", folder.path().string()));
  return kExitDone;
}

void RemoveQuietly(const FleetFolder& folder) {
  try {
    folder.RemoveUnusedRound();
  } catch (const Error&) {  // what was refused is said, and matters more
  }
}

// A round that the engine refuses is none: the corrected file can be submitted.
int SubmitRoundOrNone(const FleetFolder& folder, const SubmitFlags& flags) {
  try {
    return SubmitTasks(folder, flags);
  } catch (const Error& error) {
    // What did not answer may have taken a job all the same.
    if (error.kind() == ErrorKind::kUsage) {
      RemoveQuietly(folder);
    }
    throw;
  }
}

// Options are of one engine.
void SetEngine(const std::string& engine, FleetPlan& plan) {
  if (!engine.empty() && engine != plan.engine) {
    plan.engine = engine;
    plan.engine_options.clear();
  }
}

// Before anything is written: a wrong option would fail hours later, in each task.
void CheckPlan(const FleetPlan& plan, const std::vector<std::string>& kinds) {
  CheckTaskOptionsOf(plan);
  CheckKinds(plan, *OpenEngine(plan.engine, plan.engine_options), kinds);
}

constexpr std::uintmax_t kMostFleetFileBytes = 16U << 20U;

int RunSubmit(const SubmitFlags& flags) {
  const fs::path path = fs::absolute(flags.file);
  FleetFile file = ParseFleetFile(ReadSmallFile(path, kMostFleetFileBytes), path);
  std::error_code code;  // of what cannot be looked at: the folder is made, or that says why not
  if (const auto type = fs::status(file.folder, code).type();
      type != fs::file_type::not_found && type != fs::file_type::directory) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: fleet: '{}' is no folder; name one, or a place for a new one",
                            path.string(), file.folder.string()));
  }
  SetEngine(flags.engine, file.plan);
  CheckPlan(file.plan, flags.kinds);
  const std::size_t items = ItemsOf(file.plan).size();
  PrintLine(fmt::format("fleet {}: {}, {}, {}", file.folder.string(),
                        Counted(static_cast<std::int64_t>(file.plan.networks.size()), "network"),
                        Counted(static_cast<std::int64_t>(file.plan.kinds.size()), "kind"),
                        Counted(static_cast<std::int64_t>(items), "result")));
  if (flags.dry_run) {
    return kExitDone;
  }
  return SubmitRoundOrNone(FleetFolder::AddRound(file.folder, file.plan, true), flags);
}

void DefineSubmit(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<SubmitFlags>();
  CLI::App* submit = app.add_subcommand(
      "submit", "Queue all networks of a file on all kinds of machine that it names");
  submit->add_option("file", flags->file, "FLEET.yaml (docs/guide/fleets.md)")->required();
  submit->add_option("--engine", flags->engine, EngineHelp());
  AddKindsFlag(*submit, flags->kinds);
  AddScratchFlag(*submit, flags->scratch);
  submit->add_flag("--dry_run", flags->dry_run, "Check file and options, and queue nothing");
  submit->final_callback([flags, &exit_code] { exit_code = RunSubmit(*flags); });
}

void DefineResume(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<SubmitFlags>();
  CLI::App* resume = app.add_subcommand(
      "resume", "Queue what has no result and is not in the queue, and nothing else");
  resume->add_option("folder", flags->fleet.folder, "Folder of the fleet")->required();
  resume->add_flag("--failed", flags->more.failed, "Also what failed");
  resume->add_flag("--busy", flags->more.busy,
                   "Also what was measured while other programs used the machine, or inconclusive");
  AddKindsFlag(*resume, flags->kinds);
  AddScratchFlag(*resume, flags->scratch);
  resume->final_callback(
      [flags, &exit_code] { exit_code = SubmitTasks(OpenFleet(flags->fleet), *flags); });
}

void DefineRetune(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<SubmitFlags>();
  CLI::App* retune = app.add_subcommand(
      "retune",
      "Begin a round after an upgrade: does what was shipped hold? Search again where not");
  retune->add_option("folder", flags->fleet.folder, "Folder of the fleet")->required();
  retune->add_option("--engine", flags->engine, EngineHelp());
  AddKindsFlag(*retune, flags->kinds);
  AddScratchFlag(*retune, flags->scratch);
  retune->final_callback([flags, &exit_code] {
    const FleetFolder before = OpenFleet(flags->fleet);
    FleetPlan plan = before.Plan();
    plan.task = RoundTask::kRetune;
    SetEngine(flags->engine, plan);
    CheckPlan(plan, flags->kinds);
    exit_code = SubmitRoundOrNone(FleetFolder::AddRound(before.path(), plan, false), *flags);
  });
}

struct StatusFlags {
  FleetFlags fleet;
  std::string format = "table";
  std::size_t most = 20;
  bool check = false;
};

int RunStatus(const StatusFlags& flags) {
  const FleetFolder folder = OpenFleet(flags.fleet);
  const FleetPlan plan = folder.Plan();
  const std::unique_ptr<FleetEngine> engine = OpenEngine(plan.engine, plan.engine_options);
  const RoundStatus status = StatusOf(folder, engine.get());
  PrintText(flags.format == "json" ? StatusToJson(folder, status)
                                   : FormatStatus(folder, status, flags.most));
  return flags.check ? ExitCodeOf(status) : kExitDone;
}

void DefineStatus(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<StatusFlags>();
  CLI::App* status =
      app.add_subcommand("status", "What is done, runs and how far, waits, failed and why");
  AddFleetFlags(*status, flags->fleet);
  status->add_option("--format", flags->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  RequireRange(status->add_option("--most", flags->most, "Lines of each state in the table"),
               limits::kCountRange)
      ->capture_default_str();
  status->add_flag("--check", flags->check,
                   "Exit code 1 where a task failed, 3 where bounds are not met or something is "
                   "not finished");
  status->final_callback([flags, &exit_code] { exit_code = RunStatus(*flags); });
}

struct ReportFlags {
  FleetFlags fleet;
  std::string against;
};

void RunReport(const ReportFlags& flags) {
  const FleetFolder folder = OpenFleet(flags.fleet);
  std::optional<FleetFolder> before;
  if (!flags.against.empty()) {
    before = FleetFolder::Open(flags.against);
    if (before->path() == folder.path()) {
      throw Error(
          ErrorKind::kUsage,
          "--against names the fleet itself; leave it out to compare with the round before");
    }
  }
  const FleetReport report = ReportOfRound(folder, before);
  WriteFleetReport(report, folder.RoundFolder());
  PrintText(FormatFleetTable(report));
  std::vector<std::string> names;
  for (const FleetReportFormat& format : AllFleetReportFormats()) {
    names.emplace_back(format.file_name);
  }
  PrintLine(fmt::format("report: {}/{}", folder.RoundFolder().string(), Join(names, ", ")));
}

void DefineReport(CLI::App& app) {
  auto flags = std::make_shared<ReportFlags>();
  CLI::App* report = app.add_subcommand(
      "report", "One page: networks by bounds, kinds of machine beside each other, what moved");
  AddFleetFlags(*report, flags->fleet);
  report->add_option("--against", flags->against,
                     "Folder of another fleet to compare with, in place of the round before");
  report->final_callback([flags] { RunReport(*flags); });
}

// The line `Features=...` for this machine in the slurm.conf of a cluster.
void DefineFeatures(CLI::App& app) {
  CLI::App* features = app.add_subcommand(
      "features", "Names for this machine, by which a kind's constraint finds it");
  features->final_callback([] { PrintLine(Join(MachineFeatures(), ",")); });
}

}  // namespace

void DefineFleetCommand(CLI::App& app, int& exit_code) {
  app.require_subcommand(1);
  DefineSubmit(app, exit_code);
  DefineStatus(app, exit_code);
  DefineResume(app, exit_code);
  DefineReport(app);
  DefineRetune(app, exit_code);
  DefineFeatures(app);
  DefineFleetJobs(app, exit_code);
}

}  // namespace halftone
