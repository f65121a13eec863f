#include "search/operators/format_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "search/space/decisions.h"
#include "src/base/rng.h"
#include "src/base/stats.h"
#include "src/base/text.h"
#include "src/exec/executable.h"
#include "src/ir/network_builder.h"
#include "src/quantization/quantization.h"

namespace halftone {
namespace {

constexpr int kRounds = 7;
constexpr std::int64_t kRows = 256;
constexpr std::int64_t kColumns = 512;

Graph Products() {
  NetworkBuilder net;
  ValueId x = net.Input("x", {DType::kFloat32, {kRows, kColumns}});
  for (const char* name : {"first", "second"}) {
    const ValueId weights =
        net.Random(std::string(name) + "_weights", {kColumns, kColumns}, 1.0 / 32);
    x = net.Add(OpKind::kMatMul, {x, weights}, {}, name);
  }
  return net.Finish({x});
}

SharedQuantization AnyScales(const Graph& graph) {
  Quantization quantization;
  for (const Value& value : graph.values) {
    if (!value.constant) {
      quantization.activations[value.name] = {.scale = 1.0F / 64, .zero_point = 128};
    }
  }
  return SharedQuantization(std::move(quantization));
}

// One plan for each format in which the products have a choice, with the fastest implementation if
// there are two.
std::map<std::string, PrecisionPlan> PlansOf(const Decisions& decisions) {
  std::map<std::string, PrecisionPlan> plans;
  for (const Choice& choice : decisions.AllChoices()) {
    if (!choice.wide) {
      plans.insert_or_assign(std::string(choice.format.row().name),
                             decisions.PlanFor(decisions.Uniform(choice)));
    }
  }
  return plans;
}

struct Timed {
  std::string format;
  Executable executable;
  Workspace workspace;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::vector<double> seconds = {};
};

std::vector<Timed> Compiled(const std::map<std::string, PrecisionPlan>& plans, const Graph& graph,
                            const CompileOptions& compile) {
  Tensor input(graph.value(graph.inputs[0]).type);
  std::ranges::fill(input.mutable_values<float>(), 0.5F);
  std::vector<Timed> timed;
  for (const auto& [format, plan] : plans) {
    Executable executable = Compile(graph, plan, compile);
    Workspace workspace = executable.NewWorkspace();
    std::vector<Tensor> inputs = executable.ConvertInputs(std::span(&input, 1));
    std::vector<Tensor> outputs = executable.NewOutputs();
    timed.push_back({format, std::move(executable), std::move(workspace), std::move(inputs),
                     std::move(outputs)});
  }
  return timed;
}

}  // namespace

OperatorProfile MeasureFormatTimes(const TargetSpec& target, const ThreadPool& pool,
                                   std::uint64_t seed) {
  const Graph graph = Products();
  const Decisions decisions(graph, target,
                            {.formats = target.formats, .quantization = AnyScales(graph)});
  SharedConstants shared;
  std::vector<Timed> all = Compiled(PlansOf(decisions), graph,
                                    {.choices = KernelChoices(pool.threads()), .shared = &shared});
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng(seed);
  for (int round = -1; round < kRounds; ++round) {  // the first one warms up
    rng.Shuffle(std::span(order));
    for (const std::size_t i : order) {
      Timed& one = all[i];
      const auto start = std::chrono::steady_clock::now();
      pool.Run([&] { one.executable.Run(one.workspace, one.inputs, one.outputs); });
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      if (round >= 0) {
        one.seconds.push_back(seconds.count());
      }
    }
  }
  ProfiledCall call{.shape = {.family = "two products with constant weights",
                              .sizes = {std::log2(kRows), std::log2(kColumns)}},
                    .seconds = {}};
  for (const Timed& one : all) {
    if (const double median = Median(one.seconds); median > 0) {
      call.seconds[one.format] = median;
    }
  }
  OperatorProfile profile{.op = std::string(kFormatTimes), .threads = pool.threads(), .calls = {}};
  if (!call.seconds.empty()) {
    profile.calls.push_back(std::move(call));
  }
  return profile;
}

std::vector<FormatTime> FormatTimesIn(const OperatorProfile& profile) {
  std::vector<FormatTime> times;
  if (profile.op != kFormatTimes || profile.calls.empty()) {
    return times;
  }
  const std::map<std::string, double>& seconds = profile.calls.front().seconds;
  const NumericFormat float32 = DType::kFloat32;
  const auto base = seconds.find(std::string(float32.row().name));
  if (base == seconds.end()) {
    return times;
  }
  for (const auto& [name, time] : seconds) {
    const auto format = NumericFormat::Named(name);
    if (format && *format != float32) {
      times.push_back({.format = std::string(ShownNameOf(*format)), .ratio = time / base->second});
    }
  }
  std::ranges::sort(times, {}, &FormatTime::ratio);
  return times;
}

std::string WhatPays(std::span<const FormatTime> times) {
  if (times.empty()) {
    return {};
  }
  std::vector<std::string> pay;
  std::vector<std::string> cost;
  for (const FormatTime& time : times) {
    (time.pays() ? pay : cost)
        .push_back(
            time.pays()
                ? fmt::format("{} ({:.2f} times as fast as float32)", time.format, 1 / time.ratio)
                : fmt::format("{} takes {:.2f} times as long", time.format, time.ratio));
  }
  if (pay.empty()) {
    return fmt::format(
        "this CPU has no units that make 8-bit or 16-bit products faster than float32: {}",
        Join(cost, ", "));
  }
  return fmt::format("products pay in {}{}", Join(pay, ", "),
                     cost.empty() ? "" : "; not in others: " + Join(cost, ", "));
}

std::optional<ScaledSpeed> ScaledSpeedIn(const OperatorProfile& profile) {
  if (profile.op != kFormatTimes || profile.calls.empty()) {
    return std::nullopt;
  }
  const std::map<std::string, double>& seconds = profile.calls.front().seconds;
  std::optional<NumericFormat> scaled;
  std::optional<NumericFormat> other;
  const auto time_of = [&](NumericFormat format) {
    return seconds.at(std::string(format.row().name));
  };
  for (const auto& [name, time] : seconds) {
    if (const auto format = NumericFormat::Named(name)) {
      std::optional<NumericFormat>& fastest = format->has_scale() ? scaled : other;
      if (!fastest || time < time_of(*fastest)) {
        fastest = format;
      }
    }
  }
  if (!scaled || !other) {
    return std::nullopt;
  }
  return ScaledSpeed{std::string(ShownNameOf(*scaled)), std::string(ShownNameOf(*other)),
                     time_of(*scaled) / time_of(*other)};
}

}  // namespace halftone
