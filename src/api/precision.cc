// Precision options from files and texts, plans, and what they say of themselves.
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>

#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/exec/executable.h"
#include "src/precision/explain.h"
#include "src/precision/option_table.h"
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

Explanation ExplanationOf(const Model& model, const TargetSpec& target,
                          const PrecisionOptions& options, const ExplainRequest& request) {
  Explanation explanation =
      Explain(model.graph, options, target,
              {.unknown_names_are_warnings = request.unknown_names_are_warnings});
  if (!request.node.empty()) {
    KeepOnlyNode(explanation, request.node);
  }
  return explanation;
}

}  // namespace

LoadedPrecision LoadPrecision(const PrecisionArguments& arguments) {
  LoadedPrecision loaded;
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    const std::string& argument = arguments.*row.argument;
    if (argument.empty()) {
      continue;
    }
    const std::string option = fmt::format("--{}", row.name);
    const std::string content = row.is_file() ? ReadOptionFile(option, argument) : argument;
    row.read({content, row.is_file() ? argument : option}, loaded.options, loaded.warnings);
  }
  return loaded;
}

std::string ExplainText(const Model& model, const TargetSpec& target,
                        const PrecisionOptions& options, const ExplainRequest& request) {
  const ExplainFormat& format = ExplainFormatNamed(request.format);
  return format.explanation(ExplanationOf(model, target, options, request));
}

std::string ExplainDifference(const Model& model, const TargetSpec& target,
                              const PrecisionOptions& a, const PrecisionOptions& b,
                              const ExplainRequest& request) {
  const ExplainFormat& format = ExplainFormatNamed(request.format);
  const auto side = [&](std::string_view name, const PrecisionOptions& options) {
    return WithContext([&] { return std::string(name); },
                       [&] { return ExplanationOf(model, target, options, request); });
  };
  const Explanation left = side("A", a);
  return format.difference(left, side("B", b));
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
