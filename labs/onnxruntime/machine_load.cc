#include "labs/onnxruntime/machine_load.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>

namespace halftone {
namespace {

// CPU seconds of all cores, neither idle nor waiting for a disk, including those that the host of a
// virtual machine took away; proc(5): "cpu user nice system idle iowait irq softirq steal".
double MachineCpuSeconds() {
  std::ifstream file("/proc/stat");
  std::string label;
  double fields[8] = {};
  file >> label;
  for (double& field : fields) {
    file >> field;
  }
  const double idle = fields[3] + fields[4];
  return (std::accumulate(std::begin(fields), std::end(fields), 0.0) - idle) /
         static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

MachineLoad::MachineLoad()
    : begin_(std::chrono::steady_clock::now()),
      machine_s_(MachineCpuSeconds()),
      process_s_(ProcessCpuSeconds()) {}

double MachineLoad::OtherCores() const {
  const double passed_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  const double others_s = (MachineCpuSeconds() - machine_s_) - (ProcessCpuSeconds() - process_s_);
  return passed_s > 0 ? std::max(0.0, others_s / passed_s) : 0.0;
}

double ProcessCpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace halftone
