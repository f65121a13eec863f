// Storage of a run's outcome as the newest front of its workload.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "knowledge_base/store.h"
#include "search/space/space.h"
#include "src/api/bank/trial_log.h"
#include "src/api/halftone.h"

namespace halftone {

// Stores the points of `summary` as the newest front of the workload of `log`; without points,
// stores nothing. Adds the confirmed members of the previous front that these points do not
// dominate, so that a short run does not replace better results of an earlier run. Members with a
// mode outside `space`, or without one of its pinned keep_dtype lines, are not added. If the run
// starts from a baseline, none is added, because the choice of the run is relative to the baseline.
// Each member names its row in the store; `log` knows the rows of the run's points. `facts` extend
// the provenance of the front. Returns a warning with the number of added members; empty: none.
std::string StoreFront(const TrialLog& log, const SearchSpace& space, const Provenance& facts,
                       const TuneSummary& summary);

}  // namespace halftone
