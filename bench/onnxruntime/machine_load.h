// How much of the machine others used while something was measured: on a busy machine the ratios
// are as much those of the scheduler as those of the programs.
#pragma once

#include <chrono>

namespace halftone {

class MachineLoad {
 public:
  // Begins to count.
  MachineLoad();

  // Cores that other processes kept busy on average since then; 0 where /proc/stat is missing.
  [[nodiscard]] double OtherCores() const;

 private:
  std::chrono::steady_clock::time_point begin_;
  double machine_s_;
  double process_s_;
};

// CPU time of this process, all threads.
double ProcessCpuSeconds();

}  // namespace halftone
