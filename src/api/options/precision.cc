// Precision options from files and texts, plans, and texts that explain them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "src/api/halftone.h"
#include "src/api/options/explain_steps.h"
#include "src/api/options/read_precision.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/exec/executable.h"
#include "src/precision/explain/explain.h"
#include "src/precision/files/option_table.h"
#include "src/precision/files/option_text.h"
#include "src/precision/resolve/check_options.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

constexpr std::uintmax_t kMostBytes = 16U << 20U;  // a line for each of 100,000 nodes is 10 MB

// A file that an option names: a missing one is an argument error with the option's code.
std::string ReadOptionFile(std::string_view option, const std::string& path) {
  std::string content;
  try {
    content = ReadSmallFile(path, kMostBytes);
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage, fmt::format("E10001: {}={}: {}", option, path, error.what()));
  }
  if (content.find('\0') != std::string::npos) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("E10001: {}={}: expected a text file, found a binary one", option, path));
  }
  return content;
}

Explanation ExplanationOf(const Model& model, const TargetSpec& target,
                          const PrecisionOptions& options, const ExplainRequest& request) {
  Explanation explanation =
      Explain(model.graph, options, target,
              {.unknown_names_are_warnings = request.unknown_names_are_warnings});
  if (!request.node.empty()) {
    KeepOnlyNode(explanation, request.node);
  }
  for (NodeExplanation& node : explanation.nodes) {
    if (const auto finding = request.findings.find(node.node); finding != request.findings.end()) {
      node.reason += fmt::format("; the search found that {}", finding->second);
    }
  }
  return explanation;
}

// Says of the nodes that are shown which of them run in another mode than the plan has.
void AddOtherModes(const Model& model, const TargetSpec& target, const PrecisionOptions& options,
                   const ResolveSettings& settings, Explanation& explanation) {
  std::vector<NodeOfOtherMode> others = StepsOfPlan(model, target, options, settings).other_modes;
  std::erase_if(others, [&](const NodeOfOtherMode& other) {
    return std::ranges::none_of(
        explanation.nodes, [&](const NodeExplanation& node) { return node.node == other.node; });
  });
  if (std::string note = OtherModesNote(others); !note.empty()) {
    explanation.notes.push_back(std::move(note));
  }
}

ResolveSettings SettingsOf(const ExplainRequest& request) {
  return {.unknown_names_are_warnings = request.unknown_names_are_warnings};
}

void AddRemarks(const ExplainFormat& format, const Explanation& explanation,
                std::string_view prefix, ExplainedText& explained) {
  if (format.has_remarks) {
    return;
  }
  for (const std::string& remark : Remarks(explanation)) {
    explained.notes.push_back(fmt::format("{}{}", prefix, remark));
  }
  for (const std::string& warning : explanation.warnings) {
    explained.warnings.push_back(fmt::format("{}{}", prefix, warning));
  }
}

}  // namespace

LoadedPrecision LoadPrecision(const PrecisionArguments& arguments, const TargetSpec& target) {
  CheckOptionPaths(arguments);
  return ReadPrecision(arguments, target);
}

LoadedPrecision ReadPrecision(const PrecisionArguments& arguments, const TargetSpec& target) {
  LoadedPrecision loaded;
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    const std::string& argument = arguments.*row.argument;
    if (!argument.empty() && !row.is_file()) {
      row.read({argument, fmt::format("--{}", row.name)}, loaded.options, loaded.warnings);
    }
  }
  loaded.options.op_precision_given = !arguments.op_precision_mode.empty();
  std::vector<std::string> said_by_the_resolver;
  const CheckedOptions checked = CheckOptionValues(loaded.options, target, said_by_the_resolver);
  if (!arguments.modify_mixlist.empty()) {
    RequireMixedMode(*checked.mode);
  }
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    const std::string& path = arguments.*row.argument;
    if (!path.empty() && row.is_file()) {
      const std::string content = ReadOptionFile(fmt::format("--{}", row.name), path);
      row.read({content, path}, loaded.options, loaded.warnings);
    }
  }
  return loaded;
}

void CheckExplainRequest(const ExplainRequest& request) {
  ExplainFormatNamed(request.format);
}

ExplainedText ExplainText(const Model& model, const TargetSpec& target,
                          const PrecisionOptions& options, const ExplainRequest& request) {
  const ExplainFormat& format = ExplainFormatNamed(request.format);
  if (request.steps) {
    ExplainedSteps steps = StepsOfPlan(model, target, options, SettingsOf(request));
    if (!request.node.empty()) {
      KeepStepsOf(model.graph, request.node, steps);
    }
    return {.text = FormatSteps(steps, request.format, request.layout),
            .notes = {},
            .warnings = std::move(steps.warnings)};
  }
  Explanation explanation = ExplanationOf(model, target, options, request);
  AddOtherModes(model, target, options, SettingsOf(request), explanation);
  ExplainedText explained{
      .text = format.explanation(explanation, request.layout), .notes = {}, .warnings = {}};
  AddRemarks(format, explanation, "", explained);
  return explained;
}

ExplainedText ExplainDifference(const Model& model, const OptionSet& a, const OptionSet& b,
                                const ExplainRequest& request) {
  const ExplainFormat& format = ExplainFormatNamed(request.format);
  const auto side = [&](std::string_view name, const OptionSet& set) {
    return WithContext(
        [&] { return std::string(name); },
        [&] { return ExplanationOf(model, set.target, set.precision.options, request); });
  };
  const Explanation left = side("A", a);
  const Explanation right = side("B", b);
  ExplainedText explained{
      .text = format.difference(left, right, request.layout), .notes = {}, .warnings = {}};
  AddRemarks(format, left, "A: ", explained);
  AddRemarks(format, right, "B: ", explained);
  return explained;
}

std::vector<KernelUse> ExplainKernels(const Model& model, const TargetSpec& target,
                                      const PrecisionOptions& precision,
                                      const KernelChoices& choices) {
  return ExplainKernels(model.graph, ResolvePrecision(model.graph, precision, target), choices);
}

std::vector<KernelUse> ExplainKernels(const Graph& graph, const PrecisionPlan& plan,
                                      const KernelChoices& choices) {
  const Executable executable = Compile(graph, plan, {.kernels = {}, .choices = choices});
  std::vector<KernelUse> uses;
  for (const StepInfo& step : executable.steps()) {
    KernelUse use{step.node,
                  step.op,
                  step.in_place ? "in place" : step.kernel,
                  std::string(NameOf(step.dtype)),
                  {}};
    for (const PassedOver& passed : step.passed_over) {
      use.passed_over.push_back(fmt::format("{}: {}", passed.kernel, passed.reason));
    }
    uses.push_back(std::move(use));
  }
  return uses;
}

}  // namespace halftone
