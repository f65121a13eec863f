#include "src/cli/shared_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "src/api/load/memory_limit.h"
#include "src/api/shape_profiles.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/cli/step_progress.h"
#include "src/cli/target_flags.h"
#include "src/cli/terminal.h"

namespace halftone {

namespace {

// A bound that the help shows; greater ones only keep sizes sane.
constexpr double kMostShown = 1e4;

std::string_view AboveText(const WholeRange& /*range*/) {
  return ">=";
}

std::string_view AboveText(const RealRange& range) {
  return range.above ? ">" : ">=";
}

// CLI11's own reading takes nan, inf, hexadecimal numbers and, behind a 0, octal ones: it gets the
// number as it is written here.
template <typename Range>
CLI::Option* Require(CLI::Option* option, const Range& range) {
  const std::string shown = static_cast<double>(range.most) <= kMostShown
                                ? fmt::format("{}..{}", range.least, range.most)
                                : fmt::format("{}{}", AboveText(range), range.least);
  const CLI::Validator validator(
      [range](std::string& text) {
        const auto number = NumberIn(text, range);
        if (!number) {
          return fmt::format("expected {}, found '{}'{}", RangeText(range), Shown(text),
                             PercentHint(text, range));
        }
        text = fmt::format("{}", *number);
        return std::string();
      },
      shown);
  return option->transform(validator);
}

}  // namespace

CLI::Option* RequireRange(CLI::Option* option, const WholeRange& range) {
  return Require(option, range);
}

CLI::Option* RequireRange(CLI::Option* option, const RealRange& range) {
  return Require(option, range);
}

void AddModelFlags(CLI::App& app, ModelFlags& flags, bool model_required) {
  auto* model =
      app.add_option("--model", flags.model, "ONNX file, or a folder that holds model.onnx");
  if (model_required) {
    model->required();
  }
  app.add_option("--input_shape", flags.shapes.input_shape,
                 "Shapes of inputs with free dimensions: \"name:1,3,224,224;name2:1,10\"; default: "
                 "those of --inputs, else 1; given several times, or with -1 and one of the next "
                 "three, one network at several shapes (run, explain)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("TEXT");
  app.add_option("--dynamic_batch_size", flags.shapes.dynamic_batch_size,
                 "Batches for the -1 in front of inputs: \"1,2,8\"");
  app.add_option("--dynamic_image_size", flags.shapes.dynamic_image_size,
                 "Heights and widths for the two -1 of an input: \"224,224;448,448\"");
  app.add_option("--dynamic_dims", flags.shapes.dynamic_dims,
                 "Sizes for all -1 of --input_shape, in order: \"1,20;8,40\"");
  app.add_option("--fusion_switch_file", flags.fusion_switch_file,
                 "JSON file that switches fusions off by name, as for ATC: {\"Switch\": "
                 "{\"GraphFusion\": {\"matmul_to_gemm\": \"off\"}, \"UBFusion\": {\"ALL\": "
                 "\"off\"}}}; see docs/internals/passes.md");
  app.add_option(
      "--max_memory", flags.max_memory,
      "Refuse a network whose weights and activations need more, before memory is taken; what is "
      "kept for the probes of a search stays below it too: bytes, or 512M, 2G; default: no limit");
  AddTargetFlags(app, flags.target);
  AddProgramFlags(app);
}

void AddProgramFlags(CLI::App& app) {
  app.add_option("--config",
                 "File of options, name = value on each line, as INI or TOML; [tune] begins those "
                 "of one command; the command line wins")
      ->type_name("FILE");
  auto* quiet = app.add_flag_callback(
      "--quiet", [] { SetVerbosity(Verbosity::kQuiet); },
      "Print results, warnings and errors only");
  app.add_flag_callback(
         "--verbose", [] { SetVerbosity(Verbosity::kVerbose); },
         "Also print a line for each measured plan")
      ->excludes(quiet);
}

void AddDataFlags(CLI::App& app, DataFlags& flags) {
  app.add_option(
      "--inputs", flags.options.inputs,
      "Samples: a folder with test_data_set_N or input_i.pb or PNG and JPEG images, a .npy, .npz, "
      ".pb or raw .bin file, or \"name:file;name2:file2\"; files may stack samples along the first "
      "axis; default: random data, with a warning");
  app.add_option("--image", flags.options.image,
                 "How pixels become an input, words with commas: resize=N or HxW, range=R (255 "
                 "becomes it), mean=A/B/C, std=A/B/C, layout=NCHW or NHWC, rgb, bgr or gray "
                 "(docs/guide/inputs.md)");
  app.add_option(
      "--state", flags.options.state,
      "Outputs that a recurrent network takes back, \"hn:h;cn:c\" (output:input): samples "
      "are steps of a sequence, states begin at zero");
  RequireRange(app.add_option("--sequence_length", flags.options.sequence_length,
                              "Steps of a sequence under --state; 0: one sequence of all samples"),
               limits::kCountRange)
      ->capture_default_str();
  app.add_option("--labels", flags.options.labels,
                 "Class indices of the samples: a .npy or .pb file, OUTPUT:FILE for those of one "
                 "output");
  RequireRange(
      app.add_option("--max_samples", flags.options.max_samples, "Use the first N samples; 0: all"),
      limits::kCountRange)
      ->capture_default_str();
  RequireRange(
      app.add_option("--draw_samples", flags.options.draw_samples,
                     "Use at most N samples, drawn at random, the same in every run; 0: all"),
      limits::kCountRange)
      ->capture_default_str();
}

void AddPrecisionFlags(CLI::App& app, PrecisionArguments& arguments) {
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    app.add_option(fmt::format("--{}", row.name), arguments.*row.argument, std::string(row.help));
  }
}

void AddMeasureFlags(CLI::App& app, MeasureSettings& settings) {
  RequireRange(app.add_option("--threads", settings.threads,
                              "Threads a run of the network uses; 0: all cores"),
               limits::kThreadRange)
      ->capture_default_str();
  RequireRange(
      app.add_option(
          "--seed", settings.seed,
          "Seed of everything random; the same seed gives the same proposals as long as the "
          "measurements are the same: all strategies but exhaustive and random propose from them"),
      limits::kSeedRange)
      ->capture_default_str();
}

CLI::Option* AddConfidenceFlag(CLI::App& app, std::string& confidence) {
  return app.add_option(
      "--confidence", confidence,
      fmt::format(
          "Probability with which bounds on accuracy hold for new samples, from {} to {}: "
          "promised by held-out samples. Where these are too few for a bound, the point is "
          "chosen on the samples, the report says so, and the exit code is 3. none: promise "
          "nothing, choose on the samples",
          kLeastConfidence, kMostConfidence));
}

void AddMetricFlags(CLI::App& app, MetricArguments& arguments) {
  std::string meaning = "Metric that counts as loss besides latency: ";
  for (const MetricRow& row : AllMetrics()) {
    meaning += fmt::format("{}, ", row.name);
  }
  app.add_option(
      "--metric", arguments.metric,
      meaning +
          "one of them behind OUTPUT: for that of one output, or \"command:PROGRAM "
          "ARGUMENTS\": your own program gets a folder of outputs and prints one number "
          "(docs/internals/measuring.md); default: rel_l2, and agreement where all outputs are "
          "integers or booleans");
  app.add_option("--metric_better", arguments.better,
                 "Direction of --metric=command: higher or lower is better");
  RequireRange(app.add_option("--metric_timeout", arguments.timeout_s,
                              "Seconds that one run of the program of --metric=command may take"),
               limits::kProgramSecondsRange)
      ->capture_default_str();
}

void AddRuntimeFlags(CLI::App& app, RuntimeArguments& arguments) {
  app.add_option("--measure", arguments.runtime,
                 fmt::format("Runtime on which plans are built, timed and run in place of "
                             "halftone's kernels: {}; docs/guide/measuring_elsewhere.md",
                             Join(MeasureForms(), " or ")));
  app.add_option(
         "--measure_format", arguments.format,
         "Format of what the command of --measure leaves (docs/guide/measuring_elsewhere.md)")
      ->capture_default_str();
  RequireRange(app.add_option("--measure_timeout", arguments.timeout_s,
                              "Seconds that one call of the command of --measure may take"),
               limits::kTimeoutRange)
      ->capture_default_str();
  app.add_option("--measure_inputs", arguments.inputs,
                 "Form of the inputs that the command of --measure gets: bin or npy")
      ->capture_default_str();
}

std::int64_t MaxMemoryOf(const ModelFlags& flags) {
  return flags.max_memory.empty() ? 0 : ParseMemorySize(flags.max_memory);
}

namespace {

ModelOptions ModelOptionsOf(const ModelFlags& flags, const DatasetOptions& data) {
  FusionSwitches switches = LoadFusionSwitches(flags.fusion_switch_file, flags.target);
  PrintWarnings(switches.warnings);
  return {.path = flags.model,
          .input_shape = {},
          .inputs = data.inputs,
          .state = data.state,
          .image = data.image,
          .max_memory = MaxMemoryOf(flags),
          .fusions_off = std::move(switches.off),
          .fusion_switches = std::move(switches.file)};
}

// Work on the file of the network and its samples, which may be large.
template <typename Body>
auto Reading(const ModelFlags& flags, Body&& body) {
  StepProgressLine progress;
  progress.Set(fmt::format("reading '{}'", flags.model));
  return body();
}

}  // namespace

Model LoadModelOf(const ModelFlags& flags, const DatasetOptions& data, std::string_view command) {
  const std::size_t count = InputShapesOf(flags.shapes).size();
  if (count != 1) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("E10001: {} takes one input shape, --input_shape and --dynamic_... give "
                    "{}; run it once for each",
                    command, count));
  }
  ModelOptions options = ModelOptionsOf(flags, data);
  options.input_shape = InputShapesOf(flags.shapes).front();
  Model model = Reading(flags, [&] { return LoadModel(options); });
  PrintNotes(model.notes);
  return model;
}

