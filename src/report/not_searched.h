// Runs that ended before there were plans to choose among, and searches that found nothing faster
// than float32: what is known of them, and what would help.
#pragma once

#include <string>

namespace halftone {

struct TuneSummary;

// True if time or the user ended the run before there were plans to choose among.
bool NothingSearched(const TuneSummary& summary);

// Reason why nothing was searched, and what a search would take: full sentences.
std::string WhyNotSearched(const TuneSummary& summary);

// Reason why no point is faster than float32: a sentence with a blank before it. Empty if a point
// is faster, if no plan that lowers an operator was measured, or if latencies are predicted or
// measured on a runtime.
std::string WhyNothingIsFaster(const TuneSummary& summary);

}  // namespace halftone
