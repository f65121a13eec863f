#include "src/api/qaic/session.h"

#include <fmt/format.h>

#include <optional>

#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/output_file.h"
#include "src/base/text.h"
#include "src/onnx/model_inputs.h"
#include "src/precision/resolve/resolve.h"
#include "src/qaic/custom_interface.h"
#include "src/qaic/external_ranges.h"
#include "src/qaic/fp32_islands.h"
#include "src/qaic/glow_quantization.h"
#include "src/qaic/host_precision.h"
#include "src/qaic/input_shapes.h"
#include "src/qaic/node_choice.h"
#include "src/qaic/node_table.h"
#include "src/qaic/point_files.h"
#include "src/qaic/profile_file.h"
#include "src/qaic/profile_run.h"
#include "src/qaic/raw_samples.h"
#include "src/quantization/files/custom_io.h"
#include "src/quantization/files/input_list.h"
#include "src/quantization/files/node_precision.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

// The guide's words, and what to do.
constexpr std::string_view kNoFloat32Instances =
    "setting node instances to FP32 is not supported with -node-precision-info of qaic-exec, the "
    "older tool; keep their kinds with -keep-original-precision-for-nodes, or use qaic-compile";

Model LoadQaicModel(const QaicCompileOptions& options) {
  ModelOptions model;
  model.path = options.model;
  model.input_shape = InputShapeText(ReadModelInputs(options.model), options);
  return LoadModel(model);
}

// A file that an option names.
std::string ReadOptionFile(std::string_view option, const std::filesystem::path& path,
                           std::uintmax_t most_bytes) {
  return WithContext([&] { return fmt::format("-{}", option); },
                     [&] { return ReadSmallFile(path, most_bytes); });
}

std::optional<IoPrecision> IoPrecisionOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return IoPrecision::kFloat;
    case DType::kFloat16:
      return IoPrecision::kFloat16;
    default:
      return std::nullopt;
  }
}

// Inputs and outputs of the network.
std::vector<IoTensor> InterfaceOf(const Graph& graph) {
  std::vector<IoTensor> tensors;
  for (const auto* ids : {&graph.inputs, &graph.outputs}) {
    for (const ValueId id : *ids) {
      const Value& value = graph.value(id);
      tensors.push_back({.name = value.name,
                         .rank = value.type.shape.dims().size(),
                         .precision = IoPrecisionOf(value.type.dtype)});
    }
  }
  return tensors;
}

// One run of the command.
class Session {
 public:
  Session(const QaicCompileOptions& options, const QaicHooks& hooks)
      : options_(options), hooks_(hooks), model_(LoadQaicModel(options)) {}

  void Run() {
    for (const std::string& note : model_.notes) {
      hooks_.note(note);
    }
    if (!options_.custom_io_template.empty()) {
      WriteTemplate();
      return;
    }
    const NodeChoices choices = ReadChoices();
    const Dataset samples = Samples();
    if (!options_.dump_profile.empty()) {
      DumpProfile(samples);
      return;
    }
    const PrecisionOptions precision = Precision(choices, samples);
    if (!Show(choices, precision, samples)) {
      return;
    }
    if (!options_.point.empty()) {
      WritePoint(precision);
    }
    if (options_.quantizes) {
      hooks_.print(external_
                       ? fmt::format("Model is compiled with {} precision using the ranges of {}.",
                                     NameOf(options_.integers), options_.external.string())
                       : fmt::format("Model is compiled with {} precision using PGQ.",
                                     NameOf(options_.integers)));
    }
  }

  // The plan, without a run of it. The network runs where a profile is made in memory.
  QaicPlan Resolve() {
    for (const std::string& note : model_.notes) {
      hooks_.note(note);
    }
    const NodeChoices choices = ReadChoices();
    const bool takes_samples = options_.quantizes && options_.profiles;
    const PrecisionOptions precision = Precision(choices, takes_samples ? Samples() : Dataset());
    const PrecisionPlan plan = ResolvePrecision(graph(), precision, target_);
    return {.table = NodeTable(graph(), plan, choices, hooks_.columns), .digest = plan.Digest()};
  }

 private:
  [[nodiscard]] const Graph& graph() const { return model_.graph; }