std::vector<Model> LoadModelsOf(const ModelFlags& flags, const DatasetOptions* data) {
  const std::vector<std::string> shapes = InputShapesOf(flags.shapes);
  const DatasetOptions given = data != nullptr ? *data : DatasetOptions();
  const ModelOptions options = ModelOptionsOf(flags, given);
  std::vector<Model> models =
      Reading(flags, [&] { return LoadSampleProfiles(options, shapes, given); });
  for (const Model& model : models) {
    PrintNotes(model.notes);
  }
  return models;
}

std::vector<Model> LoadModelsAtShapes(const ModelFlags& flags, const DatasetOptions& data,
                                      std::string_view use) {
  std::vector<std::string> shapes = InputShapesOf(flags.shapes);
  const ModelOptions options = ModelOptionsOf(flags, data);
  if (shapes.size() == 1 && shapes.front().empty()) {
    shapes = Reading(flags, [&] { return ShapesOfSamples(options, data); });
    if (shapes.size() > 1) {
      PrintNote(
          fmt::format("the samples have {} input shapes, {}: '{}'; --input_shape chooses some",
                      shapes.size(), use, Join(shapes, "', '")));
    }
  }
  std::vector<Model> models =
      Reading(flags, [&] { return LoadSampleProfiles(options, shapes, data); });
  for (const Model& model : models) {
    PrintNotes(model.notes);
  }
  return models;
}

