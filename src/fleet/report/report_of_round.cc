#include "src/fleet/report/report_of_round.h"

#include <fmt/format.h>

#include "src/api/bank/workload.h"
#include "src/api/halftone.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// The results that a round has; what cannot be read goes to `damaged`, which may be null.
std::vector<FleetResult> ResultsOf(const FleetFolder& folder, const FleetPlan& plan,
                                   std::vector<DamagedResult>* damaged) {
  std::vector<FleetResult> results;
  for (const FleetItem& item : ItemsOf(plan)) {
    try {
      if (std::optional<FleetResult> result = folder.Result(item)) {
        results.push_back(std::move(*result));
      }
    } catch (const Error& error) {
      if (damaged != nullptr) {
        damaged->push_back({item, error.what()});
      }
    }
  }
  return results;
}

}  // namespace

FleetReport ReportOfRound(const FleetFolder& folder, const std::optional<FleetFolder>& before) {
  const FleetPlan plan = folder.Plan();
  FleetReportFacts facts = {.name = folder.path().filename().string(),
                            .round = folder.round(),
                            .created_at = UtcNow(),
                            .tool_version = std::string(Version())};
  std::vector<FleetResult> earlier;
  std::optional<FleetFolder> other = before;
  if (!other && folder.round() > 1) {
    other = folder.AtRound(folder.round() - 1);
  }
  if (other) {
    earlier = ResultsOf(*other, other->Plan(), nullptr);
    facts.before = fmt::format("round {}", other->round());
    if (other->path() != folder.path()) {
      facts.before += " of " + other->path().string();
    }
  }
  const std::vector<FleetResult> results = ResultsOf(folder, plan, &facts.damaged);
  return MakeFleetReport(results, plan, earlier, std::move(facts));
}

}  // namespace halftone
