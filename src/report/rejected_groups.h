// Rejected configurations of a search, grouped by the kind of their reason.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/report/tune_summary.h"

namespace halftone {

// Most groups that a report shows: the largest ones.
inline constexpr std::size_t kShownRejectedGroups = 20;

// The reason without its numbers and without the names in its quotes or brackets. Reasons of one
// kind give equal texts.
std::string KindOfReason(std::string_view reason);

struct RejectedGroup {
  std::string reason;   // of the first configuration
  std::string summary;  // of the first configuration
  std::size_t configurations = 0;
};

// Groups configurations by KindOfReason(), the largest group first. Groups of one size stand in the
// order of their first configurations.
std::vector<RejectedGroup> RejectedGroups(std::span<const RejectedPoint> rejected);

}  // namespace halftone
