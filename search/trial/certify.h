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

// Least probability with which a promised bound holds.
inline constexpr double kPromiseConfidence = 0.95;

struct PromisedBound {
  std::string name;  // name of the BoundRow
  double asked = 0;
  // Confidence limit of the mean, with kPromiseConfidence, on the side of `asked`. Infinite
  // (decibels: minus infinity) when the samples are too few for one.
  double limit = 0;
  bool holds = false;
  std::string statement;  // one sentence without a full stop

  friend bool operator==(const PromisedBound&, const PromisedBound&) = default;
};

struct Certificate {
  std::size_t samples = 0;  // held-out ones
  std::vector<PromisedBound> bounds;

  [[nodiscard]] bool holds() const;

  friend bool operator==(const Certificate&, const Certificate&) = default;
};

// One PromisedBound for each of `constraints`. Errors are means over samples, limited by
// UpperLimitOfMean(); top-1 by LowerLimitOfBoundedMean() of the loss per sample against
// `reference`, float32 on the same samples (with labels), or of the agreement, and the agreement of
// discrete outputs likewise; latency by the upper end of its 95 % interval. `heldout` and
// `reference` must hold the values of their samples (MetricValue::values). Deterministic for a
// seed.
Certificate Certify(const Constraints& constraints, const Latency& latency, const Accuracy& heldout,
                    const Accuracy& reference, std::uint64_t seed = 1);

// The members of the front (fastest first) that may be promised, as ascending indices: from the
// most accurate on, each that meets `constraints` on the search samples, until the certificate of
// one of these does not hold. Walking in an order that was fixed beforehand and stopping at the
// first failure keeps the probability of any wrong promise at 1 - kPromiseConfidence however many
// members there are (Angelopoulos et al., "Learn then Test", 2021, section 3.2: fixed sequence
// testing). `certificates` is parallel to `front`; empty where the member could not be run.
std::vector<std::size_t> Promisable(std::span<const Trial> front, const Constraints& constraints,
                                    std::optional<double> reference_top1,
                                    std::span<const std::optional<Certificate>> certificates);

}  // namespace halftone
