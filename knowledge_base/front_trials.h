// Trials of a stored front, found by its members.
#pragma once

#include <filesystem>
#include <vector>

#include "knowledge_base/store.h"

namespace halftone {

// The trial of `history` that `member` refers to: the newest measured trial that has the member's
// plan digest, its measurement hash if that is not empty, and its trial_id if that is not 0. Null
// if there is none. `history` is TrialStore::History() of the front's workload; the result points
// into it.
const StoredTrial* FindMember(const std::vector<StoredTrial>& history, const FrontMember& member);

// Trials of all members of `front`, in the order of the members; the results point into `history`.
// Error kDatabase, which names `database`, if a member refers to no trial of `history`.
std::vector<const StoredTrial*> TrialsOf(const StoredFront& front,
                                         const std::vector<StoredTrial>& history,
                                         const std::filesystem::path& database);

}  // namespace halftone
