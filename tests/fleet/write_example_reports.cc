// halftone_example_fleet_reports FOLDER: every format of every example under FOLDER/<example>/.
#include <cstdio>
#include <filesystem>

#include "src/fleet/report/report_formats.h"
#include "tests/fleet/example_fleet.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: halftone_example_fleet_reports FOLDER\n", stderr);
    return 2;
  }
  for (const auto& [name, report] : halftone::testing::AllExampleReports()) {
    halftone::WriteFleetReport(report, std::filesystem::path(argv[1]) / name);
  }
  return 0;
}
