// Merging the banks of a kind's results into one, which the tasks of later rounds start from.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/fleet/fleet_folder.h"

namespace halftone {

struct MergeOfKind {
  std::size_t merged = 0;  // banks that were new
  std::size_t known = 0;   // banks that an earlier merge had
  // A sentence for each damaged bank: where it is now, and why; and for each damaged result.
  std::vector<std::string> damaged;
  std::vector<FleetItem> missing;  // items of the round without a result
  std::vector<std::string> cpus;   // models of CPU that the results name: more than one is noted
};

// Adds the banks of the round's results that are new to merged/KIND. The bank is copied
// below TMPDIR on this machine's disk, changed there, and put back as a whole. A bank that
// cannot be merged goes to set_aside/KIND/NETWORK/, and the others merge. Errors: kUsage where
// another merge of the kind runs, kIo.
MergeOfKind MergeKind(const FleetFolder& folder, const std::string& kind);

// True if the round has banks that no merge has had.
bool HasUnmerged(const FleetFolder& folder, const std::string& kind);

// MergeKind() between tasks of a round, so that later tasks start from what earlier ones found.
// Merges once at least as many results are new as are merged already, so that all such merges
// together copy about twice the bytes of the last bank. Damaged banks are left for MergeKind().
// Does nothing where another merge runs or where it fails; `say` gets the reason.
void MergeBetweenTasks(const FleetFolder& folder, const std::string& kind,
                       const std::function<void(std::string_view line)>& say);

// Lines for the screen.
std::string FormatMerge(const std::string& kind, const MergeOfKind& merge);

}  // namespace halftone
