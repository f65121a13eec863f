// Place of a task, from the variables that Slurm gives it.
#include <cstdlib>

#include "src/base/host_name.h"
#include "src/fleet/engine.h"

namespace halftone {
namespace {

// Empty: not there.
std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Names the job by array and element where there are such: SLURM_JOB_ID of the last element of an
// array is the number of the array, and would name all of it.
std::string Job() {
  const std::string array = Variable("SLURM_ARRAY_JOB_ID");
  const std::string element = Variable("SLURM_ARRAY_TASK_ID");
  return !array.empty() && !element.empty() ? array + "_" + element : Variable("SLURM_JOB_ID");
}

}  // namespace

TaskPlace CurrentPlace() {
  const std::string node = Variable("SLURMD_NODENAME");
  return {.node = node.empty() ? HostName() : node, .job = Job()};
}

}  // namespace halftone
