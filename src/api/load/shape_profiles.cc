#include "src/api/shape_profiles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "src/accuracy/sample_sets.h"
#include "src/accuracy/shape_datasets.h"
#include "src/api/load/model_source.h"
#include "src/api/load/traced_samples.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/onnx/model_inputs.h"
#include "src/precision/resolve/plan_for_shapes.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

constexpr std::size_t kMostNames = 5;  // that a sentence lists

bool HasShapes(const Graph& graph, std::span<const Tensor> inputs) {
  bool has = graph.inputs.size() == inputs.size();
  for (std::size_t i = 0; has && i < inputs.size(); ++i) {
    has = graph.value(graph.inputs[i]).type == inputs[i].type();
  }
  return has;
}

bool HasFreeDimension(const std::vector<ModelInput>& inputs) {
  return std::ranges::any_of(inputs, [](const ModelInput& input) {
    return std::ranges::find(input.dims, kFreeDimension) != input.dims.end();
  });
}

std::string TypesOf(std::span<const Tensor> inputs) {
  std::vector<std::string> types;
  for (const Tensor& input : inputs) {
    types.push_back(input.type().ToString());
  }
  return Join(types, ", ");
}

// The model, and one for each other trace of a sample.
void AddTraces(Model first, const Dataset& dataset, std::vector<Model>& profiles) {
  const std::size_t begin = profiles.size();
  profiles.push_back(std::move(first));
  for (std::size_t s = 0; s < dataset.size(); ++s) {
    const Sample sample = dataset.Read(s);
    const Model& model = profiles[begin];
    const auto trace = TraceOf(model, sample, *model.source);
    const bool known =
        std::any_of(profiles.begin() + static_cast<std::ptrdiff_t>(begin), profiles.end(),
                    [&](const Model& other) { return Difference(other.traced, trace).empty(); });
    if (known) {
      continue;
    }
    if (profiles.size() - begin == kMostTraces) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("sample '{}': {} samples before it have as many different shapes or "
                              "branches, and each is a network of its own: give fewer samples",
                              sample.name, kMostTraces));
    }
    profiles.push_back(LoadModel(model.options, model.source, &sample));
  }
}

}  // namespace

std::vector<Model> LoadShapeProfiles(const ModelOptions& options,
                                     std::span<const std::string> input_shapes) {
  if (input_shapes.empty()) {
    throw Error(ErrorKind::kUsage, "expected an input shape at least");
  }
  const auto source = std::make_shared<ModelSource>(options.path);
  std::vector<Model> profiles;
  for (const std::string& shape : input_shapes) {
    ModelOptions at = options;
    at.input_shape = shape;
    Model model = shape.empty()  // that of the model
                      ? LoadModel(at, source)
                      : WithContext([&] { return fmt::format("input shape '{}'", shape); },
                                    [&] { return LoadModel(at, source); });
    for (const Model& other : profiles) {
      if (other.input_shapes == model.input_shapes) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("E10001: --input_shape: '{}' and '{}' are the same shapes, '{}'; "
                                "leave one of them out",
                                other.options.input_shape, shape, model.input_shapes));
      }
    }
    profiles.push_back(std::move(model));
  }
  return profiles;
}

std::vector<Model> LoadSampleProfiles(const ModelOptions& options,
                                      std::span<const std::string> input_shapes,
                                      const DatasetOptions& data) {
  if (input_shapes.size() == 1) {
    ModelOptions at = options;
    at.input_shape = input_shapes.front();
    std::vector<Model> one;
    one.push_back(LoadModel(at));
    if (one.front().traced.empty()) {
      return one;  // nothing of the file is kept
    }
  }
  std::vector<Model> profiles = LoadShapeProfiles(options, input_shapes);
  const bool traces =
      std::ranges::any_of(profiles, [](const Model& model) { return !model.traced.empty(); });
  if (!traces) {
    return profiles;
  }
  std::vector<const Graph*> graphs;
  graphs.reserve(profiles.size());
  for (const Model& model : profiles) {
    graphs.push_back(&model.graph);
  }
  std::vector<Model> all;
  DatasetOptions within = data;
  within.max_memory = options.max_memory;
  const std::vector<Dataset> datasets = LoadDatasets(graphs, within);
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    AddTraces(std::move(profiles[i]), datasets[i], all);
  }
  return all;
}

