#include "search/operators/measure_profile.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "src/base/error.h"
#include "src/base/rng.h"
#include "src/base/stats.h"

namespace halftone {

std::vector<ProfiledCall> MeasureProfile(std::span<const TunableStep> steps,
                                         std::span<const ContestedOperator> operators,
                                         OperatorTimer& timer, const ProfileRounds& options,
                                         const std::function<bool()>& stop_requested) {
  Check(steps.size() == operators.size(), "a step for each operator");
  if (operators.empty()) {
    return {};
  }
  // Variant k has the k-th kernel of every operator with more than k kernels.
  std::size_t variants = 0;
  for (const ContestedOperator& op : operators) {
    variants = std::max(variants, op.kernels.size());
  }
  std::vector<KernelAssignment> assignments(variants, KernelAssignment(operators.size(), 0));
  for (std::size_t variant = 1; variant < variants; ++variant) {
    for (std::size_t op = 0; op < operators.size(); ++op) {
      assignments[variant][op] = variant < operators[op].kernels.size() ? variant : 0;
    }
  }
  timer.Prepare(assignments);

  std::vector<std::size_t> order(variants);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng(options.seed);
  // By variant and operator: seconds in each round.
  std::vector<std::vector<std::vector<double>>> times_s(
      variants, std::vector<std::vector<double>>(operators.size()));
  for (int round = 0; round < options.rounds; ++round) {
    rng.Shuffle(std::span(order));
    for (const std::size_t variant : order) {
      if (stop_requested && stop_requested()) {
        return {};
      }
      const OperatorSample sample = timer.TakeSample(variant);
      for (std::size_t op = 0; op < operators.size(); ++op) {
        times_s[variant][op].push_back(sample.operator_s.at(op) / operators[op].count);
      }
    }
  }

  std::vector<ProfiledCall> calls;
  for (std::size_t op = 0; op < operators.size(); ++op) {
    Check(steps[op].signature == operators[op].signature && steps[op].shape.has_value(),
          "steps and operators in the same order, with shapes");
    ProfiledCall call{.shape = *steps[op].shape, .seconds = {}};
    for (std::size_t kernel = 0; kernel < operators[op].kernels.size(); ++kernel) {
      const double median_s = Median(times_s[kernel][op]);
      if (median_s > 0) {  // else below the resolution of the clock
        call.seconds[operators[op].kernels[kernel]] = median_s;
      }
    }
    if (!call.seconds.empty()) {
      calls.push_back(std::move(call));
    }
  }
  return calls;
}

std::vector<std::string> KernelsToProfile(const TunableStep& step, const OperatorProfile& profile) {
  const auto known = std::ranges::find(profile.calls, *step.shape, &ProfiledCall::shape);
  if (known == profile.calls.end()) {
    return step.kernels;
  }
  const auto is_known = [&](const std::string& kernel) { return known->seconds.contains(kernel); };
  if (std::ranges::all_of(step.kernels, is_known)) {
    return {};
  }
  std::vector<std::string> kernels = {step.kernels.front()};
  bool linked = is_known(step.kernels.front());
  for (const std::string& kernel : std::span(step.kernels).subspan(1)) {
    if (!is_known(kernel) || !linked) {
      kernels.push_back(kernel);
    }
    linked = linked || is_known(kernel);
  }
  return kernels;
}

void AddCalls(std::vector<ProfiledCall> calls, OperatorProfile& profile) {
  for (ProfiledCall& call : calls) {
    const auto known = std::ranges::find(profile.calls, call.shape, &ProfiledCall::shape);
    if (known == profile.calls.end()) {
      profile.calls.push_back(std::move(call));
      continue;
    }
    const auto link = std::ranges::find_if(
        call.seconds, [&](const auto& kernel) { return known->seconds.contains(kernel.first); });
    const double factor =
        link == call.seconds.end() ? 1 : known->seconds.at(link->first) / link->second;
    for (const auto& [kernel, seconds] : call.seconds) {
      known->seconds.emplace(kernel, factor * seconds);
    }
  }
}

}  // namespace halftone
