#include "src/fleet/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr EngineRow kFleetEngines[] = {
    {"slurm", "the cluster whose Slurm takes jobs from this machine", OpenSlurmEngine},
    {"local", "this machine, one task after the other, while the command waits", OpenLocalEngine},
};

}  // namespace

std::span<const EngineRow> AllEngines() {
  return kFleetEngines;
}

std::unique_ptr<FleetEngine> OpenEngine(std::string_view name, const OptionList& options) {
  const auto* row = std::ranges::find(kFleetEngines, name, &EngineRow::name);
  if (row == std::end(kFleetEngines)) {
    std::vector<std::string> names;
    std::ranges::transform(kFleetEngines, std::back_inserter(names),
                           [](const EngineRow& other) { return std::string(other.name); });
    throw Error(ErrorKind::kUsage,
                fmt::format("no engine '{}'; expected one of {}", Shown(name), Join(names, ", ")));
  }
  return row->open(options);
}

}  // namespace halftone