std::vector<std::string> ShapesOfSamples(const ModelOptions& options, const DatasetOptions& data) {
  std::vector<std::string> one = {""};
  std::error_code error;
  if (!std::filesystem::is_directory(data.inputs, error)) {
    return one;
  }
  const std::vector<SetFolder> sets = SetFoldersIn(data.inputs);
  if (sets.size() < 2 || !HasFreeDimension(ReadModelInputs(options.path))) {
    return one;
  }
  const auto source = std::make_shared<ModelSource>(options.path);
  ModelOptions at = options;
  at.input_shape.clear();
  const Model first = LoadModel(at, source);
  const std::vector<Value> inputs = InputsOf(first.graph);
  std::vector<std::string> shapes = {first.input_shapes};
  for (const SetFolder& set : sets) {
    const std::vector<StoredTensor> files =
        InputFilesIn(inputs, std::filesystem::path(data.inputs) / set.Name());
    if (!WhyLeftOut(inputs, files)) {
      continue;
    }
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      parts.push_back(
          fmt::format("{}:{}", inputs[i].name, fmt::join(files[i].type().shape.dims(), ",")));
    }
    const std::string shape = Join(parts, ";");
    if (std::ranges::find(shapes, shape) != shapes.end()) {
      continue;
    }
    try {
      at.input_shape = shape;
      LoadModel(at, source);
    } catch (const Error& refusal) {
      if (refusal.kind() == ErrorKind::kInternal) {
        throw;
      }
      continue;  // LoadDataset() says that such sets are left out
    }
    shapes.push_back(shape);
    if (shapes.size() > kMostShapes) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("'{}': the samples have more than {} input shapes, and each costs the "
                      "search as much as a network: choose some with --input_shape",
                      data.inputs, kMostShapes));
    }
  }
  return shapes.size() == 1 ? one : shapes;
}

std::string NameOfProfile(std::span<const Model> profiles, std::size_t profile) {
  const Model& model = profiles[profile];
  const auto same = std::ranges::count(profiles, model.input_shapes, &Model::input_shapes);
  return same == 1 ? model.input_shapes
                   : fmt::format("{}, where {}", model.input_shapes, ListTrace(model.traced));
}

std::string NamesOfProfiles(std::span<const Model> profiles) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    names.push_back(NameOfProfile(profiles, i));
  }
  return Join(names, kBetweenShapes);
}

std::vector<PrecisionPlan> PlansOfProfiles(std::span<const Model> profiles,
                                           const TargetSpec& target,
                                           const PrecisionOptions& precision) {
  std::vector<PrecisionPlan> plans;
  for (const Model& profile : profiles) {
    PrecisionPlan own = ResolvePrecision(profile.graph, precision, target);
    plans.push_back(plans.empty() ? std::move(own)
                                  : PlanForShapes(profiles.front().graph, plans.front(),
                                                  profile.graph, std::move(own)));
  }
  return plans;
}

Model WithInputShape(const Model& model, const std::string& input_shape) {
  std::shared_ptr<ModelSource> source = model.source;
  if (source == nullptr) {
    source = std::make_shared<ModelSource>(model.path);
    Graph known = model.graph;
    source->constants.Share(known);
  }
  ModelOptions options = model.options;
  options.input_shape = input_shape;
  return LoadModel(options, std::move(source));
}

