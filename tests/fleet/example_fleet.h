// Fleets made up by hand, for the tests of their reports.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/fleet/report/fleet_report.h"

namespace halftone::testing {

// A point with an interval of `speed_up` +- 0.02.
FleetPoint PointOf(double speed_up, std::map<std::string, double> accuracy, bool chosen = false);

// Done, on an idle machine with the CPU "CPU of <kind>".
FleetResult ResultOf(const std::string& kind, const std::string& network,
                     std::vector<FleetPoint> points);

FleetResult FailedResult(const std::string& kind, const std::string& network,
                         const std::string& reason);

// Each network on each kind.
FleetPlan PlanOf(const std::vector<std::string>& kinds, const std::vector<std::string>& networks);

// One kind "k"; without results before there is no comparison.
FleetReport ReportOf(const std::vector<FleetResult>& results,
                     const std::vector<FleetResult>& before = {});

FleetReportFacts FactsOfExample();

// Two kinds, a round before; every state, verdict and mark.
FleetReport ExampleReport();
FleetReport RetuneReport();
// Names and errors that would be markup, quotes, line breaks or escapes of a terminal.
FleetReport HostileReport();
FleetReport EmptyReport();
// `networks` networks on two kinds.
FleetReport LargeReport(int networks);

struct NamedReport {
  std::string name;
  FleetReport report;
};

std::vector<NamedReport> AllExampleReports();

}  // namespace halftone::testing
