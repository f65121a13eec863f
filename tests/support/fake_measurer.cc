#include "tests/support/fake_measurer.h"

#include <algorithm>
#include <cmath>

namespace halftone::testing {
namespace {

double CostOf(const NodePrecision& node) {
  const DType dtype = node.compute_dtype();
  const double cost = !node.compute_format().is_dtype() ? 0.7
                      : dtype == DType::kFloat16        ? 0.6
                      : dtype == DType::kBFloat16       ? 0.5
                                                        : 1;
  return node.impl_mode == ImplMode::kHighPrecision ? 1.1 * cost : cost;
}

double ErrorOf(const NodePrecision& node) {
  const NumericFormat format = node.compute_format();
  const double roundoff = IsReduced(format) ? std::ldexp(1, -format.row().mantissa_bits - 1) : 0;
  return node.impl_mode == ImplMode::kHighPerformance ? 2 * roundoff : roundoff;
}

}  // namespace

std::variant<Measurement, Rejection> FakeMeasurer::Measure(const PrecisionPlan& plan) {
  measured.push_back(plan.Digest());
  return Predict(plan);
}

std::variant<Accuracy, Rejection> FakeMeasurer::MeasureAccuracy(const PrecisionPlan& plan) const {
  auto outcome = Predict(plan);
  if (auto* rejection = std::get_if<Rejection>(&outcome)) {
    return std::move(*rejection);
  }
  return std::get<Measurement>(std::move(outcome)).accuracy;
}

std::variant<Measurement, Rejection> FakeMeasurer::Predict(const PrecisionPlan& plan) const {
  double latency = 0;
  double power = 0;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const std::string& name = graph_.nodes[i].name;
    const NodePrecision& node = plan.nodes[i];
    const auto rejects = std::find(rejects_float16.begin(), rejects_float16.end(), name);
    if (rejects != rejects_float16.end() && node.compute_dtype() == DType::kFloat16) {
      return Rejection{"node '" + name + "' overflows"};
    }
    const auto found = sensitivity.find(name);
    const double error = ErrorOf(node) * (found == sensitivity.end() ? 1 : found->second);
    power += error * error;
    latency += CostOf(node) / static_cast<double>(plan.nodes.size());
  }
  const double loss = std::sqrt(power);
  const double sqnr = loss == 0 ? kExactSqnrDb : -20 * std::log10(loss);
  Measurement measurement;
  measurement.latency = {.ratio = latency,
                         .ratio_interval = {latency, latency},
                         .median_s = latency,
                         .anchor_median_s = 1,
                         .candidate_samples_s = {latency},
                         .anchor_samples_s = {1}};
  measurement.accuracy.metrics = {{"sqnr_db", sqnr, sqnr, 0, {sqnr}},
                                  {"rel_l2", loss, loss, 0, {loss}}};
  if (!runs_as_asked) {
    measurement.runtime = RuntimeRun{.runtime = "a runtime", .as_asked = loss == 0};
  }
  return measurement;
}

std::optional<Latency> FakeMeasurer::ConfirmWithin(const PrecisionPlan& plan,
                                                   const Latency& /*first*/,
                                                   const ConfirmTime& time) {
  return time.most_s < confirm_s ? std::nullopt : std::optional(Confirm(plan));
}

Latency FakeMeasurer::Confirm(const PrecisionPlan& plan) {
  const auto outcome = Predict(plan);
  confirmed.push_back(plan.Digest());
  Latency latency = std::get<Measurement>(outcome).latency;
  latency.ratio *= confirm_factor;
  latency.ratio_interval.low *= confirm_factor;
  latency.ratio_interval.high *= confirm_factor;
  return latency;
}

}  // namespace halftone::testing
