#include "knowledge_base/storable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "knowledge_base/candidate_json.h"
#include "knowledge_base/checksum.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

bool AllFinite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

// As FlawOf(), of one call; `sizes` is how many its family has.
std::string FlawOfCall(const ProfiledCall& call, std::size_t sizes) {
  const CallShape& shape = call.shape;
  if (shape.family.empty()) {
    return "expected a family, found an empty text";
  }
  if (call.seconds.empty()) {
    return "expected at least one kernel, found none";
  }
  for (const auto& [kernel, seconds] : call.seconds) {
    if (kernel.empty()) {
      return "expected the name of a kernel, found an empty text";
    }
    if (!std::isfinite(seconds) || seconds <= 0) {
      return fmt::format("expected finite seconds above 0 for kernel '{}', found {}", kernel,
                         seconds);
    }
  }
  for (const double size : shape.sizes) {
    if (!std::isfinite(size)) {
      return fmt::format("expected finite sizes, found {}", size);
    }
  }
  if (shape.sizes.size() != sizes) {
    return fmt::format("expected {}, as the first call of family '{}' has, found {}",
                       Counted(static_cast<std::int64_t>(sizes), "size"), shape.family,
                       shape.sizes.size());
  }
  return "";
}

void RequireNone(const std::string& flaw) {
  Check(flaw.empty(), "storing " + flaw);
}

}  // namespace

LatencyState StateOf(const Measurement& measurement) {
  return measurement.confirmed       ? LatencyState::kConfirmed
         : measurement.latency.raced ? LatencyState::kRaced
                                     : LatencyState::kQuick;
}

std::span<const double> StoredValues(const Measurement& measurement, const MetricValue& metric) {
  return measurement.confirmed ? std::span(metric.values) : std::span<const double>();
}

std::string FlawOf(const Trial& trial) {
  const Measurement* measurement = trial.measurement();
  if (measurement == nullptr) {
    return "";
  }
  if (trial.plan_digest == Hash128{}) {
    return "a measured trial without a plan";
  }
  const Latency& latency = measurement->latency;
  if (!AllFinite({latency.ratio, latency.ratio_interval.low, latency.ratio_interval.high,
                  latency.median_s, latency.anchor_median_s, latency.other_cores.value_or(0),
                  measurement->runtime ? measurement->runtime->build_s : 0}) ||
      !AllFinite(latency.candidate_samples_s) || !AllFinite(latency.anchor_samples_s)) {
    return "a latency that is not finite";
  }
  if (latency.candidate_samples_s.size() != latency.anchor_samples_s.size()) {
    return "unpaired samples";
  }
  for (const MetricValue& metric : measurement->accuracy.metrics) {
    if (!AllFinite({metric.mean, metric.worst}) || !AllFinite(metric.values)) {
      return "a metric that is not finite";
    }
  }
  return "";
}

std::string FlawOf(const StoredFront& front) {
  return front.chosen && *front.chosen >= front.members.size()
             ? "a front whose chosen member does not exist"
             : "";
}

std::string FlawOf(const OperatorTiming& timing) {
  if (timing.signature.empty() || timing.kernel.empty() || timing.static_kernel.empty()) {
    return "a timing of nothing";
  }
  return AllFinite(
             {timing.ratio, timing.ratio_interval.low, timing.ratio_interval.high, timing.static_s})
             ? ""
             : "a timing that is not finite";
}

std::string FlawOf(const OperatorProfile& profile) {
  return profile.op.empty() || profile.threads <= 0 ? "a profile without an operator or threads"
                                                    : FlawOf(profile.calls);
}

void CheckStorable(const Trial& trial) {
  RequireNone(FlawOf(trial));
}

void CheckStorable(const StoredFront& front, std::span<const Trial> trials) {
  RequireNone(FlawOf(front));
  Check(trials.empty() || trials.size() == front.members.size(),
        "storing a front with other trials than members");
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Check(
        trials[i].measurement() != nullptr && trials[i].plan_digest == front.members[i].plan_digest,
        "storing a front whose trial is not of its member's plan");
    CheckStorable(trials[i]);
  }
}

void CheckStorable(const OperatorTiming& timing) {
  RequireNone(FlawOf(timing));
}

void CheckStorable(const OperatorProfile& profile) {
  RequireNone(FlawOf(profile));
}

void CheckStorable(const BankCalibration& calibration) {
  const std::string flaw = FlawOf(calibration);
  Check(flaw.empty(), "storing a calibration: " + flaw);
}

std::string FlawOf(const BankCalibration& calibration) {
  if (calibration.quantization.empty()) {
    return "expected scales, found an empty text";
  }
  const auto size = std::max(std::ssize(calibration.quantization),  //
                             std::ssize(calibration.histograms));
  if (size > kMostCalibrationBytes) {
    return fmt::format("expected texts of at most {} bytes, found {}", kMostCalibrationBytes, size);
  }
  if (!std::isfinite(calibration.had_s) || calibration.had_s < 0) {
    return fmt::format("expected finite seconds of 0 or more, found {}", calibration.had_s);
  }
  return "";
}

std::string FlawOf(std::span<const ProfiledCall> calls) {
  std::map<std::string_view, std::size_t> sizes;  // by family
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const CallShape& shape = calls[i].shape;
    const auto of_family = sizes.emplace(shape.family, shape.sizes.size()).first;
    if (const std::string flaw = FlawOfCall(calls[i], of_family->second); !flaw.empty()) {
      return fmt::format("call {}: {}", i + 1, flaw);
    }
  }
  return "";
}

std::string IdentityOf(const Trial& trial) {
  if (trial.plan_digest != Hash128{}) {
    return trial.plan_digest.ToHex();
  }
  const Rejection* rejection = trial.rejection();
  return Hasher()
      .Add(CandidateToJson(trial.candidate))
      .Add(rejection != nullptr ? rejection->reason : "")
      .Finish()
      .ToHex();
}

bool IsRecordTime(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-ddTdd:dd:dd.dddZ";
  if (text.size() != kShape.size()) {
    return false;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = '0' <= text[i] && text[i] <= '9';
    if (kShape[i] == 'd' ? !digit : text[i] != kShape[i]) {
      return false;
    }
  }
  return true;
}

FrontMember MemberOf(const StoredTrial& row) {
  return {.plan_digest = row.trial.plan_digest,
          .measurement_hash = MeasurementHashOf(row.trial),
          .trial_id = row.id};
}

void ThrowUnknownMember(const FrontMember& member) {
  throw Error(ErrorKind::kDatabase,
              fmt::format("no trial of plan {} with the measurement that a front names is in the "
                          "knowledge base: measure the plan again",
                          member.plan_digest.ToHex()));
}

void ThrowUnknownWorkload(const Hash128& key) {
  throw Error(ErrorKind::kDatabase,
              fmt::format("workload {} is not in the knowledge base", key.ToHex()));
}

}  // namespace halftone
