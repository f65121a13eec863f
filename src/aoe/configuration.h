// aoe.ini: folder of results, and number of profiled runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct AoeConfiguration {
  std::string work_path;              // WORK_PATH; empty: the current folder at the start
  int tuning_parallel_num = 8;        // TUNING_PARALLEL_NUM, 1 to 64: unused by measurements
  int run_loop = 10;                  // RUN_LOOP, 1 to 2048: runs of the network in a profile
  std::vector<std::string> warnings;  // unknown sections and keys
};

// Lines "[SECTION]", "KEY=value", "# comment", "; comment". Error kUsage naming file and line for
// anything else, a key given twice, and a number out of range.
AoeConfiguration ParseAoeConfiguration(std::string_view content, std::string_view file_name);

}  // namespace halftone
