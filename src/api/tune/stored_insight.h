// Insight of an earlier search from the knowledge base.
#pragma once

#include <optional>

#include "knowledge_base/store.h"
#include "search/space/decisions.h"
#include "search/strategies/search_insight.h"
#include "src/api/halftone.h"

namespace halftone {

// Returns the groups and the stored sensitivities of a workload, without predictions. Empty: no
// sensitivities are stored for these decisions.
std::optional<SearchInsight> StoredInsight(TrialStore& store, const Hash128& workload_key,
                                           const Decisions& decisions);

}  // namespace halftone
