#include "src/fleet/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr EngineRow kEngines[] = {
    {"slurm", "the cluster whose Slurm takes jobs from this machine", OpenSlurmEngine},
    {"local", "this machine, one task after the other, while the command waits", OpenLocalEngine},
};

}  // namespace

std::span<const EngineRow> AllEngines() {
  return kEngines;
}

std::unique_ptr<FleetEngine> OpenEngine(std::string_view name, const OptionList& options) {
  const auto* row = std::ranges::find(kEngines, name, &EngineRow::name);
  if (row == std::end(kEngines)) {
    std::vector<std::string> names;
    std::ranges::transform(kEngines, std::back_inserter(names),
                           [](const EngineRow& other) { return std::string(other.name); });
    throw Error(ErrorKind::kUsage,
                fmt::format("no engine '{}'; expected one of {}", Shown(name), Join(names, ", ")));
  }
  return row->open(options);
}

}  // namespace halftone
