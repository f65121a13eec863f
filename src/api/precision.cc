// Precision options from files and texts, plans, and what they say of themselves.
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>

#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/exec/executable.h"
#include "src/precision/explain.h"
#include "src/precision/impl_mode_file.h"
#include "src/precision/keep_dtype.h"
#include "src/precision/resolve.h"

namespace halftone {
namespace {

// A file that an option names: a missing one is an argument error with the option's code.
std::string ReadOptionFile(std::string_view option, const std::string& path) {
  constexpr std::uintmax_t kMostBytes = 16U << 20U;  // a line for each of 100,000 nodes is 10 MB
  std::error_code code;
  if (std::filesystem::exists(path, code) && !std::filesystem::is_directory(path, code)) {
    const bool regular = std::filesystem::is_regular_file(path, code);
    if (!regular || std::filesystem::file_size(path, code) > kMostBytes) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("E10001: {}={}: expected a text file of at most 16 MiB", option, path));
    }
  }
  try {
    return ReadFile(path);
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage, fmt::format("E10001: {}={}: {}", option, path, error.what()));
  }
}

}  // namespace

LoadedPrecision LoadPrecision(const PrecisionArguments& arguments) {
  LoadedPrecision loaded;
  PrecisionOptions& options = loaded.options;
  options.precision_mode = arguments.precision_mode;
  options.precision_mode_v2 = arguments.precision_mode_v2;
  options.op_select_implmode = arguments.op_select_implmode;
  if (!arguments.keep_dtype.empty()) {
    options.keep_dtype =
        ParseKeepDtype(ReadOptionFile("--keep_dtype", arguments.keep_dtype), arguments.keep_dtype);
  }
  if (!arguments.op_precision_mode.empty()) {
    ImplModeFile file =
        ParseImplModeFile(ReadOptionFile("--op_precision_mode", arguments.op_precision_mode),
                          arguments.op_precision_mode);
    options.op_precision_given = true;
    options.impl_mode_by_node = std::move(file.by_node);
    options.impl_mode_by_type = std::move(file.by_type);
    loaded.warnings = std::move(file.warnings);
  }
  for (const std::string_view type : Split(arguments.optypelist_for_implmode, ',')) {
    if (!type.empty()) {
      options.optypelist_for_implmode.emplace_back(type);
    }
  }
  return loaded;
}

std::string ExplainText(const Model& model, const TargetSpec& target,
                        const PrecisionOptions& options) {
  const PrecisionPlan plan = ResolvePrecision(model.graph, options, target);
  return FormatExplanation(Explain(model.graph, options, target, plan));
}

std::vector<KernelUse> ExplainKernels(const Model& model, const TargetSpec& target,
                                      const PrecisionOptions& precision) {
  const Executable executable =
      Compile(model.graph, ResolvePrecision(model.graph, precision, target));
  std::vector<KernelUse> uses;
  for (const StepInfo& step : executable.steps()) {
    KernelUse use{step.node, step.op, step.kernel, std::string(NameOf(step.dtype)), {}};
    for (const PassedOver& passed : step.passed_over) {
      use.passed_over.push_back(fmt::format("{}: {}", passed.kernel, passed.reason));
    }
    uses.push_back(std::move(use));
  }
  return uses;
}

}  // namespace halftone
