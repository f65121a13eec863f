// Parser of aoe.ini, the configuration file of AOE.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct AoeConfiguration {
  std::string work_path;              // WORK_PATH; empty: the current folder at the start
  int tuning_parallel_num = 8;        // TUNING_PARALLEL_NUM, 1 to 64; has no effect
  int run_loop = 10;                  // RUN_LOOP, 1 to 2048: runs of the network in a profile
  std::vector<std::string> warnings;  // about unknown sections and keys
};

// Parses lines "[SECTION]", "KEY=value", "# comment" and "; comment". Error kUsage, naming file and
// line, for another line, a key that is given twice, and a number out of range.
AoeConfiguration ParseAoeConfiguration(std::string_view content, std::string_view file_name);

}  // namespace halftone
