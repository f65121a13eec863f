#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "src/api/explain_machine.h"
#include "src/api/report/explain_tensor.h"
#include "src/api/report/measured_point.h"
#include "src/api/shape_profiles.h"
#include "src/base/file.h"
#include "src/cli/bank_option.h"
#include "src/cli/command.h"
#include "src/cli/interrupt.h"
#include "src/cli/npu_config.h"
#include "src/cli/point_option.h"
#include "src/cli/shared_options.h"
#include "src/cli/step_progress.h"
#include "src/cli/target_flags.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

constexpr std::string_view kDefaultMethod = "auto";

// Of one 8-bit tensor, or a table of all, in place of the plan.
struct TensorFlags {
  std::string name;
  bool all = false;
  std::string histograms;
  DatasetOptions samples;  // no inputs: none
  std::string method = std::string(kDefaultMethod);

  [[nodiscard]] bool asked() const { return all || !name.empty(); }
};

struct ExplainFlags {
  ModelFlags model;
  PrecisionArguments precision;
  std::string point;
  std::string op_bank_path;
  std::string mdl_bank_path;
  std::string select;
  ExplainRequest request;
  std::vector<std::string> diff;
  std::string output;
  std::string npu_config;
  TensorFlags tensor;
  bool machine = false;
  bool write_v2 = false;
};

constexpr std::size_t kMostRows = 100;  // on a terminal

// 0: all.
std::size_t MostRows() {
  return OutputIsTerminal() && CurrentVerbosity() != Verbosity::kVerbose ? kMostRows : 0;
}

void PrintExplained(const ExplainedText& explained) {
  PrintText(explained.text);
  PrintNotes(explained.notes);
  PrintWarnings(explained.warnings);
}

void WriteOptions(const ExplainFlags& flags, std::span<const Model> models,
                  const PrecisionOptions& options) {
  const WrittenOptions written =
      WriteSmallestOptions(models, flags.model.target, options, flags.output,
                           {.unknown_names_are_warnings = flags.request.unknown_names_are_warnings,
                            .v2_names = flags.write_v2});
  PrintNotes(written.notes);
  PrintNote(fmt::format(
      "{}/arguments.txt has the smallest option set of this plan, in place of the one typed: {}",
      flags.output, fmt::join(written.arguments, " ")));
}

bool TakesStored(const ExplainFlags& flags) {
  return !flags.op_bank_path.empty() || !flags.mdl_bank_path.empty() || !flags.select.empty();
}

// Options of a stored point, with what the search found of it.
PrecisionOptions StoredOptions(ExplainFlags& flags, const Model& model, const TargetSpec& target) {
  const std::filesystem::path bank = ResolveBank(flags.op_bank_path, flags.mdl_bank_path).path;
  StoredConfiguration stored = LoadStored({&model, 1}, bank, target, flags.select);
  PrintWarnings(stored.warnings);
  PrintNote(fmt::format("stored configuration of {}: {}", stored.recorded_at,
                        Summary(stored.trial.candidate, VocabularyOf(target))));
  flags.request.findings = StoredFindings(model, bank, target, stored);
  return std::move(stored.precision);
}

// A stored configuration excludes whatever else gives options.
void CheckStoredBeside(const ExplainFlags& flags) {
  if (!TakesStored(flags)) {
    return;
  }
  const std::string_view taken = !flags.op_bank_path.empty()    ? "--op_bank_path"
                                 : !flags.mdl_bank_path.empty() ? "--mdl_bank_path"
                                                                : "--select";
  for (const auto& [given, option] : {std::pair(!flags.point.empty(), "--point"),
                                      std::pair(!flags.npu_config.empty(), "--npu_config"),
                                      std::pair(!flags.diff.empty(), "--diff")}) {
    if (given) {
      throw Error(ErrorKind::kUsage, fmt::format("{} and {} exclude each other", taken, option));
    }
  }
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    if (!(flags.precision.*row.argument).empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} takes a stored configuration and excludes --{}; leave one of "
                              "them out",
                              taken, row.name));
    }
  }
}

// What --tensor and --tensors have no use for, and what is for them alone.
void CheckTensorBeside(const ExplainFlags& flags) {
  const TensorFlags& tensor = flags.tensor;
  if (tensor.all && !tensor.name.empty()) {
    throw Error(ErrorKind::kUsage,
                "--tensor shows one tensor and --tensors all of them: leave one of them out");
  }
  const std::string_view asked = tensor.all ? "--tensors" : "--tensor";
  for (const auto& [given, option] :
       {std::pair(!flags.diff.empty(), "--diff"), std::pair(!flags.output.empty(), "--output"),
        std::pair(!flags.request.node.empty(), "--node"),
        std::pair(flags.request.steps, "--steps")}) {
    if (given && tensor.asked()) {
      throw Error(ErrorKind::kUsage, fmt::format("{} and {} exclude each other", asked, option));
    }
  }
  for (const auto& [given, option] :
       {std::pair(!tensor.histograms.empty(), "--histograms"),
        std::pair(!tensor.samples.inputs.empty(), "--calibration_inputs"),
        std::pair(!tensor.samples.image.empty(), "--image"),
        std::pair(tensor.method != kDefaultMethod, "--calibration_method")}) {
    if (given && !tensor.asked()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} is of --tensor and --tensors: give one of them too", option));
    }
  }
  if (!tensor.histograms.empty() && !tensor.samples.inputs.empty()) {
    throw Error(ErrorKind::kUsage,
                "--histograms has what --calibration_inputs would show: leave one of them out");
  }
  CheckCalibrationMethod(tensor.method);
}

