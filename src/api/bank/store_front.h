// The outcome of a run as the newest front of its workload.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "knowledge_base/store.h"
#include "search/space/space.h"
#include "src/api/bank/trial_log.h"
#include "src/api/halftone.h"

namespace halftone {

// Stores the points of `summary` together with those members of the newest stored front that they
// do not beat: a run that looked at little does not replace what an earlier one found. Members that
// this run would not propose (a mode or a kept operator that `space` rules out) stay out, and so do
// all where the run starts from a baseline, whose choice is relative to it. A warning of the
// summary says how many were taken over. Nothing is stored for a summary without points.
// The members refer to the rows that `log` has of the points. `facts` go into the provenance of the
// front, besides those of the machine and the command.
void StoreFront(const TrialLog& log, const SearchSpace& space, const Provenance& facts,
                TuneSummary& summary);

}  // namespace halftone
