// Load of the machine by other processes during a measurement: on a busy machine, ratios depend on
// the scheduler as much as on the programs.
#pragma once

#include <chrono>

namespace halftone {

class MachineLoad {
 public:
  // Begins to measure the load.
  MachineLoad();

  // Cores that other processes kept busy on average since construction; 0 without /proc/stat.
  [[nodiscard]] double OtherCores() const;

 private:
  std::chrono::steady_clock::time_point begin_;
  double machine_s_;
  double process_s_;
};

// CPU time of this process, over all threads.
double ProcessCpuSeconds();

}  // namespace halftone
