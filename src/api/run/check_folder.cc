// `halftone run --check`: expected outputs of ONNX backend-test folders.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/parallel.h"
#include "src/api/halftone.h"
#include "src/api/load/memory_limit.h"
#include "src/api/options/check_settings.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/exec/executable.h"
#include "src/onnx/tensor_proto.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// test_data_set_N folders in the order of N.
std::vector<fs::path> DataSets(const fs::path& folder) {
  constexpr std::string_view kPrefix = "test_data_set_";
  std::vector<std::pair<long, fs::path>> sets;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && name.starts_with(kPrefix)) {
      sets.emplace_back(std::strtol(name.c_str() + kPrefix.size(), nullptr, 10), entry.path());
    }
  }
  if (error) {
    throw Error(ErrorKind::kIo,
                fmt::format("cannot list '{}': {}", folder.string(), error.message()));
  }
  if (sets.empty()) {
    throw Error(ErrorKind::kIo,
                fmt::format("'{}' holds no test_data_set_N folder", folder.string()));
  }
  std::sort(sets.begin(), sets.end());
  std::vector<fs::path> paths;
  paths.reserve(sets.size());
  for (auto& [number, path] : sets) {
    paths.push_back(std::move(path));
  }
  return paths;
}

struct Deviation {
  double worst = 0;  // in units of the tolerance
  std::string where;
};

// 16-bit outputs were rounded to their type on both sides: the relative tolerance is at least four
// units in the last place, the absolute one a unit roundoff of the range.
struct Tolerance {
  double relative;
  double absolute;
};

Tolerance ToleranceFor(DType dtype, const CheckOptions& options) {
  const double unit = dtype == DType::kFloat16 ? 0x1p-11 : dtype == DType::kBFloat16 ? 0x1p-8 : 0;
  return {std::max(options.relative_tolerance, 8 * unit),
          std::max(options.absolute_tolerance, unit)};
}

void Compare(const Tensor& actual, const Tensor& expected, std::string_view name,
             const CheckOptions& options, Deviation& deviation) {
  if (actual.type() != expected.type()) {
    throw Error(ErrorKind::kModel,
                fmt::format("output '{}': expected {}, computed {}", name,
                            expected.type().ToString(), actual.type().ToString()));
  }
  const std::vector<double> want = DoublesOf(expected);
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : want) {
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  const double range = high > low ? high - low : std::isfinite(high) ? std::abs(high) : 0;
  const Tolerance tolerance =
      IsFloating(expected.dtype()) ? ToleranceFor(expected.dtype(), options) : Tolerance{0, 0};
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double got = DoubleAt(actual.dtype(), actual.data(), static_cast<std::int64_t>(i));
    const bool same = got == want[i] || (std::isnan(got) && std::isnan(want[i]));
    if (same) {
      continue;
    }
    const double allowed = tolerance.absolute * range + tolerance.relative * std::abs(want[i]);
    const double ratio = allowed > 0 && std::isfinite(got) && std::isfinite(want[i])
                             ? std::abs(got - want[i]) / allowed
                             : std::numeric_limits<double>::infinity();
    if (ratio > deviation.worst) {
      deviation = {ratio, fmt::format("output '{}' element {}: expected {:.9g}, computed {:.9g}",
                                      name, i, want[i], got)};
    }
  }
}

// Files are numbered by position. A model may list an input that the set does not have (an optional
// input that is left out); then the number is skipped there.
std::vector<Tensor> ReadInputs(const Model& model, const fs::path& set) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < model.graph.inputs.size(); ++i) {
    inputs.push_back(ReadTensorProto(set / fmt::format("input_{}.pb", i)));
    const TensorType& expected = model.graph.value(model.graph.inputs[i]).type;
    if (inputs.back().type() != expected) {
      throw Error(ErrorKind::kModel,
                  fmt::format("input_{}.pb: expected {}, got {}", i, expected.ToString(),
                              inputs.back().type().ToString()));
    }
  }
  return inputs;
}

void CheckSet(const fs::path& folder, const fs::path& set, const CheckOptions& options,
              Deviation& deviation) {
  const Model model = LoadModel({.path = folder,
                                 .inputs = set.string(),
                                 .max_memory = options.max_memory,
                                 .fusions_off = options.fusions_off});
  RequireMachineMemory(model.graph);
  const Executable executable = Compile(model.graph, ReferencePlan(model.graph));
  const std::vector<Tensor> inputs = ReadInputs(model, set);
  std::vector<Tensor> outputs;
  const ThreadPool pool(options.threads);
  pool.Run([&] { outputs = executable.Run(inputs); });
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Tensor expected = ReadTensorProto(set / fmt::format("output_{}.pb", i));
    Compare(outputs[i], expected, model.graph.value(model.graph.outputs[i]).name, options,
            deviation);
  }
}

}  // namespace

CheckResult CheckFolder(const fs::path& folder, const CheckOptions& options) {
  CheckMeasureSettings({.threads = options.threads});
  CheckResult result{.folder = folder.string()};
  try {
    Deviation deviation;
    const std::vector<fs::path> sets = DataSets(folder);
    for (const fs::path& set : sets) {
      result.interrupted = options.hooks.stop_requested && options.hooks.stop_requested();
      if (result.interrupted) {
        break;
      }
      if (options.hooks.on_progress) {
        options.hooks.on_progress("check", result.sets, sets.size());
      }
      WithContext([&] { return set.filename().string(); },
                  [&] { CheckSet(folder, set, options, deviation); });
      ++result.sets;
    }
    result.worst_deviation = deviation.worst;
    result.passed = deviation.worst <= 1 && !result.interrupted;
    result.detail =
        fmt::format("{} sets, worst deviation {:.3g} of the tolerance{}", result.sets,
                    deviation.worst, deviation.where.empty() ? "" : " (" + deviation.where + ")");
  } catch (const Error& error) {
    result.detail = error.what();
  }
  return result;
}

}  // namespace halftone