  // The precision of each node by the options and the files that they name.
  NodeChoices ReadChoices() {
    ReadInterface();
    ReadLists();
    ReadExternal();
    NodeChoices choices = Choose(options_.quantizes);
    if (external_) {
      KeepUnranged(graph(), *external_, choices);
    }
    for (const std::string& warning : choices.warnings) {
      hooks_.warn(warning);
    }
    return choices;
  }

  PrecisionOptions Precision(const NodeChoices& choices, const Dataset& samples) {
    PrecisionOptions precision = HostPrecision(graph(), choices, options_.to_fp16);
    if (options_.quantizes) {
      Quantize(choices, samples, precision);
    }
    return precision;
  }

  void WriteTemplate() const {
    WriteFileAtomically(options_.custom_io_template,
                        WriteCustomIo(CustomIoTemplate(InterfaceOf(graph()))));
    hooks_.print(fmt::format(
        "template of {} written to {}: edit it and give it with "
        "-custom-IO-list-file",
        Counted(std::ssize(InterfaceOf(graph())), "tensor"), options_.custom_io_template.string()));
  }

  void ReadInterface() {
    const std::string where = options_.custom_io.string();
    if (where.empty()) {
      return;
    }
    custom_io_ =
        ParseCustomIo(ReadOptionFile("custom-IO-list-file", where, kMostCustomIoBytes), where);
    CheckCustomIo(custom_io_, InterfaceOf(graph()), where);
    interface_ = CustomInterface(graph(), custom_io_);
    hooks_.note(interface_.empty()
                    ? "-custom-IO-list-file fits the model, and changes no value: the layout of "
                      "inputs and outputs is of the device's binary, and files keep that of the "
                      "model here"
                    : fmt::format("-custom-IO-list-file fits the model: accuracy is with {}; files "
                                  "of samples keep the types and the layout of the model here",
                                  interface_.Summary()));
  }

  void ReadLists() {
    if (options_.node_precision.empty()) {
      return;
    }
    const std::string where = options_.node_precision.string();
    lists_ =
        ParseNodePrecision(ReadOptionFile("node-precision-info", where, kMostNodePrecisionBytes),
                           where, options_.tool == QaicTool::kExec ? kNoFloat32Instances : "");
    origin_.node_precision = FingerprintOf(lists_);
  }

  void ReadExternal() {
    if (options_.external.empty()) {
      return;
    }
    const std::string where = options_.external.string();
    external_ = MatchExternal(graph(),
                              WithContext([] { return std::string("-external-quantization"); },
                                          [&] { return ReadRangeTable(options_.external); }),
                              where);
    for (const std::string& note : external_->notes) {
      hooks_.note(note);
    }
  }

  [[nodiscard]] NodeChoices Choose(bool quantizes) const {
    const ExternalRanges external = external_.value_or(ExternalRanges());
    return ChooseNodes(graph(), {.fp32_outputs = {lists_.float32.begin(), lists_.float32.end()},
                                 .fp16_outputs = {lists_.float16.begin(), lists_.float16.end()},
                                 .kept_kinds = options_.kept_kinds,
                                 .fp16_kinds = options_.fp16_kinds,
                                 .external_fp16 = external.fp16_outputs,
                                 .external_fp32 = external.fp32_outputs,
                                 .to_fp16 = options_.to_fp16,
                                 .quantizes = quantizes,
                                 .integers = options_.integers});
  }

  [[nodiscard]] Dataset Samples() const {
    if (!options_.input_list.empty()) {
      const std::string where = options_.input_list.string();
      return ReadRawSamples(
          graph(),
          ParseInputList(ReadOptionFile("input-list-file", where, kMostInputListBytes), where),
          where);
    }
    if (options_.gaussian) {
      return GaussianSamples(graph(), DatasetOptions().generated_samples, options_.seed);
    }
    DatasetOptions random;
    random.seed = options_.seed;
    return LoadDataset(graph(), random);
  }

  // What the network gives in the floating precisions of the command line.
  [[nodiscard]] ValueProfiles Profile(const Dataset& samples) const {
    hooks_.print("Quantization Profile is being generated.");
    const NodeChoices floating = Choose(false);
    RequireFloat16Kernels(graph(), floating);
    const PrecisionPlan plan =
        ResolvePrecision(graph(), HostPrecision(graph(), floating, false), target_);
    std::vector<std::string> left_out;
    ValueProfiles profiles = ProfilesOf(
        ProfileTensors(graph(), plan, samples, static_cast<std::size_t>(options_.histogram_bins),
                       options_.profiling_threads, left_out));
    if (!left_out.empty()) {
      hooks_.warn(
          fmt::format("no range for {}, which held infinities or NaN, the first: '{}'; keep the "
                      "nodes that make "
                      "or read such in FP32 to quantize the others",
                      Counted(std::ssize(left_out), "tensor"), left_out.front()));
    }
    return profiles;
  }

