#include "src/fleet/engine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "src/base/text.h"
#include "src/base/whole_number.h"

namespace halftone {
namespace {

constexpr std::array kFleetEngines = {
    EngineRow{"local", "this machine, one task after the other", OpenLocalEngine},
};

std::string EnvironmentText(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

}  // namespace

std::span<const EngineRow> AllEngines() {
  return kFleetEngines;
}

std::unique_ptr<FleetEngine> OpenEngine(std::string_view name, const OptionList& options) {
  std::vector<std::string> names;
  for (const EngineRow& row : kFleetEngines) {
    if (row.name == name) {
      return row.open(options);
    }
    names.emplace_back(row.name);
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("engine '{}'; expected one of {}", name, Join(names, ", ")));
}

TaskPlace CurrentPlace() {
  char host[256] = {};
  ::gethostname(host, sizeof(host) - 1);
  const std::string node = EnvironmentText("SLURMD_NODENAME");
  const std::string array = EnvironmentText("SLURM_ARRAY_JOB_ID");
  return {.node = node.empty() ? host : node,
          .job = array.empty() ? EnvironmentText("SLURM_JOB_ID")
                               : array + "_" + EnvironmentText("SLURM_ARRAY_TASK_ID"),
          .restarts = WholeNumber<int>(EnvironmentText("SLURM_RESTART_COUNT")).value_or(0)};
}

}  // namespace halftone
