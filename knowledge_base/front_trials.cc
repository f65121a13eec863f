#include "knowledge_base/front_trials.h"

#include <fmt/format.h>

#include <algorithm>

#include "knowledge_base/checksum.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

template <typename Predicate>
const StoredTrial* NewestWhere(const std::vector<StoredTrial>& history, Predicate&& predicate) {
  const auto found = std::find_if(history.rbegin(), history.rend(), predicate);
  return found == history.rend() ? nullptr : &*found;
}

bool IsMeasuredPlan(const StoredTrial& stored, const FrontMember& member) {
  return stored.trial.plan_digest == member.plan_digest && stored.trial.measurement() != nullptr;
}

}  // namespace

const StoredTrial* FindMember(const std::vector<StoredTrial>& history, const FrontMember& member) {
  return NewestWhere(history, [&](const StoredTrial& stored) {
    return (member.trial_id == 0 || stored.id == member.trial_id) &&
           IsMeasuredPlan(stored, member) &&
           (!member.measurement_hash ||
            MeasurementHashOf(stored.trial) == *member.measurement_hash);
  });
}

const StoredTrial* FindStandIn(const std::vector<StoredTrial>& history, const FrontMember& member) {
  const StoredTrial* confirmed = NewestWhere(history, [&](const StoredTrial& stored) {
    return IsMeasuredPlan(stored, member) && stored.trial.measurement()->confirmed;
  });
  return confirmed != nullptr ? confirmed : NewestWhere(history, [&](const StoredTrial& stored) {
    return IsMeasuredPlan(stored, member);
  });
}

FrontTrials TrialsOf(const StoredFront& front, const std::vector<StoredTrial>& history,
                     const std::filesystem::path& database) {
  FrontTrials found;
  std::int64_t stand_ins = 0;
  for (const FrontMember& member : front.members) {
    const StoredTrial* stored = FindMember(history, member);
    if (stored == nullptr) {
      stored = FindStandIn(history, member);
      ++stand_ins;
    }
    if (stored == nullptr) {
      throw Error(ErrorKind::kDatabase,
                  fmt::format("the knowledge base '{}' names plan {} in a front but holds no such "
                              "trial: the file was damaged, restore it from a copy",
                              database.string(), member.plan_digest.ToHex()));
    }
    found.members.push_back(stored);
  }
  if (stand_ins > 0) {
    found.warnings.push_back(fmt::format(
        "the front of {} in '{}' names {} that {} never stored; the newest of the same {} {}: "
        "`halftone bank verify --repair` makes that permanent",
        front.recorded_at, database.string(), Counted(stand_ins, "measurement"),
        stand_ins == 1 ? "was" : "were", stand_ins == 1 ? "plan" : "plans",
        stand_ins == 1 ? "serves" : "serve"));
  }
  return found;
}

}  // namespace halftone
