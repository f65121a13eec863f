#include "search/calibrate/whole_error.h"

#include <limits>
#include <optional>
#include <utility>

#include "search/calibrate/int8_plan.h"
#include "search/calibrate/relative_error.h"
#include "search/probe/activation_cache.h"
#include "src/base/error.h"

namespace halftone {

WholeError::WholeError(const Graph& graph, const Dataset& samples, const CompileOptions& compile,
                       const ThreadPool& pool, std::function<bool()> on_sample)
    : graph_(graph),
      samples_(samples),
      compile_(compile),
      pool_(pool),
      on_sample_(std::move(on_sample)) {
  const Executable exact = Compile(graph, ReferencePlan(graph), compile);
  for (std::size_t s = 0; s < samples.size() && goes_on_; ++s) {
    exact_.push_back(Outputs(exact, s));
  }
}

std::vector<Tensor> WholeError::Outputs(const Executable& executable, std::size_t sample) const {
  std::vector<Tensor> outputs =
      RunOnce(executable, executable.ConvertInputs(samples_.Read(sample).inputs), pool_);
  goes_on_ = on_sample_() && goes_on_;
  return outputs;
}

double WholeError::Of(const Quantization& quantization) const {
  std::optional<Executable> executable;
  try {
    executable.emplace(
        Compile(graph_, Int8PlanWithFloatEnds(graph_, SharedQuantization(quantization)), compile_));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) {
      throw;
    }
    return std::numeric_limits<double>::infinity();
  }
  double sum = 0;
  for (std::size_t s = 0; s < exact_.size(); ++s) {
    if (!goes_on_) {
      return std::numeric_limits<double>::infinity();
    }
    const std::vector<Tensor> outputs = Outputs(*executable, s);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (exact_[s][i].dtype() == DType::kFloat32) {
        sum += RelativeError(ReferencePower(exact_[s][i]), outputs[i]);
      }
    }
  }
  return sum / static_cast<double>(exact_.size());
}

}  // namespace halftone
