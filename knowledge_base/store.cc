#include "knowledge_base/store.h"

namespace halftone {

// The order and the separator are part of the database format. The leading text names this version
// of the key: a change of the algorithm is a new text, never a silent new value. What is unknown or
// empty is no part of it, so that the keys in older exports hold.
Hash128 KeyOf(const Workload& workload) {
  Hasher hasher;
  hasher.Add("halftone workload 1")
      .Add(workload.model_hash)
      .Add(workload.input_shapes)
      .Add(workload.data_hash)
      .Add(workload.target)
      .Add(workload.isa)
      .Add(workload.kernel_table_hash)
      .Add(workload.tool_version)
      .Add(std::int64_t{workload.threads});
  if (workload.kernel_choices != Hash128{}) {
    hasher.Add(workload.kernel_choices);
  }
  if (!workload.cpu.empty()) {
    hasher.Add("cpu").Add(workload.cpu);
  }
  return hasher.Finish();
}

void TrialStore::AddOperatorTimings(const KernelVersion& kernels,
                                    std::span<const OperatorTiming> timings) {
  std::vector<VersionedTiming> versioned;
  for (const OperatorTiming& timing : timings) {
    versioned.push_back({kernels, timing});
  }
  AddVersionedTimings(versioned);
}

}  // namespace halftone
