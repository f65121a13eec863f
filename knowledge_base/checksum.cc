#include "knowledge_base/checksum.h"

#include <bit>
#include <span>

#include "knowledge_base/candidate_json.h"
#include "knowledge_base/storable.h"

namespace halftone {
namespace {

void Add(Hasher& hasher, double value) {
  hasher.Add(std::bit_cast<std::int64_t>(value + 0.0));  // -0 as 0: SQLite keeps no sign of zero
}

void Add(Hasher& hasher, std::span<const double> values) {
  hasher.Add(static_cast<std::int64_t>(values.size()));
  for (const double value : values) {
    Add(hasher, value);
  }
}

void Add(Hasher& hasher, const std::optional<double>& value) {
  hasher.Add(std::int64_t{value.has_value()});
  Add(hasher, value.value_or(0));
}

void Add(Hasher& hasher, const Measurement& measurement) {
  const Latency& latency = measurement.latency;
  for (const double value : {latency.ratio, latency.ratio_interval.low, latency.ratio_interval.high,
                             latency.median_s, latency.anchor_median_s}) {
    Add(hasher, value);
  }
  Add(hasher, latency.candidate_samples_s);
  Add(hasher, latency.anchor_samples_s);
  hasher.Add(measurement.peak_arena_bytes).Add(static_cast<std::int64_t>(StateOf(measurement)));
  for (const MetricValue& metric : measurement.accuracy.metrics) {
    hasher.Add(metric.name);
    Add(hasher, metric.mean);
    Add(hasher, metric.worst);
    hasher.Add(metric.worst_sample);
    const std::span<const double> values = StoredValues(measurement, metric);
    if (!values.empty()) {
      hasher.Add("values");
      Add(hasher, values);
    }
  }
  if (latency.other_cores) {
    hasher.Add("other_cores");
    Add(hasher, *latency.other_cores);
  }
  if (const auto& run = measurement.runtime) {
    hasher.Add("runtime").Add(run->runtime).Add(run->low_asked).Add(run->low_ran);
    hasher.Add(std::int64_t{run->as_asked}).Add(std::int64_t{run->own_outputs}).Add(run->detail);
    Add(hasher, run->build_s);
  }
}

void Add(Hasher& hasher, const KernelVersion& kernels) {
  hasher.Add(kernels.isa).Add(kernels.kernel_table_hash).Add(kernels.tool_version);
  if (!kernels.cpu.empty()) {
    hasher.Add("cpu").Add(kernels.cpu);
  }
}

}  // namespace

Hash128 MeasurementHashOf(const Trial& trial) {
  const Measurement* measurement = trial.measurement();
  if (measurement == nullptr) {
    return {};
  }
  Hasher hasher;
  hasher.Add(trial.plan_digest);
  Add(hasher, *measurement);
  return hasher.Finish();
}

TrialTexts TextsOf(const Trial& trial) {
  return {.candidate = CandidateToJson(trial.candidate),
          .low_precision_nodes = NamesToJson(trial.low_precision_nodes),
          .kept_nodes = NamesToJson(trial.kept_nodes)};
}

Hash128 ChecksumOf(const Trial& trial) {
  return ChecksumOf(trial, TextsOf(trial));
}

Hash128 ChecksumOf(const Trial& trial, const TrialTexts& texts) {
  Hasher hasher;
  hasher.Add(texts.candidate).Add(trial.plan_digest);
  hasher.Add(texts.low_precision_nodes).Add(texts.kept_nodes);
  if (const Measurement* measurement = trial.measurement()) {
    Add(hasher, *measurement);
  } else {
    hasher.Add(trial.rejection()->reason);
  }
  return hasher.Finish();
}

Hash128 ChecksumOf(const StoredFront& front) {
  Hasher hasher;
  hasher.Add(front.workload_key).Add(front.strategy);
  for (const auto& bound : {front.constraints.min_sqnr_db, front.constraints.max_top1_drop,
                            front.constraints.max_latency_ratio, front.reference_top1}) {
    Add(hasher, bound);
  }
  if (front.constraints.max_rel_l2) {
    hasher.Add("max_rel_l2");
    Add(hasher, front.constraints.max_rel_l2);
  }
  if (front.constraints.min_agreement) {
    hasher.Add("min_agreement");
    Add(hasher, front.constraints.min_agreement);
  }
  if (front.constraints.min_sqnr_db_share) {
    hasher.Add("min_sqnr_db_share");
    Add(hasher, front.constraints.min_sqnr_db_share);
  }
  if (front.constraints.max_rel_l2_share) {
    hasher.Add("max_rel_l2_share");
    Add(hasher, front.constraints.max_rel_l2_share);
  }
  for (const auto& [name, bound] : {std::pair("min_metric", front.constraints.min_metric),
                                    std::pair("max_metric", front.constraints.max_metric)}) {
    if (bound) {
      hasher.Add(name);
      Add(hasher, bound);
    }
  }
  hasher.Add(front.chosen ? static_cast<std::int64_t>(*front.chosen) : std::int64_t{-1});
  hasher.Add(static_cast<std::int64_t>(front.members.size()));
  for (const FrontMember& member : front.members) {
    hasher.Add(member.plan_digest);
    if (member.measurement_hash) {
      hasher.Add(*member.measurement_hash);
    }
  }
  for (const auto& [name, value] : front.provenance) {
    hasher.Add(name).Add(value);
  }
  return hasher.Finish();
}

Hash128 ChecksumOf(const KernelVersion& kernels, const OperatorTiming& timing) {
  Hasher hasher;
  Add(hasher, kernels);
  hasher.Add(timing.signature).Add(timing.static_kernel).Add(timing.kernel);
  for (const double value :
       {timing.ratio, timing.ratio_interval.low, timing.ratio_interval.high, timing.static_s}) {
    Add(hasher, value);
  }
  hasher.Add(std::int64_t{timing.rounds});
  if (!timing.compared.empty()) {
    hasher.Add("compared").Add(timing.compared);
  }
  return hasher.Finish();
}

Hash128 ChecksumOf(const KernelVersion& kernels, std::string_view op, int threads,
                   std::string_view content) {
  Hasher hasher;
  Add(hasher, kernels);
  return hasher.Add(op).Add(std::int64_t{threads}).Add(content).Finish();
}

Hash128 ChecksumOf(const BankCalibration& calibration) {
  Hasher hasher;
  Add(hasher, calibration.kernels);
  hasher.Add(calibration.key).Add(calibration.model_hash).Add(calibration.operators);
  hasher.Add(calibration.quantization).Add(calibration.histograms).Add(calibration.cut);
  Add(hasher, calibration.had_s);
  return hasher.Finish();
}

Hash128 ChecksumOf(const Hash128& decisions, std::string_view content) {
  return Hasher().Add(decisions.ToHex()).Add(content).Finish();
}

Hash128 ChecksumOf(const Workload& workload) {
  Hasher hasher;
  hasher.Add(KeyOf(workload)).Add(workload.model_name);
  if (!workload.operators.empty()) {
    hasher.Add(workload.operators);
  }
  return hasher.Finish();
}

Hash128 RowChecksum(const Hash128& content, std::string_view recorded_at) {
  return Hasher().Add(content).Add(recorded_at).Finish();
}

}  // namespace halftone
