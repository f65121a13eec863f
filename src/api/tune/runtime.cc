#include "src/api/tune/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "search/space/decisions.h"
#include "search/space/mode_format.h"
#include "search/strategies/model_strategy.h"
#include "src/api/tune/prepare.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/export/onnx_mixed.h"
#include "src/export/onnx_qdq.h"
#include "src/onnx/model_file.h"
#include "src/runtimes/onnxruntime/ort_runtime.h"
#include "src/runtimes/plan_files.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModelName = "model.onnx";

// What a kind of runtime is made from.
struct RuntimeSource {
  const Model& model;
  const TargetSpec& target;
  const Dataset& data;
  int threads = 1;
};

struct RuntimeKind {
  std::string_view prefix;
  std::string_view form;
  void (*check)(std::string_view options);
  std::shared_ptr<Runtime> (*make)(std::string_view options, const RuntimeSource& source);
};

bool HasFormat(const PrecisionPlan& plan, bool (NumericFormat::*is)() const) {
  return std::ranges::any_of(plan.nodes, [&](const NodePrecision& node) {
    const auto has = [&](const NumericFormat& format) { return (format.*is)(); };
    return std::ranges::any_of(node.inputs, has) || std::ranges::any_of(node.outputs, has);
  });
}

bool HasLowFloat(const PrecisionPlan& plan) {
  const auto is_low = [](const NumericFormat& format) {
    return format == DType::kFloat16 || format == DType::kBFloat16;
  };
  return std::ranges::any_of(plan.nodes, [&](const NodePrecision& node) {
    return std::ranges::any_of(node.inputs, is_low) || std::ranges::any_of(node.outputs, is_low);
  });
}

// 8-bit plans in pairs of nodes, 16-bit plans on typed tensors, float32 as the user's own file.
PlanFilesWriter WriterOf(const Model& model, QdqFlavour flavour) {
  return [&model, flavour](const PrecisionPlan& plan, const fs::path& folder,
                           bool /*all*/) -> PlanFiles {
    PlanFiles files{.model = folder / kModelName, .notes = {}};
    if (HasFormat(plan, &NumericFormat::has_scale)) {
      QdqModel written = WriteOnnxQdq(model.path, model.graph, plan, flavour);
      WriteFileAtomically(files.model, written.bytes);
      files.notes = std::move(written.notes);
    } else if (HasLowFloat(plan)) {
      MixedModel written = WriteOnnxMixed(model.path, model.graph, plan);
      WriteFileAtomically(files.model, written.bytes);
      files.notes = std::move(written.notes);
    } else {
      files.model = ModelFile(model.path);
    }
    return files;
  };
}

void CheckOrt(std::string_view options) {
  ParseOrtOptions(options);
}

std::shared_ptr<Runtime> MakeOrt(std::string_view text, const RuntimeSource& source) {
  OrtOptions options = ParseOrtOptions(text);
  options.threads = source.threads;
  const bool symmetric =
      !options.providers.empty() && WantsSymmetricInt8(options.providers.front());
  return MakeOrtRuntime(
      source.model.graph, source.data.Read(0),
      WriterOf(source.model, symmetric ? QdqFlavour::kTensorRt : QdqFlavour::kOrt),
      std::move(options));
}

constexpr RuntimeKind kRuntimes[] = {
    {"ort:", "ort:LIBRARY[,provider=NAME:KEY=VALUE:...][,config=KEY=VALUE]", CheckOrt, MakeOrt},
};

const RuntimeKind& KindOf(std::string_view measure) {
  const auto* const found = std::ranges::find_if(
      kRuntimes, [&](const RuntimeKind& kind) { return measure.starts_with(kind.prefix); });
  if (found == std::end(kRuntimes)) {
    throw Error(ErrorKind::kUsage, fmt::format("--measure={} names no runtime; expected {}",
                                               measure, Join(MeasureForms(), " or ")));
  }
  return *found;
}

