// Trial: a candidate together with its measurement or rejection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "search/trial/candidate.h"
#include "src/accuracy/metrics.h"
#include "src/base/hash.h"
#include "src/base/stats.h"
#include "src/exec/overflow.h"

namespace halftone {

// Time of one run of the network, relative to the anchor (usually float32) that ran in the same
// rounds.
struct Latency {
  double ratio = 1;         // candidate / anchor: median of the ratios of the rounds
  Interval ratio_interval;  // 95 %; see docs/internals/latency.md
  // Median seconds of a run of the candidate and of the anchor; not comparable between
  // measurements.
  double median_s = 0;
  double anchor_median_s = 0;
  // Samples in seconds of a run, one pair per round, in the order in which they were taken.
  std::vector<double> candidate_samples_s;
  std::vector<double> anchor_samples_s;
  // True: the measurement ended early, because a trial that is no less accurate is faster with 95 %
  // confidence. The ratio is only precise enough to discard this candidate.
  bool raced = false;
  // Cores that other programs kept busy during the measurement; empty: unknown.
  std::optional<double> other_cores;

  // True if the latency is a prediction, because the target is another machine
  // (search/measure/roofline.h).
  [[nodiscard]] bool is_predicted() const {
    return candidate_samples_s.empty() && ratio_interval.low == ratio_interval.high;
  }

  // True for a plan that runs as the anchor does and was timed without a comparison
  // (MeasureAnchor()): every sample is one of both.
  [[nodiscard]] bool is_of_anchor() const {
    return !candidate_samples_s.empty() && candidate_samples_s == anchor_samples_s;
  }

  [[nodiscard]] double speed_up() const { return 1 / ratio; }

  // The interval of speed_up().
  [[nodiscard]] Interval speed_up_interval() const {
    return {1 / ratio_interval.high, 1 / ratio_interval.low};
  }

  friend bool operator==(const Latency&, const Latency&) = default;
};

// Facts about the run of a plan on a runtime outside halftone (search/measure/runtime.h).
struct RuntimeRun {
  std::string runtime;  // Runtime::description()
  // Number of operators that the plan lowers in types that the runtime can be asked for.
  std::int64_t low_asked = 0;
  std::int64_t low_ran = 0;  // number of these operators that the runtime ran in these types
  bool as_asked = true;      // false: operators ran in types other than the plan's; see `detail`
  // True: accuracy was measured on the runtime's outputs. False: on those of halftone's kernels.
  bool own_outputs = true;
  std::string detail;  // clauses without a full stop; empty: nothing to say
  double build_s = 0;  // seconds to build the plan on the runtime

  friend bool operator==(const RuntimeRun&, const RuntimeRun&) = default;
};

struct Measurement {
  Latency latency;
  Accuracy accuracy;  // on the search samples
  std::int64_t peak_arena_bytes = 0;
  bool confirmed = false;   // the latency was measured again with the full protocol
  OverflowCensus overflow;  // on the search samples; empty for a trial from a knowledge base
  std::optional<RuntimeRun> runtime = {};  // empty: halftone's kernels ran

  friend bool operator==(const Measurement&, const Measurement&) = default;
};

// Reason why a candidate has no measurement: its options do not resolve, its plan does not compile,
// or some of its values became NaN or infinite.
struct Rejection {
  std::string reason;  // one sentence

  friend bool operator==(const Rejection&, const Rejection&) = default;
};

struct Trial {
  Candidate candidate;
  Hash128 plan_digest;                           // zero when the candidate did not resolve
  std::vector<std::string> low_precision_nodes;  // names of nodes in a reduced format
  std::vector<std::string> kept_nodes;           // tunable nodes that stayed in float32
  std::variant<Measurement, Rejection> outcome;

  [[nodiscard]] const Measurement* measurement() const {
    return std::get_if<Measurement>(&outcome);
  }

  [[nodiscard]] const Rejection* rejection() const { return std::get_if<Rejection>(&outcome); }

  friend bool operator==(const Trial&, const Trial&) = default;
};

}  // namespace halftone