ExplainedText ExplainTensorOf(const ExplainFlags& flags, const Model& model,
                              const TargetSpec& target, const PrecisionOptions& options) {
  const TensorFlags& tensor = flags.tensor;
  const InterruptGuard interrupt;
  StepProgressLine progress;
  RunHooks hooks;
  hooks.stop_requested = StopRequested;
  hooks.on_progress = [&](std::string_view what, std::size_t done, std::size_t planned) {
    progress.Set(what, done, planned);
  };
  return ExplainTensors(
      model, target, options,
      {.tensor = tensor.name,
       .format = flags.request.format,
       .samples = tensor.samples.inputs.empty() ? std::nullopt : std::optional(tensor.samples),
       .method = tensor.method,
       .histograms = tensor.histograms,
       .point = flags.point,
       .columns = flags.request.layout.columns,
       .hooks = std::move(hooks)});
}

void ExplainOneSet(ExplainFlags& flags) {
  const std::optional<Point> point = TakePoint(flags.point, flags.model, flags.precision);
  const TargetSpec target = LoadTargetOf(flags.model.target);
  TrainingScript script;
  if (!flags.npu_config.empty()) {
    script = ReadTrainingScript(flags.npu_config);
  }
  LoadedPrecision loaded = flags.npu_config.empty()
                               ? LoadPrecisionOf(point, flags.precision, target)
                               : LoadWithScript(script, flags.npu_config, flags.precision, target);
  PrintWarnings(loaded.warnings);
  const std::vector<Model> models = LoadModelsOf(
      flags.model, flags.tensor.samples.inputs.empty() ? nullptr : &flags.tensor.samples);
  const Model& model = models.front();
  if (point) {
    flags.request.findings = FindingsOfPoint(*point);
  } else if (TakesStored(flags)) {
    loaded.options = StoredOptions(flags, model, target);
  }
  if (!flags.npu_config.empty()) {
    PrintWarnings(CheckTrainingScript(script, model.graph, loaded.options, target));
  }
  RequirePlanOf(point, model, target, loaded.options);
  if (flags.tensor.asked()) {
    PrintExplained(ExplainTensorOf(flags, model, target, loaded.options));
    if (InterruptGuard::Requested()) {
      PrintNote("interrupted: the values are those of the runs until then");
    }
    return;
  }
  PrintExplained(ExplainText(model, target, loaded.options, flags.request));
  PrintNotes(ExplainShapeProfiles(models, target, loaded.options));
  if (!flags.output.empty()) {
    WriteOptions(flags, models, loaded.options);
  }
}

// The switches and shapes that a set names win over those of the command line. Both sets are
// explained on one graph, so they must leave the same fusions, and not name different shapes.
ModelFlags WithNetworkOf(const std::vector<OptionSet>& sets, ModelFlags flags) {
  const auto file_of = [&](const OptionSet& set) {
    return set.fusion_switch_file.empty() ? flags.fusion_switch_file : set.fusion_switch_file;
  };
  const auto a = LoadFusionSwitches(file_of(sets[0])).off;
  const auto b = LoadFusionSwitches(file_of(sets[1])).off;
  if (a != b) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("--diff: A switches off the fusions [{}], B [{}]; expected the same, so "
                    "that both are of one graph",
                    fmt::join(a, ", "), fmt::join(b, ", ")));
  }
  flags.fusion_switch_file = file_of(sets[0]);
  const std::string shapes[] = {fmt::format("{}", fmt::join(InputShapesOf(sets[0].shapes), " ")),
                                fmt::format("{}", fmt::join(InputShapesOf(sets[1].shapes), " "))};
  if (!shapes[0].empty() && !shapes[1].empty() && shapes[0] != shapes[1]) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--diff: A is of the input shapes {}, B of {}; expected the same, so "
                            "that both are of one graph",
                            shapes[0], shapes[1]));
  }
  for (std::size_t i = 0; i < std::size(shapes); ++i) {
    flags.shapes = shapes[i].empty() ? flags.shapes : sets[i].shapes;
  }
  return flags;
}