  [[nodiscard]] ProfileOrigin Origin() const {
    return {.model = model_.hash, .node_precision = origin_.node_precision};
  }

  void DumpProfile(const Dataset& samples) const {
    OutputFile::Check(options_.dump_profile);
    const ValueProfiles values = Profile(samples);
    WriteFileAtomically(options_.dump_profile,
                        WriteGlowProfile(MakeProfile(graph(), values, Origin(),
                                                     fmt::format("halftone {}", Version()))));
    hooks_.print(
        fmt::format("Quantization profile is dumped at {}", options_.dump_profile.string()));
    hooks_.note(fmt::format("the profile has {} over {}, {}", Counted(std::ssize(values), "tensor"),
                            Counted(static_cast<std::int64_t>(samples.size()), "sample"),
                            Counted(options_.histogram_bins, "bin")));
    hooks_.note(
        "the hash of the profile is 0, as only the device's compiler can make its own: load "
        "it with halftone; a compiler that compares hashes takes what it dumped itself, and "
        "-ranges-from fills that");
  }

  // A point of the plan that was measured.
  void WritePoint(const PrecisionOptions& precision) const {
    const PrecisionPlan plan = ResolvePrecision(graph(), precision, target_);
    QaicPointFiles files{.point = PointOf(graph(), plan, options_.tool),
                         .model = options_.model,
                         .model_options = options_.model_words,
                         .rules = RulesOf(options_),
                         .custom_io = custom_io_,
                         .tool = options_.tool};
    FilledProfile filled;
    if (files.point.quantizes) {
      const ValueProfiles ranges =
          ProfilesOf(graph(), *plan.quantization, ranges_, options_.integers);
      ProfileOrigin origin = Origin();
      origin.node_precision = FingerprintOf(files.point.lists);
      filled = vendor_
                   ? Fill(graph(), *vendor_, ranges)
                   : FilledProfile{.profile = MakeProfile(graph(), ranges, origin,
                                                          fmt::format("halftone {}", Version())),
                                   .warnings = {}};
      files.profile = &filled.profile;
    }
    for (const std::string& warning : filled.warnings) {
      hooks_.warn(warning);
    }
    for (const auto& [name, text] : QaicPointTexts(files)) {
      WriteFileAtomically(options_.point / name, text);
    }
    hooks_.print(fmt::format("point written to {}: {}", options_.point.string(), kCompileScript));
  }

