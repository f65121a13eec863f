// Certificates: bounds for all samples of a kind, inferred from held-out samples.
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

// A winsorised error counts as at most 10 dB worse than the bound, 10 times its power.
inline constexpr double kCapDecibels = 10;

struct PromisedBound {
  std::string name;  // name of the BoundRow
  double asked = 0;
  std::optional<double> share;  // share of the samples, for a bound on each sample
  // Confidence limit on the side of `asked`, for the mean or for the value that `share` of new
  // samples keep. Infinite (decibels: minus infinity) if the samples are too few.
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

// Measurements of a point whose bounds are certified. Accuracies must hold the values of their
// samples (MetricValue::values).
struct PointEvidence {
  const Latency& latency;
  const Accuracy& heldout;
  const Accuracy& reference;         // accuracy of float32 on the same samples
  const Accuracy* search = nullptr;  // on the search samples; null: unknown
  bool as_float32 = false;           // every step runs its float32 kernel
};

// One PromisedBound for each of `constraints`, deterministic for a seed:
//
//   as_float32       every other bound on accuracy: the outputs are those of float32
//   top-1, agreement the exact binomial limit of the share of samples that lose anything against
//                    float32, or the limit by betting of the mean loss, where wins offset drops;
//                    both hold for any distribution
//   mean of errors   UpperLimitOfMean(); or UpperLimitOfCappedMean() at kCapDecibels beyond the
//                    bound: then the plain mean over the held-out samples must also meet the
//                    bound, and the statement says so
//   own metric       UpperLimitByBootstrap(), also for as_float32, because float32 may miss it
//   share of samples the exact binomial limit of the samples that miss the bound
//   latency          the upper end of its interval, of 95 % whatever the confidence
//
// Where two limits are possible, the one that does better on the search samples is taken, so that
// the choice does not depend on held-out samples. Without search samples it is the first limit.
Certificate Certify(const Constraints& constraints, const PointEvidence& evidence,
                    const CertifyOptions& options = {});

// Ascending indices of the members of `front` (fastest first) that may be promised. Walks from the
// most accurate member through those that meet `constraints` on the search samples, until the
// certificate of one does not hold. Walking in an order that was fixed beforehand and stopping at
// the first failure keeps the probability of any wrong promise at 1 - confidence however many
// members there are (Angelopoulos et al., "Learn then Test", 2021, section 3.2: fixed sequence
// testing). `certificates` is parallel to `front`; an element is empty if its member could not be
// run.
std::vector<std::size_t> Promisable(std::span<const Trial> front, const Constraints& constraints,
                                    std::optional<double> reference_top1,
                                    std::span<const std::optional<Certificate>> certificates);

}  // namespace halftone
