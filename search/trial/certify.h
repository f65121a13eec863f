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

// Least probability with which a promised bound holds, without --confidence.
inline constexpr double kPromiseConfidence = 0.95;

// A winsorised error counts as 10 dB worse than the bound at most: 10 times its power.
inline constexpr double kCapDecibels = 10;

struct PromisedBound {
  std::string name;  // name of the BoundRow
  double asked = 0;
  std::optional<double> share;  // of the samples, where the bound is one of each sample
  // Confidence limit on the side of `asked`: of the mean, or of the value that `share` of new
  // samples keep. Infinite (decibels: minus infinity) when the samples are too few for one.
  double limit = 0;
  bool holds = false;
  std::string statement;  // one sentence without a full stop

  friend bool operator==(const PromisedBound&, const PromisedBound&) = default;
};

struct Certificate {
  std::size_t samples = 0;  // held-out ones
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
  const Accuracy& reference;         // of float32 on the same samples
  const Accuracy* search = nullptr;  // on the samples of the search; null: not known
  bool as_float32 = false;           // runs the kernels of float32, step by step
};

// One PromisedBound for each of `constraints`, deterministic for a seed:
//
//   as_float32       every other bound on accuracy: the outputs are those of float32
//   top-1, agreement the exact binomial limit of the share of samples that lose anything against
//                    float32, or the limit by betting of the mean loss (drops count against what is
//                    won), both of any distribution
//   mean of errors   UpperLimitOfMean(); or UpperLimitOfCappedMean() at kCapDecibels beyond the
//                    bound, where the plain mean over the held-out samples must meet the bound
//                    too, and the statement says so
//   own metric       UpperLimitByBootstrap(); as_float32 is no exception, as float32 may miss it
//   share of samples the exact binomial limit of the samples that miss the bound
//   latency          the upper end of its interval, of 95 % whatever the confidence
//
// The samples of the search choose between two limits, by which does better on them, so that the
// choice does not depend on held-out samples; without those samples the first limit is taken.
Certificate Certify(const Constraints& constraints, const PointEvidence& evidence,
                    const CertifyOptions& options = {});

// The members of the front (fastest first) that may be promised, as ascending indices: from the
// most accurate on, each that meets `constraints` on the search samples, until the certificate of
// one of these does not hold. Walking in an order that was fixed beforehand and stopping at the
// first failure keeps the probability of any wrong promise at 1 - confidence however many members
// there are (Angelopoulos et al., "Learn then Test", 2021, section 3.2: fixed sequence testing).
// `certificates` is parallel to `front`; empty where the member could not be run.
std::vector<std::size_t> Promisable(std::span<const Trial> front, const Constraints& constraints,
                                    std::optional<double> reference_top1,
                                    std::span<const std::optional<Certificate>> certificates);

}  // namespace halftone