  void Quantize(const NodeChoices& choices, const Dataset& samples, PrecisionOptions& precision) {
    ValueProfiles values;
    GivenScales given;
    if (external_) {
      values = external_->profiles;
      given = external_->scales;
    } else if (options_.profiles) {
      values = Profile(samples);
    } else if (!options_.ranges_from.empty()) {
      LoadedProfile loaded =
          ReadProfile(graph(), Origin(), options_.ranges_from, "-ranges-from").loaded;
      if (!loaded.is_own) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("-ranges-from={}: expected a profile of halftone, such as the "
                                "profile.yaml of a point, found one of the device's compiler; name "
                                "that with -load-profile alone",
                                options_.ranges_from.string()));
      }
      values = std::move(loaded.values);
      vendor_ = ReadVendorProfile(graph(), options_.load_profile, "-load-profile");
      Warn(*vendor_);
    } else {
      DumpedProfile read = ReadProfile(graph(), Origin(), options_.load_profile, "-load-profile");
      Warn(read);
      values = read.loaded.values;
      if (!read.loaded.is_own) {
        vendor_ = std::move(read);
      }
    }
    ranges_ = values;
    GlowQuantizationRules rules = RulesOf(options_);
    if (external_) {
      rules.calibration = "None";  // the other tool chose the ranges, and there are no histograms
    }
    precision.quantization = SharedQuantization(GlowQuantization(
        graph(), ScaledNodes(graph(), choices, values, given), values, rules, given));
  }

  void Warn(const DumpedProfile& read) const {
    for (const std::string& warning : read.loaded.warnings) {
      hooks_.warn(warning);
    }
  }

  void Print(const std::string& text) const {
    for (const std::string_view line : Split(text, '\n')) {
      if (!line.empty()) {
        hooks_.print(line);
      }
    }
  }

  // False: interrupted.
  bool Show(const NodeChoices& choices, const PrecisionOptions& precision, const Dataset& samples) {
    const PrecisionPlan plan = ResolvePrecision(graph(), precision, target_);
    Print(NodeTable(graph(), plan, choices, hooks_.columns));
    MeasureSettings settings;
    settings.threads = options_.threads;
    settings.seed = options_.seed;
    settings.latency = false;  // that of this CPU says nothing of the device
    RunResult result = [&] {
      try {
        return RunOnSamples(model_, target_, precision, samples, settings, hooks_.run);
      } catch (const Error& error) {
        throw Error(error.kind(), WithIslands(error, choices, samples));
      }
    }();
    for (const std::string& warning : result.warnings) {
      hooks_.warn(warning);
    }
    if (result.interrupted) {
      hooks_.note(fmt::format("interrupted after {} of {} samples", result.sample_count,
                              result.planned_samples));
      PrintAccuracy(result);
      return false;
    }
    if (!interface_.empty()) {
      result.measurement.accuracy =
          AccuracyThrough(interface_, graph(), plan, samples, options_.threads);
    }
    PrintAccuracy(result);
    const std::string islands =
        result.overflow.empty()
            ? ""
            : DescribeIslands(IslandsOf(graph(), choices, samples, options_.threads));
    if (!islands.empty()) {
      hooks_.warn(islands);
    }
    return true;
  }

  // An overflow that reaches an output ends the run: the message says what to keep in FP32.
  [[nodiscard]] std::string WithIslands(const Error& error, const NodeChoices& choices,
                                        const Dataset& samples) const {
    const std::string islands =
        error.kind() == ErrorKind::kUnsupported
            ? DescribeIslands(IslandsOf(graph(), choices, samples, options_.threads))
            : "";
    return islands.empty() ? error.what() : fmt::format("{}; {}", error.what(), islands);
  }

  void PrintAccuracy(const RunResult& result) const {
    hooks_.print(
        fmt::format("accuracy against float32 on {}{}{}:", Counted(result.sample_count, "sample"),
                    result.representative ? "" : " of random data",
                    interface_.empty() ? "" : fmt::format(", with {}", interface_.Summary())));
    for (const MetricValue& value : result.measurement.accuracy.metrics) {
      if (value.name.starts_with("top") && !result.shows_classes) {
        continue;
      }
      hooks_.print(fmt::format("{:<16} mean {:<12} worst {} (sample {})", value.name,
                               FormatMetric(value.name, value.mean),
                               FormatMetric(value.name, value.worst), FormatWorstSample(value)));
    }
    for (const std::string& sentence : result.judging) {
      hooks_.print(sentence);
    }
    for (const std::string& sentence : result.overflow) {
      hooks_.print(sentence);
    }
    hooks_.print(fmt::format("plan {}", result.plan_digest.ToHex()));
  }

  const QaicCompileOptions& options_;
  const QaicHooks& hooks_;
  Model model_;
  const TargetSpec target_ = LoadTarget(kCloudAiFamily);
  NodePrecisionLists lists_;
  ProfileOrigin origin_;
  std::vector<CustomIo> custom_io_;  // of -custom-IO-list-file
  CustomInterface interface_;        // likewise
  std::optional<ExternalRanges> external_;
  ValueProfiles ranges_;                 // of a quantized network
  std::optional<DumpedProfile> vendor_;  // of -load-profile, where the device's compiler made it
};

void SayWhatOptionsSay(const QaicCompileOptions& options, const QaicHooks& hooks) {
  for (const std::string& note : options.notes) {
    hooks.note(note);
  }
  for (const std::string& warning : options.warnings) {
    hooks.warn(warning);
  }
}

}  // namespace

void RunQaicCompile(const QaicCompileOptions& options, const QaicHooks& hooks) {
  SayWhatOptionsSay(options, hooks);
  Session(options, hooks).Run();
}

QaicPlan ResolveQaic(const QaicCompileOptions& options, const QaicHooks& hooks) {
  SayWhatOptionsSay(options, hooks);
  return Session(options, hooks).Resolve();
}

}  // namespace halftone
