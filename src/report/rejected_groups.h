// Rejected configurations of a search, grouped by the kind of their reason.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/report/tune_summary.h"

namespace halftone {

// Most groups that a report shows, the largest first.
inline constexpr std::size_t kShownRejectedGroups = 20;

// The reason without its numbers and names (in quotes or brackets): equal for reasons of one kind.
std::string KindOfReason(std::string_view reason);

struct RejectedGroup {
  std::string reason;   // of the first configuration
  std::string summary;  // of the first configuration
  std::size_t configurations = 0;
};

// Groups configurations by KindOfReason(). The largest group first; groups of one size in the order
// of their first configurations.
std::vector<RejectedGroup> RejectedGroups(std::span<const RejectedPoint> rejected);

}  // namespace halftone
