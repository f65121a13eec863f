#include "knowledge_base/front_trials.h"

#include <algorithm>

#include "knowledge_base/checksum.h"

namespace halftone {

const StoredTrial* FindMember(const std::vector<StoredTrial>& history, const FrontMember& member) {
  const auto found = std::find_if(history.rbegin(), history.rend(), [&](const StoredTrial& stored) {
    return stored.trial.plan_digest == member.plan_digest &&
           stored.trial.measurement() != nullptr &&
           (!member.measurement_hash ||
            MeasurementHashOf(stored.trial) == *member.measurement_hash);
  });
  return found == history.rend() ? nullptr : &*found;
}

}  // namespace halftone