void ExplainTwoSets(ExplainFlags& flags) {
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
  if (flags.request.steps) {
    throw Error(ErrorKind::kUsage, "--steps and --diff exclude each other");
  }
  if (!flags.point.empty()) {
    throw Error(ErrorKind::kUsage,
                "--point and --diff exclude each other; its folder can be one of the option sets");
  }
  TakeInstallation(flags.model.target);
  std::vector<OptionSet> sets;
  for (const std::string& text : flags.diff) {
    sets.push_back(WithContext([&] { return fmt::format("--diff '{}'", text); },
                               [&] { return LoadOptionSet(text, flags.model.target); }));
    PrintNotes(sets.back().target.notes);
    PrintWarnings(sets.back().precision.warnings);
  }
  const Model model = LoadModelOf(WithNetworkOf(sets, flags.model), {}, "explain --diff");
  PrintExplained(ExplainDifference(model, sets[0], sets[1], flags.request));
}

}  // namespace

void DefineExplainCommand(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<ExplainFlags>();
  AddModelFlags(app, flags->model);
  AddPrecisionFlags(app, flags->precision);
  AddPointFlag(app, flags->point);
  AddBankFlag(app, flags->op_bank_path);
  AddSubgraphBankFlag(app, flags->mdl_bank_path);
  app.get_option("--op_bank_path")
      ->description(
          "Explain the configuration of this network that a knowledge base holds, with what the "
          "search found of its operators: the folder above <soc_version>/halftone.db");
  app.add_option("--select", flags->select,
                 "Stored point to explain: fastest, most_accurate, or its number; default: the "
                 "chosen one. Without --op_bank_path of the default knowledge base");
  AddNpuConfigFlag(app, flags->npu_config, "explain its options");
  app.add_flag_callback(
      "--machine",
      [&app, flags] {
        flags->machine = true;
        app.get_option("--model")->required(false);
      },
      "In place of a network: which number formats pay on this machine, by its profile in the "
      "knowledge base, or measured now");
  app.add_option("--format", flags->request.format, "table, json or csv")->capture_default_str();
  app.add_option("--node", flags->request.node, "Only this node, or OpType::<type>");
  app.add_flag("--steps", flags->request.steps,
               "Steps of this plan: what runs as one, and what keeps neighbours apart");
  app.add_option("--tensor", flags->tensor.name,
                 "In place of the plan one 8-bit tensor or weight: its range, histogram, clipped "
                 "shares and readers, scales of weights by channel");
  app.add_flag("--tensors", flags->tensor.all, "In place of the plan a table of all 8-bit tensors");
  app.add_option("--histograms", flags->tensor.histograms,
                 "For --tensor: a histograms.json that tune --output wrote; default: that of the "
                 "run which wrote --point");
  app.add_option("--calibration_inputs", flags->tensor.samples.inputs,
                 "For --tensor: samples that show the values, as --inputs of tune; without scales "
                 "they are calibrated on them");
  app.add_option("--calibration_method", flags->tensor.method,
                 "For --tensor without scales: how a range is chosen, as of tune")
      ->capture_default_str();
  app.add_option("--image", flags->tensor.samples.image,
                 "For --calibration_inputs: how pixels become an input (docs/guide/inputs.md)");
  app.add_option(
         "--diff", flags->diff,
         "Two option sets A and B: only what they resolve differently. Each is a quoted text "
         "\"precision_mode=... keep_dtype=... soc_version=...\", a file of such words, or a "
         "folder that holds arguments.txt")
      ->expected(2)
      ->type_name("A B");
  app.add_flag("--unknown_names_are_warnings", flags->request.unknown_names_are_warnings,
               "Names in configuration files that the graph does not have: warn, do not fail");
  app.add_option(
      "--output", flags->output,
      "Folder for the smallest option set that gives this plan: arguments.txt and files");
  AddWriteV2Flag(app, flags->write_v2);
  app.final_callback([flags, &exit_code] {
    if (flags->machine) {
      PrintText(ExplainMachine({.bank = ResolveBank(flags->op_bank_path).path,
                                .threads = MeasureSettings().threads,
                                .columns = TerminalColumns()}));
      return;
    }
    CheckExplainRequest(flags->request);
    flags->request.layout = {.columns = ListColumns(),
                             .most_rows = MostRows(),
                             .refused = CurrentVerbosity() == Verbosity::kVerbose};
    if (!flags->npu_config.empty() && !flags->point.empty()) {
      throw Error(ErrorKind::kUsage, fmt::format("{} and --point exclude each other", kNpuConfig));
    }
    CheckStoredBeside(*flags);
    CheckTensorBeside(*flags);
    if (flags->diff.empty()) {
      ExplainOneSet(*flags);
    } else {
      ExplainTwoSets(*flags);
    }
    exit_code = InterruptGuard::Requested() ? kExitInterrupted : kExitDone;
  });
}

}  // namespace halftone
