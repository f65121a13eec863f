// Verdict of a tuning run: whether the chosen point does what was asked, bound by bound, and why
// faster points were not chosen. VerdictOf() alone decides it; the screen, every report and the
// exit code repeat it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/trial/constraints.h"
#include "search/trial/trial.h"

namespace halftone {

struct FrontPoint;
struct Reference;
struct TuneSummary;

enum class VerdictKind : std::uint8_t {
  kPromised,      // every bound holds for new samples, with the confidence asked for
  kMetOnSamples,  // the samples meet every bound; one or more are not promised
  kNotMet,        // no point meets the bounds, or the chosen one misses one
  kNoBound,       // no bound was given; a point was chosen by the default
  kNotSearched,   // the run ended before there were plans to choose among
};

// Name for programs: "promised", "met_on_samples", "not_met", "no_bound", "not_searched".
std::string_view NameOf(VerdictKind kind);
// Label for people: "promised", "met on the samples, not promised", "not met", "no bound",
// "nothing searched".
std::string_view LabelOf(VerdictKind kind);

struct BoundVerdict {
  std::string name;    // of the BoundRow; without bounds, of the metric of the default
  std::string demand;  // "an SQNR of at least 40 dB"
  VerdictKind kind = VerdictKind::kNotMet;  // never kNoBound
  std::string sentence;                     // what was found, without a full stop

  friend bool operator==(const BoundVerdict&, const BoundVerdict&) = default;
};

struct RefusedPoint {
  std::size_t point = 0;  // index into the front
  std::string reason;     // without a full stop

  friend bool operator==(const RefusedPoint&, const RefusedPoint&) = default;
};

struct Verdict {
  VerdictKind kind = VerdictKind::kNoBound;
  // True if the run gave what was asked for: the exit code is 0, unless a gate fails. False also if
  // a promise was asked for and the bounds are met on the samples alone.
  bool satisfied = true;
  std::string sentence;  // full sentences
  // Verdicts on the bounds at the chosen point; if none is chosen, at the nearest one. Without
  // bounds, the verdict on the default.
  std::vector<BoundVerdict> bounds;
  std::vector<RefusedPoint> refused;  // points faster than the chosen one; all, if none is chosen

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// The verdict of a summary; reads everything in it but `outcome`.
Verdict VerdictOf(const TuneSummary& summary);

// Reason why a point misses the bounds on its samples, in words with numbers: on the samples of the
// search first, then on held-out ones if there are any. Empty if it meets them.
std::optional<std::string> MissOnSamples(const FrontPoint& point, const Constraints& constraints,
                                         const Reference& reference);

// Reason why a point is not good by the default for a search without bounds
// (search/trial/choose.h), on the samples of the search or on held-out ones. Empty if it is good.
std::optional<std::string> MissOfDefault(const FrontPoint& point);

}  // namespace halftone
