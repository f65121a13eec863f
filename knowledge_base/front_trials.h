// From the members of a stored front to the trials they were.
#pragma once

#include <vector>

#include "knowledge_base/store.h"

namespace halftone {

// The trial of `history` (TrialStore::History() of the front's workload) that `member` refers to:
// the one with its measurement, or for members of schema 1 the newest measured one of its plan.
// Null when there is none, which is a damaged bank. The result points into `history`.
const StoredTrial* FindMember(const std::vector<StoredTrial>& history, const FrontMember& member);

}  // namespace halftone
