#include "knowledge_base/front_trials.h"

#include <fmt/format.h>

#include <algorithm>

#include "knowledge_base/checksum.h"
#include "src/base/error.h"

namespace halftone {

const StoredTrial* FindMember(const std::vector<StoredTrial>& history, const FrontMember& member) {
  const auto found = std::find_if(history.rbegin(), history.rend(), [&](const StoredTrial& stored) {
    return (member.trial_id == 0 || stored.id == member.trial_id) &&
           stored.trial.plan_digest == member.plan_digest &&
           stored.trial.measurement() != nullptr &&
           (!member.measurement_hash ||
            MeasurementHashOf(stored.trial) == *member.measurement_hash);
  });
  return found == history.rend() ? nullptr : &*found;
}

std::vector<const StoredTrial*> TrialsOf(const StoredFront& front,
                                         const std::vector<StoredTrial>& history,
                                         const std::filesystem::path& database) {
  std::vector<const StoredTrial*> trials;
  for (const FrontMember& member : front.members) {
    const StoredTrial* stored = FindMember(history, member);
    if (stored == nullptr) {
      throw Error(ErrorKind::kDatabase,
                  fmt::format("the knowledge base '{}' names plan {} in a front but holds no such "
                              "trial: the file was damaged, restore it from a copy",
                              database.string(), member.plan_digest.ToHex()));
    }
    trials.push_back(stored);
  }
  return trials;
}

}  // namespace halftone
