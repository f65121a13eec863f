// halftone_example_reports FOLDER: every report format of every example under FOLDER/<example>/.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "src/report/formats.h"
#include "tests/support/example_summary.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: halftone_example_reports FOLDER\n", stderr);
    return 2;
  }
  for (const auto& [name, summary] : halftone::testing::AllExampleSummaries()) {
    const std::filesystem::path folder = std::filesystem::path(argv[1]) / name;
    std::filesystem::create_directories(folder);
    for (const halftone::ReportFormat& format : halftone::AllReportFormats()) {
      if (!format.file_name.empty()) {
        std::ofstream(folder / format.file_name, std::ios::binary) << format.format(summary);
      }
    }
  }
  return 0;
}
