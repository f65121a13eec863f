// Inputs and outputs of a network as -custom-IO-list-file gives them to the device. The effect of
// their precision on the values is computed here; a layout changes no value.
#pragma once

#include <map>
#include <span>
#include <string>

#include "src/accuracy/dataset.h"
#include "src/accuracy/metrics.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/quantization/files/custom_io.h"

namespace halftone {

// A float tensor rounded to the precision of an entry and converted back: to float16, half to even,
// beyond its range to infinity; to int8 as q = clamp(rint(x / scale) + offset, -128, 127), which
// stands for scale * (q - offset). NaN stays.
Tensor RoundedAs(const CustomIo& entry, const Tensor& tensor);

class CustomInterface {
 public:
  CustomInterface() = default;
  // Stores the entries whose precision is not that of the model.
  CustomInterface(const Graph& graph, std::span<const CustomIo> entries);

  [[nodiscard]] bool empty() const { return entries_.empty(); }

  // "x as int8, scores as float16", in the order of names.
  [[nodiscard]] std::string Summary() const;

  // The tensor of this name as the device has it.
  [[nodiscard]] Tensor Rounded(const std::string& name, const Tensor& tensor) const;

 private:
  std::map<std::string, CustomIo> entries_;
};

// Accuracy of a plan on rounded inputs, with rounded outputs, against float32 on the samples as
// they are. Error kUnsupported: as Compile(), Executable::OtherCount() of a sample.
Accuracy AccuracyThrough(const CustomInterface& interface, const Graph& graph,
                         const PrecisionPlan& plan, const Dataset& samples, int threads);

}  // namespace halftone
