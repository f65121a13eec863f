#include "search/model/assignment_draws.h"

#include <utility>

namespace halftone {
namespace {

constexpr std::size_t kMostChanges = 3;
constexpr std::size_t kKinds = 4;     // one draw of so many is a restart, one a recombination
constexpr std::size_t kAttempts = 8;  // for each assignment that is wanted

// The possible choices of a group; 0, the reference, is one of them.
std::vector<std::size_t> PossibleChoices(const GroupSensitivity& group) {
  std::vector<std::size_t> possible;
  for (std::size_t c = 0; c < group.choices.size(); ++c) {
    if (group.choices[c].refusal.empty()) {
      possible.push_back(c);
    }
  }
  return possible;
}

Assignment Exchanged(Assignment base, const std::vector<std::vector<std::size_t>>& possible,
                     Rng& rng) {
  const std::size_t changes = 1 + rng.Below(kMostChanges);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::size_t group = rng.Below(possible.size());
    if (!possible[group].empty()) {
      base[group] = possible[group][rng.Below(possible[group].size())];
    }
  }
  return base;
}

Assignment Recombined(Assignment base, const Assignment& other, Rng& rng) {
  if (base.empty()) {
    return base;
  }
  const std::size_t from = rng.Below(base.size());
  const std::size_t to = from + 1 + rng.Below(base.size() - from);
  for (std::size_t group = from; group < to; ++group) {
    base[group] = other[group];
  }
  return base;
}

Assignment Restarted(const std::vector<std::vector<std::size_t>>& possible, Rng& rng) {
  Assignment assignment(possible.size(), 0);
  const double lowered = rng.Uniform();
  for (std::size_t group = 0; group < possible.size(); ++group) {
    if (!possible[group].empty() && rng.Uniform() < lowered) {
      assignment[group] = possible[group][rng.Below(possible[group].size())];
    }
  }
  return assignment;
}

}  // namespace

std::vector<Assignment> AssignmentDraws::Draw(std::span<const Assignment> bases,
                                              const Sensitivity& sensitivity,
                                              const std::set<Assignment>& tried,
                                              std::size_t count) {
  std::vector<std::vector<std::size_t>> possible;
  for (const GroupSensitivity& group : sensitivity.groups) {
    possible.push_back(PossibleChoices(group));
  }
  std::vector<Assignment> drawn;
  std::set<Assignment> seen;
  for (std::size_t attempt = 0; attempt < kAttempts * count && drawn.size() < count; ++attempt) {
    const std::size_t kind = bases.empty() ? 0 : rng_.Below(kKinds);
    const auto base = [&]() -> const Assignment& { return bases[rng_.Below(bases.size())]; };
    Assignment assignment = kind == 0   ? Restarted(possible, rng_)
                            : kind == 1 ? Recombined(base(), base(), rng_)
                                        : Exchanged(base(), possible, rng_);
    if (!tried.contains(assignment) && seen.insert(assignment).second) {
      drawn.push_back(std::move(assignment));
    }
  }
  return drawn;
}

}  // namespace halftone
