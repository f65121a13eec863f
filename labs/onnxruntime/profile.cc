#include "labs/onnxruntime/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <vector>

#include "kernels/parallel.h"
#include "labs/onnxruntime/node_work.h"
#include "labs/onnxruntime/runtime_session.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/stats.h"
#include "src/base/temporary_folder.h"
#include "src/runtimes/onnxruntime/ort_profile.h"

namespace halftone {
namespace {

constexpr std::size_t kShownKernel = 40;

std::vector<double> StepMicroseconds(const Executable& executable, std::span<const Tensor> inputs,
                                     const ProfileOptions& options) {
  using Clock = std::chrono::steady_clock;
  Workspace workspace = executable.NewWorkspace();
  std::vector<Tensor> outputs = executable.NewOutputs();
  std::vector<std::vector<double>> samples(executable.steps().size());
  const ThreadPool pool(options.threads);
  int run = 0;
  Clock::time_point last;
  const auto time_step = [&](std::size_t step) {
    if (run > 0) {  // the first one warms up
      samples[step].push_back(
          std::chrono::duration<double, std::micro>(Clock::now() - last).count());
    }
    last = Clock::now();
  };
  for (; run <= options.runs; ++run) {
    pool.Run([&] {
      last = Clock::now();
      executable.RunTimed(workspace, inputs, outputs, time_step);
    });
  }
  std::vector<double> medians;
  medians.reserve(samples.size());
  for (std::vector<double>& of_step : samples) {
    medians.push_back(Median(of_step));
  }
  return medians;
}

const Node* NodeOf(const Graph& graph, const StepInfo& step) {
  const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                  [&](const Node& node) { return node.name == step.node; });
  return found == graph.nodes.end() || step.op != step.node_op ? nullptr : &*found;
}

double Sum(const MicrosecondsByType& times) {
  double sum = 0;
  for (const auto& [type, time] : times) {
    sum += time;
  }
  return sum;
}

std::string TypeTable(const MicrosecondsByType& ours, const MicrosecondsByType& theirs) {
  std::set<std::string> types;
  for (const auto* times : {&ours, &theirs}) {
    for (const auto& [type, time] : *times) {
      types.insert(type);
    }
  }
  const auto cell = [](const MicrosecondsByType& times, const std::string& type) {
    const auto found = times.find(type);
    return found == times.end() ? std::string("-") : fmt::format("{:.1f}", found->second);
  };
  std::string text = fmt::format("  {:<28} {:>10} {:>10}\n", "type, us", "ours", "theirs");
  for (const std::string& type : types) {
    text += fmt::format("  {:<28} {:>10} {:>10}\n", type, cell(ours, type), cell(theirs, type));
  }
  return text + fmt::format("  {:<28} {:>10.1f} {:>10.1f}\n", "all", Sum(ours), Sum(theirs));
}

}  // namespace

MicrosecondsByType ProfileRuntime(const OrtApi& api, std::string_view model,
                                  const std::map<std::string, Tensor>& inputs,
                                  const ProfileOptions& options) {
  const TemporaryFolder folder("halftone_profile");
  RuntimeSession session(
      api, model,
      {.threads = options.threads, .profile_prefix = (folder.path() / "profile").string()}, inputs);
  for (int run = 0; run <= options.runs; ++run) {
    session.Run();
  }
  MicrosecondsByType by_type;
  for (const OrtKernel& kernel : ReadOrtProfile(ReadFile(session.EndProfiling()))) {
    by_type[kernel.op] += 1e6 * kernel.seconds;
  }
  return by_type;
}

std::string ProfileTable(const Graph& graph, const Executable& executable,
                         std::span<const Tensor> inputs, const MicrosecondsByType& theirs,
                         const ProfileOptions& options) {
  const std::vector<double> times = StepMicroseconds(executable, inputs, options);
  MicrosecondsByType ours;
  std::vector<std::size_t> order;
  for (std::size_t step = 0; step < times.size(); ++step) {
    ours[executable.steps()[step].op] += times[step];
    order.push_back(step);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return times[a] > times[b]; });
  std::string text = TypeTable(ours, theirs);
  text += fmt::format("  {:>8} {:>6} {:>8} {:>6}  {:<{}} operands\n", "us", "share", "GFLOP/s",
                      "GB/s", "kernel", kShownKernel);
  order.resize(std::min(order.size(), static_cast<std::size_t>(options.nodes)));
  for (const std::size_t step : order) {
    const StepInfo& info = executable.steps()[step];
    const Node* node = NodeOf(graph, info);
    const NodeWork work = node != nullptr ? WorkOf(graph, *node) : NodeWork{};
    const double seconds = 1e-6 * times[step];
    text += fmt::format("  {:>8.1f} {:>5.1f}% {:>8.1f} {:>6.1f}  {:<{}} {}\n", times[step],
                        100 * times[step] / Sum(ours), 2e-9 * work.multiply_adds / seconds,
                        1e-9 * work.bytes / seconds, info.kernel, kShownKernel,
                        node != nullptr ? ShapesOf(graph, *node) : info.node);
  }
  return text;
}

}  // namespace halftone
