// Plans and results of fleets, and what Slurm prints.
#include "src/base/file.h"
#include "src/base/temporary_folder.h"
#include "src/fleet/fleet_file.h"
#include "src/fleet/fleet_plan.h"
#include "src/fleet/fleet_result.h"
#include "src/fleet/slurm_text.h"
#include "tests/fuzz/fuzz.h"

namespace halftone::testing {
namespace {

const std::filesystem::path& Folder() {
  static const TemporaryFolder kFolder("a fuzzer");
  static const std::filesystem::path kPath = [] {
    WriteFileAtomically(kFolder.path() / "m/net/model.onnx", "");
    WriteFileAtomically(kFolder.path() / "m/net/input_0.pb", "");
    WriteFileAtomically(kFolder.path() / "m/two.onnx", "");
    return kFolder.path();
  }();
  return kPath;
}

// A slash of another kind than "m/", or an escape that may be one, could lead out of the folder.
bool StaysInside(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_own = i > 0 && text[i - 1] == 'm' && (i == 1 || text[i - 2] != '.');
    if (text[i] == '\\' || (text[i] == '/' && !is_own)) {
      return false;
    }
  }
  return true;
}

// The parser looks for models and follows patterns: all that an input can name lies below an empty
// folder but for one network.
void FleetYaml(std::string_view bytes) {
  if (!StaysInside(bytes)) {
    return;
  }
  const auto file = ValueOrError([&] { return ParseFleetFile(bytes, Folder() / "FLEET.yaml"); });
  if (!file) {
    return;
  }
  Require(!file->plan.networks.empty() && !file->plan.kinds.empty(), "an empty plan");
  Require(file->folder.is_absolute() && file->folder != Folder(), "a folder of the file itself");
  for (const FleetItem& item : ItemsOf(file->plan)) {
    Require(item.network.find('/') == std::string::npos, "a name that is a path");
    OptionsOf(file->plan, item);
  }
  const auto json = ValueOrError([&] { return PlanToJson(file->plan); });
  Require(!json || PlanFromJson(*json, "plan.json") == file->plan, "the plan read back differs");
}

// result.json of a task, and the plan beside it.
void ResultJson(std::string_view bytes) {
  ReadsBack(
      bytes, [](std::string_view text) { return ResultFromJson(text, "result.json"); },
      ResultToJson);
  ReadsBack(
      bytes, [](std::string_view text) { return PlanFromJson(text, "plan.json"); }, PlanToJson);
}

// What squeue prints, and the names of jobs that sbatch prints.
void Squeue(std::string_view bytes) {
  if (const auto tasks = ValueOrError([&] { return ParseSqueue(bytes); })) {
    for (const EngineTask& task : *tasks) {
      Require(ParseSlurmJobName(task.job) == SlurmJobName{task.job, ""}, "a job of another form");
    }
  }
  if (const auto job = ParseSlurmJobName(bytes)) {
    Require(ToText(*job) == bytes, "the name read back differs");
  }
  FindByComment(bytes, "halftone-1f");
  ConfigNumber(bytes, "MaxArraySize");
  ParseFeatures(bytes);
  FailureText(bytes);
}

const FuzzedParsers kFleetParsers = {
    {"fleet_file", FleetYaml},
    {"fleet_result", ResultJson},
    {"squeue", Squeue},
};

}  // namespace
}  // namespace halftone::testing
