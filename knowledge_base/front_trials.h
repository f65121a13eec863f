// Trials of a stored front, found by its members.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "knowledge_base/store.h"

namespace halftone {

// The trial of `history` (TrialStore::History() of the front's workload) that `member` refers to:
// the row it names, else the newest row with its measurement, else, for members of schema 1, the
// newest measured one of its plan. Null when there is none. The result points into `history`.
const StoredTrial* FindMember(const std::vector<StoredTrial>& history, const FrontMember& member);

// The trial that replaces a member whose measurement was never stored, as searches before schema 8
// left some: the newest confirmed trial of its plan, else the newest measured one. Null when the
// plan has none.
const StoredTrial* FindStandIn(const std::vector<StoredTrial>& history, const FrontMember& member);

struct FrontTrials {
  std::vector<const StoredTrial*> members;  // in the order of StoredFront::members
  std::vector<std::string> warnings;        // a sentence when stand-ins are used
};

// Trials of all members of `front`, with stand-ins where FindMember() has none; the pointers are
// into `history`. Error kDatabase, which names `database`: a plan of a member has no measured
// trial.
FrontTrials TrialsOf(const StoredFront& front, const std::vector<StoredTrial>& history,
                     const std::filesystem::path& database);

}  // namespace halftone
