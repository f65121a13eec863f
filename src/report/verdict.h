// Verdict of a tuning run: whether the chosen point does what was asked, bound by bound, and why
// faster points were not chosen. One function decides it; the screen, every report and the exit
// code say what it says.
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
  kNoBound,       // none was given: a point was chosen by the default
  kNotSearched,   // the run ended before there were plans to choose among
};

// "promised", "met_on_samples", "not_met", "no_bound", "not_searched": for programs.
std::string_view NameOf(VerdictKind kind);
// "promised", "met on the samples, not promised", "not met", "no bound", "nothing
// searched": for people.
std::string_view LabelOf(VerdictKind kind);

struct BoundVerdict {
  std::string name;                         // of the BoundRow; of the default: its metric
  std::string demand;                       // "an SQNR of at least 40 dB"
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
  // True if the run gave what was asked for: the exit code is 0, gates aside. False also where a
  // promise was asked for and the bounds are met on the samples alone.
  bool satisfied = true;
  std::string sentence;              // full sentences
  std::vector<BoundVerdict> bounds;  // of the chosen point, or of the nearest where none is chosen;
                                     // without bounds, of the default
  std::vector<RefusedPoint> refused;  // faster than the chosen point, or all where none is chosen

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// The verdict of a summary; reads everything in it but `outcome`.
Verdict VerdictOf(const TuneSummary& summary);

// Reason why the means of a point miss the bounds, in words with numbers and the samples: those of
// the search first, then held-out ones if there are any. Empty: it meets them.
std::optional<std::string> MissOnSamples(const FrontPoint& point, const Constraints& constraints,
                                         const Reference& reference);

// Reason why a point is not good by the default for a search without bounds
// (search/trial/choose.h), on the samples of the search or held-out ones. Empty: it is.
std::optional<std::string> MissOfDefault(const FrontPoint& point);

}  // namespace halftone
