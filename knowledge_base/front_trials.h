// Trials of a stored front, found by its members.
#pragma once

#include <filesystem>
#include <vector>

#include "knowledge_base/store.h"

namespace halftone {

// The trial of `history` (TrialStore::History() of the front's workload) that `member` refers to:
// the row it names, else the newest row with its measurement, else the newest measured one of its
// plan. Null when there is none. The result points into `history`.
const StoredTrial* FindMember(const std::vector<StoredTrial>& history, const FrontMember& member);

// Trials of all members of `front`, in their order; the pointers are into `history`. Error
// kDatabase, which names `database`: a member has no such trial.
std::vector<const StoredTrial*> TrialsOf(const StoredFront& front,
                                         const std::vector<StoredTrial>& history,
                                         const std::filesystem::path& database);

}  // namespace halftone
