// Outcome of a run, stored as newest front of its workload.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "knowledge_base/store.h"
#include "search/space/space.h"
#include "src/api/bank/trial_log.h"
#include "src/api/halftone.h"

namespace halftone {

// Stores the points of `summary` with those members of the newest stored front that they do not
// dominate: a short run does not replace the results of an earlier one. Members outside `space` (a
// mode or keep_dtype entry that it rules out) are left out. All are left out if the run starts from
// a baseline, because its choice is relative to it. Returns a warning with the number of members
// taken over; empty: none. Nothing is stored for a summary without points. The members refer to the
// rows of the points in `log`. `facts` go into the provenance of the front, besides those of the
// machine and the command.
std::string StoreFront(const TrialLog& log, const SearchSpace& space, const Provenance& facts,
                       const TuneSummary& summary);

}  // namespace halftone
