// Inputs and outputs of a network in the precisions of -custom-IO-list-file. This file computes how
// those precisions change the values. A layout changes no value.
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

// A floating tensor rounded to the precision of `entry` and converted back to its dtype. NaN stays
// NaN.
// - float16: half to even; a value beyond the range becomes infinite;
// - int8: q = clamp(rint(x / scale) + offset, -128, 127) stands for scale * (q - offset);
// - any other precision: the tensor as it is.
Tensor RoundedAs(const CustomIo& entry, const Tensor& tensor);

class CustomInterface {
 public:
  CustomInterface() = default;
  // Stores the entries whose precision changes values: float16 for a float32 tensor, int8 for any
  // floating tensor.
  CustomInterface(const Graph& graph, std::span<const CustomIo> entries);

  [[nodiscard]] bool empty() const { return entries_.empty(); }

  // "x as int8, scores as float16", sorted by name.
  [[nodiscard]] std::string Summary() const;

  // RoundedAs() by the entry of this name. Without an entry: the tensor as it is.
  [[nodiscard]] Tensor Rounded(const std::string& name, const Tensor& tensor) const;

 private:
  std::map<std::string, CustomIo> entries_;
};

// Accuracy of a plan whose inputs and outputs are rounded. It is compared with float32 on the
// samples as they are. Error kUnsupported: as Compile(); Executable::OtherCount() is not empty for
// a sample.
Accuracy AccuracyThrough(const CustomInterface& interface, const Graph& graph,
                         const PrecisionPlan& plan, const Dataset& samples, int threads);

}  // namespace halftone