// Why the runtime does not have a format; empty: it has.
std::string WhyRefused(Runtime& runtime, const Decisions& decisions, NumericFormat format) {
  const std::vector<Choice> choices = decisions.AllChoices();
  const auto choice = std::ranges::find(choices, format, &Choice::format);
  if (choice == choices.end()) {
    return {};
  }
  const auto built = runtime.Build(decisions.PlanFor(decisions.Uniform(*choice)));
  if (const auto* rejection = std::get_if<Rejection>(&built)) {
    return rejection->reason;
  }
  BuiltPlan& plan = *std::get<std::shared_ptr<BuiltPlan>>(built);
  runtime.SecondsByNode(plan);
  const RuntimeRun& run = plan.facts();
  return run.low_asked > 0 && run.low_ran == 0
             ? fmt::format("it ran all {} in float32", Counted(run.low_asked, "product"))
             : "";
}

void Refuse(NumericFormat format, const std::string& why, Prepared& prepared) {
  SearchSpace& space = prepared.space;
  space.refused_formats.push_back(format);
  std::erase_if(space.modes, [&](const std::string& mode) { return FormatOfMode(mode) == format; });
  if (format.is_scaled()) {
    space.quantization = {};
  }
  prepared.warnings.push_back(fmt::format("{} is not searched: {}: {}", ShownNameOf(format),
                                          prepared.runtime->description(), why));
}

}  // namespace

void CheckMeasureText(std::string_view measure) {
  if (!measure.empty()) {
    const RuntimeKind& kind = KindOf(measure);
    kind.check(measure.substr(kind.prefix.size()));
  }
}

std::vector<std::string> MeasureForms() {
  std::vector<std::string> forms;
  for (const RuntimeKind& kind : kRuntimes) {
    forms.emplace_back(kind.form);
  }
  return forms;
}

std::shared_ptr<Runtime> MakeRuntime(std::string_view measure, const Model& model,
                                     const TargetSpec& target, const Dataset& data, int threads) {
  if (measure.empty()) {
    return nullptr;
  }
  const RuntimeKind& kind = KindOf(measure);
  return kind.make(measure.substr(kind.prefix.size()), {model, target, data, threads});
}

void OpenRuntime(Prepared& prepared) {
  const TuneOptions& options = prepared.options;
  if (options.measure_on.empty()) {
    return;
  }
  if (!prepared.others.empty()) {
    throw Error(ErrorKind::kUnsupported,
                "--measure takes one input shape: its files are of one shape; tune the shapes one "
                "by one");
  }
  prepared.runtime = MakeRuntime(options.measure_on, prepared.model, prepared.target,
                                 prepared.data.search, prepared.facts.threads);
  prepared.facts.runtime = prepared.runtime->description();
}

std::vector<std::string> WarningsOfRuntime(const TunedFront& front) {
  std::vector<std::string> warnings;
  bool kernels_judged = false;
  for (std::size_t i = 0; i < front.points.size(); ++i) {
    const auto& run = front.points[i].measurement().runtime;
    if (run && !run->as_asked) {
      warnings.push_back(fmt::format("point {} did not run as its plan says on {}: {}", i + 1,
                                     run->runtime, run->detail));
    }
    kernels_judged = kernels_judged || (run && !run->own_outputs);
  }
  if (kernels_judged) {
    warnings.emplace_back(
        "accuracy is that of halftone's kernels: the runtime hands out no outputs");
  }
  return warnings;
}

void LeaveOutRefusedFormats(Prepared& prepared) {
  if (prepared.runtime == nullptr) {
    return;
  }
  SearchSpace& space = prepared.space;
  space.impl_mode_sets.resize(1);  // of halftone's kernels
  space.slow_choices.clear();
  const std::vector<NumericFormat> formats = DecisionOptionsOf(space, prepared.target).formats;
  for (const NumericFormat format : formats) {
    const Decisions decisions(prepared.model.graph, prepared.target,
                              DecisionOptionsOf(space, prepared.target));
    if (const std::string why = WhyRefused(*prepared.runtime, decisions, format); !why.empty()) {
      Refuse(format, why, prepared);
    }
  }
  prepared.facts.space = space.Summary();
}

}  // namespace halftone
