// Findings of the probes on a plan's choice for each operator. They are the reasons for the lines
// of its option files.
#pragma once

#include <map>
#include <string>

#include "search/space/decisions.h"
#include "search/strategies/search_insight.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// One clause per probed group, by the name of its main node: "it saves 3.1 % of float32's time and
// alone leaves an SQNR of 62.3 dB"; or, for a group in float32, why its fastest reduced choice was
// rejected. A group in float32 without a reduced choice has no clause. `insight` must describe the
// groups of `decisions`. Empty if nothing was probed.
std::map<std::string, std::string> ChoiceFindings(const Decisions& decisions,
                                                  const SearchInsight& insight,
                                                  const PrecisionPlan& plan);

}  // namespace halftone
