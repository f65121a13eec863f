// One network at several input shapes: read once, weights held and packed once, precision decided
// once; kernels, layouts and memory are planned per shape.
//
// CompiledModel::AddShape() adds a profile; Run() takes inputs of the shapes of any of them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/api/halftone.h"
#include "src/exec/executable.h"

namespace halftone {

// The network at each of these input shapes, texts as ModelOptions::input_shape, which itself is
// not used. Constants that come out equal are the same tensors. Error kUsage: no shape, or the same
// one twice; as LoadModel(), naming the input shape.
std::vector<Model> LoadShapeProfiles(const ModelOptions& options,
                                     std::span<const std::string> input_shapes);

// LoadShapeProfiles() for the samples of RunShapeProfiles(): where shapes or branches depend on
// data, one profile per distinct trace of a shape's samples. Error kUnsupported for more than
// kMostTraces of them; as LoadDatasets().
std::vector<Model> LoadSampleProfiles(const ModelOptions& options,
                                      std::span<const std::string> input_shapes,
                                      const DatasetOptions& data);

inline constexpr std::size_t kMostTraces = 16;

// The input shapes of the samples of `data`, as texts of ModelOptions::input_shape, that of the
// first sample first. Only folders test_data_set_N for a network that leaves dimensions free have
// several. Shapes at which the network cannot be read are left out. One empty text where all
// samples have the shape at which the network is read without --input_shape. Error kUsage: more
// than kMostShapes; as LoadModel().
std::vector<std::string> ShapesOfSamples(const ModelOptions& options, const DatasetOptions& data);

inline constexpr std::size_t kMostShapes = 16;

// "x:1,3,224,224", and ", where 'nms/count' is int64 scalar [5]" where another profile has the same
// shape.
std::string NameOfProfile(std::span<const Model> profiles, std::size_t profile);

// Separator of such names in a text that lists them.
inline constexpr std::string_view kBetweenShapes = " | ";

// The names of all: "x:1,3,224,224 | x:1,3,320,320".
std::string NamesOfProfiles(std::span<const Model> profiles);

// A plan for each profile: nodes have the dtypes that they have at the first one. Errors as
// ResolvePrecision().
std::vector<PrecisionPlan> PlansOfProfiles(std::span<const Model> profiles,
                                           const TargetSpec& target,
                                           const PrecisionOptions& precision);

// The network of `model` at another input shape, with the constants of `model` where they come out
// equal. The file is read again unless `model` comes from this function or LoadShapeProfiles().
// Error as LoadModel().
Model WithInputShape(const Model& model, const std::string& input_shape);

// RunConfiguration() at each shape, on the samples that have it: every node has the dtypes that it
// has at the first one. `choices`: of operator tuning, for each; shorter: none for the others.
// Error kModel for a sample that has none of the shapes and for a shape that no sample has.
// Stopped, it returns fewer results, the last of which is interrupted.
std::vector<RunResult> RunShapeProfiles(std::span<const Model> profiles, const TargetSpec& target,
                                        const PrecisionOptions& precision,
                                        const DatasetOptions& data,
                                        const MeasureSettings& settings = {},
                                        std::span<const KernelChoices> choices = {},
                                        const RunHooks& hooks = {});

// Differences of the other profiles from the first plan: a sentence for each shape that has nodes
// of its own. Errors as ResolvePrecision().
std::vector<std::string> ExplainShapeProfiles(std::span<const Model> profiles,
                                              const TargetSpec& target,
                                              const PrecisionOptions& precision);

// A network that runs at several input shapes. Run() may be called by several threads when no
// AddShape() runs.
class CompiledModel {
 public:
  // Decides the precision and compiles for the shape of `model`. Errors as ResolvePrecision() and
  // Compile().
  CompiledModel(Model model, const TargetSpec& target, const PrecisionOptions& precision);
  CompiledModel(CompiledModel&&) noexcept;
  CompiledModel& operator=(CompiledModel&&) noexcept;
  ~CompiledModel();

  // Compiles for another shape, a text as ModelOptions::input_shape; no effect for one that is
  // there. Error as WithInputShape() and Compile().
  void AddShape(const std::string& input_shape);

  // The executable for inputs of these shapes. Error kUsage naming the shapes that there are.
  [[nodiscard]] const Executable& For(std::span<const Tensor> inputs) const;

  // Inputs as the graph has them (float32, ...); outputs in the types of the plan. Error as For().
  [[nodiscard]] std::vector<Tensor> Run(std::span<const Tensor> inputs) const;

  // "x:1,3,224,224", in the order in which they were added.
  [[nodiscard]] std::vector<std::string> input_shapes() const;
  [[nodiscard]] const Model& model(std::size_t shape) const;

  // Bytes of weights in other dtypes than the model's, and number of packed weights: neither grows
  // with the shapes where kernels pack alike for them.
  [[nodiscard]] std::size_t converted_bytes() const;
  [[nodiscard]] std::size_t packed_parts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halftone
