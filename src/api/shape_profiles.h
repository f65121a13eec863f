// One network at several input shapes. The file is read once, weights are stored and packed once,
// and precision is decided once; kernels, layouts and memory are planned for each shape. A profile
// is the network at one input shape.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/api/halftone.h"
#include "src/exec/executable.h"

namespace halftone {

// Reads the network at each of these input shapes; options.input_shape is not used. Profiles share
// the tensors of equal constants. Errors: kUsage for no shape, or for the same shape twice; as
// LoadModel(), naming the input shape.
std::vector<Model> LoadShapeProfiles(const ModelOptions& options,
                                     std::span<const std::string> input_shapes);

// Does the same as LoadShapeProfiles(), but for a network whose shapes or branches depend on data
// (Model::traced) it adds one profile for each further trace among the samples of a shape. Errors:
// kUnsupported if a shape has more than kMostTraces; as LoadShapeProfiles() and LoadDatasets().
std::vector<Model> LoadSampleProfiles(const ModelOptions& options,
                                      std::span<const std::string> input_shapes,
                                      const DatasetOptions& data);

inline constexpr std::size_t kMostTraces = 16;

// Returns the distinct input shapes of the samples of `data`, in the format of
// ModelOptions::input_shape, beginning with that of the first sample. Samples can differ in shape
// only as folders test_data_set_N for a network with free dimensions; otherwise, and if all samples
// have one shape, the result is one empty text. Leaves out shapes at which the network cannot be
// read. Errors: kUsage for more than kMostShapes; as LoadModel().
std::vector<std::string> ShapesOfSamples(const ModelOptions& options, const DatasetOptions& data);

inline constexpr std::size_t kMostShapes = 16;

// Name of a profile: "x:1,3,224,224". If another profile has the same shape, the traced values
// follow: ", where 'nms/count' is int64 scalar [5]".
std::string NameOfProfile(std::span<const Model> profiles, std::size_t profile);

// Separator in NamesOfProfiles().
inline constexpr std::string_view kBetweenShapes = " | ";

// Names of all profiles: "x:1,3,224,224 | x:1,3,320,320".
std::string NamesOfProfiles(std::span<const Model> profiles);

// Returns a plan for each profile. A node has the dtypes that it has in the first profile. Errors
// as ResolvePrecision().
std::vector<PrecisionPlan> PlansOfProfiles(std::span<const Model> profiles,
                                           const TargetSpec& target,
                                           const PrecisionOptions& precision);

// Reads the network of `model` at another input shape; the two models share the tensors of equal
// constants. Reads the file again unless `model.source` is set. Errors as LoadModel().
Model WithInputShape(const Model& model, const std::string& input_shape);

// Calls RunConfiguration() for each profile, on the samples of its shape, with PlansOfProfiles().
// After a stop, the result has fewer elements, and the last one is `interrupted`. Errors as
// RunConfiguration(); kModel for a sample that fits no profile and for a profile without samples.
std::vector<RunResult> RunShapeProfiles(std::span<const Model> profiles, const RunSetup& setup,
                                        const MeasureSettings& settings = {},
                                        const RunHooks& hooks = {});

// One sentence for each profile after the first: its nodes are those of the first, or which nodes
// it has beside them. Errors as ResolvePrecision().
std::vector<std::string> ExplainShapeProfiles(std::span<const Model> profiles,
                                              const TargetSpec& target,
                                              const PrecisionOptions& precision);

// Network that runs at several input shapes. Several threads may call Run() at once, but not during
// AddShape().
class CompiledModel {
 public:
  // Decides the precision and compiles the network at the shape of `model`. Errors as
  // ResolvePrecision() and Compile().
  CompiledModel(Model model, const TargetSpec& target, const PrecisionOptions& precision);
  CompiledModel(CompiledModel&&) noexcept;
  CompiledModel& operator=(CompiledModel&&) noexcept;
  ~CompiledModel();

  // Compiles the network at another shape (format of ModelOptions::input_shape); does nothing for a
  // shape that was added before. Errors as WithInputShape() and Compile().
  void AddShape(const std::string& input_shape);

  // Executable for inputs of these shapes. Error kUsage for other shapes, naming those added.
  [[nodiscard]] const Executable& For(std::span<const Tensor> inputs) const;

  // Runs on inputs with the types of the graph (float32, ...); the outputs have the types of the
  // plan. Errors as For().
  [[nodiscard]] std::vector<Tensor> Run(std::span<const Tensor> inputs) const;

  // Shapes in the order in which they were added: "x:1,3,224,224".
  [[nodiscard]] std::vector<std::string> input_shapes() const;
  [[nodiscard]] const Model& model(std::size_t shape) const;

  // Bytes of weights in other dtypes than the model's, and number of packed weights. An added shape
  // increases neither if its kernels pack weights in the same way.
  [[nodiscard]] std::size_t converted_bytes() const;
  [[nodiscard]] std::size_t packed_parts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halftone
