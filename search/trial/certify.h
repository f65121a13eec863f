// Certificates: bounds that hold for new samples of the same kind, inferred from held-out samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/trial/constraints.h"
#include "search/trial/trial.h"
#include "src/accuracy/metrics.h"

namespace halftone {

// In a winsorised mean, an error counts as at most this many decibels worse than the bound: 10
// times its power.
inline constexpr double kCapDecibels = 10;

struct PromisedBound {
  std::string name;  // name of the BoundRow
  double asked = 0;
  std::optional<double> share;  // share of the samples, for a bound on each sample
  // Confidence limit on the side of `asked`: for the mean, or for the value that `share` of new
  // samples keep. Infinite on the bad side if the samples are too few.
  double limit = 0;
  bool holds = false;
  std::string statement;  // one sentence without a full stop

  friend bool operator==(const PromisedBound&, const PromisedBound&) = default;
};

struct Certificate {
  std::size_t samples = 0;  // number of held-out samples
  double confidence = kPromiseConfidence;
  std::vector<PromisedBound> bounds;

  [[nodiscard]] bool holds() const;

  friend bool operator==(const Certificate&, const Certificate&) = default;
};

struct CertifyOptions {
  double confidence = kPromiseConfidence;
  std::uint64_t seed = 1;
};

// Measurements of a point whose bounds are certified. Accuracies must have values per sample
// (MetricValue::values).
struct PointEvidence {
  const Latency& latency;
  const Accuracy& heldout;
  const Accuracy& reference;         // accuracy of float32 on the same samples
  const Accuracy* search = nullptr;  // accuracy on the search samples; null: unknown
  bool as_float32 = false;           // true: every step runs its float32 kernel
};

// One PromisedBound for each bound of `constraints`, deterministic for a seed. Its limit is:
//
//   top-1, agreement the exact binomial limit of the share of samples that lose anything against
//                    float32, or the limit by betting of the mean loss, where wins offset losses;
//                    both hold for any distribution
//   mean of errors   UpperLimitOfMean(), or UpperLimitOfCappedMean() with the cap kCapDecibels
//                    beyond the bound; with the cap, the plain mean over the held-out samples must
//                    meet the bound, too, and the statement says so
//   share of samples the exact binomial limit of the share of samples that miss the bound
//   own metric       UpperLimitByBootstrap(), or a limit that takes samples unlike the held-out
//                    ones to have the largest known loss, whichever is worse
//   latency          the upper end of its interval of 95 %, whatever the confidence; a predicted
//                    latency is not promised
//
// With as_float32, the bounds on accuracy have the limits of float32 itself, except for the own
// metric, which float32 may miss. Where two limits are possible ("or" in the first two rows), the
// one that does better on the search samples is taken, so that the choice does not depend on the
// held-out samples; without search samples, it is the first one.
Certificate Certify(const Constraints& constraints, const PointEvidence& evidence,
                    const CertifyOptions& options = {});

// Ascending indices of the members of `front` (fastest first) that may be promised. The function
// takes the members that meet `constraints` on the search samples, the most accurate first, until
// the certificate of one does not hold. The order is fixed beforehand and the walk ends at the
// first failure, so the probability of any wrong promise is at most 1 - confidence, however many
// members there are (Angelopoulos et al., "Learn then Test", 2021, section 3.2: fixed sequence
// testing). `certificates` is parallel to `front`; an element is empty if its member could not be
// run.
std::vector<std::size_t> Promisable(std::span<const Trial> front, const Constraints& constraints,
                                    std::optional<double> reference_top1,
                                    std::span<const std::optional<Certificate>> certificates);

}  // namespace halftone