std::vector<std::string> ExplainShapeProfiles(std::span<const Model> profiles,
                                              const TargetSpec& target,
                                              const PrecisionOptions& precision) {
  std::vector<std::string> sentences;
  for (const Model& model : profiles.subspan(1)) {
    static_cast<void>(ResolvePrecision(model.graph, precision, target));
    std::vector<std::string> names = NodesOnlyIn(model.graph, profiles.front().graph);
    if (names.empty()) {
      sentences.push_back(fmt::format("input shape '{}': every node as at '{}'", model.input_shapes,
                                      profiles.front().input_shapes));
      continue;
    }
    const std::size_t count = names.size();
    names.resize(std::min(count, kMostNames));
    sentences.push_back(fmt::format(
        "input shape '{}': nodes as at '{}', and {} that {} only here: {}{}", model.input_shapes,
        profiles.front().input_shapes, count, count == 1 ? "is" : "are", Join(names, ", "),
        count > kMostNames ? ", ..." : ""));
  }
  return sentences;
}

struct CompiledModel::Impl {
  TargetSpec target;
  PrecisionOptions precision;
  PrecisionPlan plan;  // of the first model
  SharedConstants shared;
  std::vector<std::unique_ptr<Model>> models;
  std::vector<Executable> executables;  // parallel to models

  void Add(Model model) {
    auto added = std::make_unique<Model>(std::move(model));
    PrecisionPlan resolved = ResolvePrecision(added->graph, precision, target);
    if (models.empty()) {
      plan = std::move(resolved);
      executables.push_back(Compile(added->graph, plan, {.shared = &shared}));
    } else {
      executables.push_back(
          Compile(added->graph,
                  PlanForShapes(models.front()->graph, plan, added->graph, std::move(resolved)),
                  {.shared = &shared}));
    }
    models.push_back(std::move(added));
  }
};

CompiledModel::CompiledModel(Model model, const TargetSpec& target,
                             const PrecisionOptions& precision)
    : impl_(std::make_unique<Impl>()) {
  impl_->target = target;
  impl_->precision = precision;
  if (model.source == nullptr) {
    // Data that the first and the added shapes share.
    model.source = std::make_shared<ModelSource>(model.path);
    model.source->constants.Share(model.graph);
  }
  impl_->Add(std::move(model));
}

CompiledModel::CompiledModel(CompiledModel&&) noexcept = default;
CompiledModel& CompiledModel::operator=(CompiledModel&&) noexcept = default;
CompiledModel::~CompiledModel() = default;

void CompiledModel::AddShape(const std::string& input_shape) {
  Model model = WithInputShape(*impl_->models.front(), input_shape);
  const bool known = std::ranges::any_of(
      impl_->models, [&](const auto& other) { return other->input_shapes == model.input_shapes; });
  if (!known) {
    impl_->Add(std::move(model));
  }
}

const Executable& CompiledModel::For(std::span<const Tensor> inputs) const {
  for (std::size_t i = 0; i < impl_->models.size(); ++i) {
    if (HasShapes(impl_->models[i]->graph, inputs)) {
      return impl_->executables[i];
    }
  }
  throw Error(
      ErrorKind::kUsage,
      fmt::format("expected inputs of one of the shapes '{}', got {}: add their shape first",
                  Join(input_shapes(), "', '"), TypesOf(inputs)));
}

std::vector<Tensor> CompiledModel::Run(std::span<const Tensor> inputs) const {
  const Executable& executable = For(inputs);
  return executable.Run(executable.ConvertInputs(inputs));
}

std::vector<std::string> CompiledModel::input_shapes() const {
  std::vector<std::string> shapes;
  for (const auto& model : impl_->models) {
    shapes.push_back(model->input_shapes);
  }
  return shapes;
}

const Model& CompiledModel::model(std::size_t shape) const {
  return *impl_->models.at(shape);
}

std::size_t CompiledModel::converted_bytes() const {
  return impl_->shared.converted_bytes();
}

std::size_t CompiledModel::packed_parts() const {
  return impl_->shared.packed().size();
}

}  // namespace halftone
