// Merging of the banks of a kind's results into one bank, with which later tasks start.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/fleet/fleet_folder.h"

namespace halftone {

struct MergeOfKind {
  std::size_t merged = 0;  // number of banks that this merge added
  std::size_t known = 0;   // number of banks that an earlier merge had added
  // One sentence for each damaged bank (where it is now, and why) and for each damaged result.
  std::vector<std::string> damaged;
  std::vector<FleetItem> missing;  // items of the round without a result
  std::vector<std::string> cpus;   // CPU models in the results; there should be one
};

// Adds the banks of the round's results that are not merged yet to merged/KIND. Merges in a copy
// below TMPDIR on this machine's disk and then replaces the whole bank. A bank that cannot be
// merged is moved to set_aside/KIND/NETWORK.ROUND.NUMBER, and the merge goes on. Errors: kUsage if
// another merge of the kind runs; kIo.
MergeOfKind MergeKind(const FleetFolder& folder, const std::string& kind);

// True if the round has banks that are not merged yet.
bool HasUnmerged(const FleetFolder& folder, const std::string& kind);

// Does the same as MergeKind() between tasks of a round, so that later tasks start with the
// measurements of earlier ones. Merges only if the round has at least as many new results as merged
// ones, so that all these merges together copy about twice the bytes of the last bank. Leaves
// damaged banks for MergeKind(). Does nothing if another merge runs. A failure is a line for `say`.
void MergeBetweenTasks(const FleetFolder& folder, const std::string& kind,
                       const std::function<void(std::string_view line)>& say);

// Text for the screen.
std::string FormatMerge(const std::string& kind, const MergeOfKind& merge);

}  // namespace halftone
