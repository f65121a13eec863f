#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "src/base/file.h"
#include "src/cli/command.h"
#include "src/cli/shared_options.h"
#include "src/training/script.h"

namespace halftone {
namespace {

struct ExplainFlags {
  ModelFlags model;
  PrecisionArguments precision;
  ExplainRequest request;
  std::vector<std::string> diff;
  std::string output;
  std::string npu_config;
};

constexpr std::string_view kNpuConfig = "--npu_config";

TrainingScript ReadTrainingScript(const std::string& path) {
  try {
    return ParseTrainingScript(ReadSmallFile(path, kMostSettingsBytes), path);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kIo) {
      throw;
    }
    throw Error(ErrorKind::kUsage,
                fmt::format("E10001: {}={}: {}", kNpuConfig, path, error.what()));
  }
}

// What is typed wins over what the script says.
PrecisionArguments Merge(const TrainingScript& script, const PrecisionArguments& typed) {
  PrecisionArguments merged = script.arguments;
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    const std::string& value = typed.*row.argument;
    std::string& of_script = merged.*row.argument;
    if (value.empty()) {
      continue;
    }
    if (!of_script.empty() && of_script != value) {
      PrintWarnings(
          {fmt::format("--{}={} wins over {} of the training script", row.name, value, of_script)});
    }
    of_script = value;
  }
  return merged;
}

void ExplainOneSet(const ExplainFlags& flags) {
  TrainingScript script;
  PrecisionArguments arguments = flags.precision;
  if (!flags.npu_config.empty()) {
    script = ReadTrainingScript(flags.npu_config);
    for (const std::string& note : script.notes) {
      fmt::print(stderr, "note: {}\n", note);
    }
    PrintWarnings(script.warnings);
    arguments = Merge(script, flags.precision);
  }
  LoadedPrecision loaded = LoadPrecision(arguments);
  PrintWarnings(loaded.warnings);
  const Model model = LoadModelOf(flags.model, "");
  const TargetSpec target = LoadTargetOf(flags.model.target);
  if (!flags.npu_config.empty()) {
    PrintWarnings(CheckTrainingScript(script, model.graph, loaded.options, target));
  }
  fmt::print("{}", ExplainText(model, target, loaded.options, flags.request));
  if (!flags.output.empty()) {
    const WrittenOptions written = WriteSmallestOptions(model, target, loaded.options, flags.output,
                                                        flags.request.unknown_names_are_warnings);
    for (const std::string& note : written.notes) {
      fmt::print(stderr, "note: {}\n", note);
    }
    fmt::print(stderr, "note: {}/arguments.txt has the smallest option set of this plan: {}\n",
               flags.output, fmt::join(written.arguments, " "));
  }
}

void ExplainTwoSets(const ExplainFlags& flags) {
  if (!flags.npu_config.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("{} and --diff exclude each other", kNpuConfig));
  }
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    if (!(flags.precision.*row.argument).empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--{} and --diff exclude each other; write it into the option sets",
                              row.name));
    }
  }
  if (!flags.output.empty()) {
    throw Error(ErrorKind::kUsage, "--output and --diff exclude each other");
  }
  std::vector<LoadedPrecision> sets;
  for (const std::string& text : flags.diff) {
    sets.push_back(WithContext([&] { return fmt::format("--diff '{}'", text); },
                               [&] { return LoadOptionSet(text); }));
    PrintWarnings(sets.back().warnings);
  }
  const Model model = LoadModelOf(flags.model, "");
  fmt::print("{}", ExplainDifference(model, LoadTargetOf(flags.model.target), sets[0].options,
                                     sets[1].options, flags.request));
}

}  // namespace

void DefineExplainCommand(CLI::App& app, int& /*exit_code*/) {
  auto flags = std::make_shared<ExplainFlags>();
  AddModelFlags(app, flags->model);
  AddPrecisionFlags(app, flags->precision);
  app.add_option("--npu_config", flags->npu_config,
                 "Settings of a training script, YAML or JSON: NPURunConfig, parameter_map or "
                 "global_options; see docs/training.md");
  app.add_option("--format", flags->request.format, "table, json or csv")->capture_default_str();
  app.add_option("--node", flags->request.node, "Only this node, or OpType::<type>");
  app.add_option(
         "--diff", flags->diff,
         "Two option sets A and B: only what they resolve differently. Each is a quoted text "
         "\"precision_mode=... keep_dtype=...\", a file of such words, or a folder that "
         "holds arguments.txt")
      ->expected(2)
      ->type_name("A B");
  app.add_flag("--unknown_names_are_warnings", flags->request.unknown_names_are_warnings,
               "Names in configuration files that the graph does not have: warn, do not fail");
  app.add_option(
      "--output", flags->output,
      "Folder for the smallest option set that gives this plan: arguments.txt and files");
  app.final_callback([flags] {
    if (flags->diff.empty()) {
      ExplainOneSet(*flags);
    } else {
      ExplainTwoSets(*flags);
    }
  });
}

}  // namespace halftone