void PrintNotes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    PrintNote(note);
  }
}

void PrintWarnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    PrintWarning(warning);
  }
}

void AddShapeWeightsFlag(CLI::App& app, std::vector<double>& weights) {
  RequireRange(
      app.add_option("--shape_weights", weights,
                     "How often each input shape is run, a number for each in order: the latency "
                     "of a point is the mean with these weights; default: by the samples that "
                     "each has"),
      limits::kWeightRange)
      ->delimiter(',')
      ->allow_extra_args(false);
}

void AddOperatorTuningFlag(CLI::App& app, std::string& text) {
  std::string modes;
  for (const auto& row : kOperatorTuningModes) {
    modes += fmt::format("{}{} ({})", modes.empty() ? "" : ", ", row.name, row.meaning);
  }
  text = NameIn(kOperatorTuningModes, TuneOptions().operator_tuning);
  app.add_option("--operator_tuning", text,
                 fmt::format("First find the fastest kernel of every operator, for float32 and "
                             "each mode that is searched: {}; without a value, full",
                             modes))
      ->expected(0, 1)
      ->capture_default_str();
}

OperatorTuningMode OperatorTuningModeOf(std::string_view text) {
  // The parser's text for the option without a value.
  const auto mode = ValueIn(kOperatorTuningModes, text == "true" ? "full" : text);
  if (!mode) {
    throw Error(ErrorKind::kUsage, fmt::format("--operator_tuning={}: expected one of {}", text,
                                               NamesIn(kOperatorTuningModes)));
  }
  return *mode;
}

}  // namespace halftone
