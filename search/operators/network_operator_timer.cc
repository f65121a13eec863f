#include "search/operators/network_operator_timer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "src/base/error.h"

namespace halftone {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSampleSeconds = 1e-3;  // as search/measure/paired_rounds.h
constexpr int kWarmUpRuns = 3;           // likewise; of long runs, one

}  // namespace

struct NetworkOperatorTimer::Variant {
  Variant(Executable compiled, const Sample& sample)
      : executable(std::move(compiled)),
        workspace(executable.NewWorkspace()),
        inputs(executable.ConvertInputs(sample.inputs)),
        outputs(executable.NewOutputs()) {}

  Executable executable;
  Workspace workspace;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

std::vector<ContestedOperator> ContestedOperators(std::span<const TunableStep> steps) {
  std::vector<ContestedOperator> operators;
  for (const TunableStep& step : steps) {
    const auto known =
        std::find_if(operators.begin(), operators.end(),
                     [&](const ContestedOperator& op) { return op.signature == step.signature; });
    if (known != operators.end()) {
      ++known->count;
    } else {
      operators.push_back({.signature = step.signature,
                           .kernels = step.kernels,
                           .memory_bound = step.memory_bound});
    }
  }
  return operators;
}

NetworkOperatorTimer::NetworkOperatorTimer(const PlanOnSample& timed,
                                           std::span<const TunableStep> steps, double cached_s)
    : timed_(timed), cached_s_(cached_s), operators_(ContestedOperators(steps)) {
  Check(timed.compile.choices.threads() == timed.pool.threads(),
        "choices for the threads of the pool");
  for (const TunableStep& step : steps) {
    for (std::size_t op = 0; op < operators_.size(); ++op) {
      if (operators_[op].signature == step.signature) {
        operator_of_step_[step.step] = op;
      }
    }
  }
}

NetworkOperatorTimer::~NetworkOperatorTimer() = default;

void NetworkOperatorTimer::Prepare(std::span<const KernelAssignment> variants) {
  // Makes all new variants before it frees the previous ones, because freed memory would come back
  // at the same address.
  std::vector<std::unique_ptr<Variant>> made;
  for (const KernelAssignment& assignment : variants) {
    CompileOptions options = timed_.compile;
    for (std::size_t op = 0; op < operators_.size(); ++op) {
      if (assignment[op] != 0) {
        options.choices.Set(operators_[op].signature, operators_[op].kernels[assignment[op]]);
      }
    }
    made.push_back(
        std::make_unique<Variant>(Compile(timed_.graph, timed_.plan, options), timed_.sample));
  }
  variants_ = std::move(made);
  run_s_ = std::numeric_limits<double>::infinity();
  std::vector<double> ignored(operators_.size());
  for (const auto& variant : variants_) {
    double its_s = 0;
    for (int run = 0; run < kWarmUpRuns && (run == 0 || its_s < cached_s_); ++run) {
      timed_.pool.Run([&] { its_s = Run(*variant, ignored); });
      run_s_ = std::min(run_s_, its_s);
    }
  }
}

OperatorSample NetworkOperatorTimer::TakeSample(std::size_t variant) {
  OperatorSample sample{.operator_s = std::vector<double>(operators_.size(), 0.0)};
  const double runs = std::max(1.0, std::round(kSampleSeconds / run_s_));
  timed_.pool.Run([&] {
    if (run_s_ < cached_s_) {
      sample.spent_s += Run(*variants_[variant], sample.operator_s);
      std::fill(sample.operator_s.begin(), sample.operator_s.end(), 0.0);
    }
    for (int run = 0; run < static_cast<int>(runs); ++run) {
      sample.spent_s += Run(*variants_[variant], sample.operator_s);
    }
  });
  for (double& seconds : sample.operator_s) {
    seconds /= runs;
  }
  return sample;
}

void NetworkOperatorTimer::Drop(std::size_t variant) {
  variants_[variant].reset();
}

double NetworkOperatorTimer::Run(Variant& variant, std::span<double> operator_s) const {
  const auto start = Clock::now();
  auto last = start;
  auto next = operator_of_step_.begin();
  variant.executable.RunTimed(
      variant.workspace, variant.inputs, variant.outputs, [&](std::size_t step) {
        const auto now = Clock::now();
        if (next != operator_of_step_.end() && next->first == step) {
          operator_s[next->second] += std::chrono::duration<double>(now - last).count();
          ++next;
        }
        last = now;
      });
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace halftone
