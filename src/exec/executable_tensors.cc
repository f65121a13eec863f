// Convenience functions of Executable for callers that hold tensors.
#include <fmt/format.h>

#include "src/base/error.h"
#include "src/exec/executable.h"

namespace halftone {

std::vector<Tensor> Executable::ConvertInputs(std::span<const Tensor> inputs) const {
  const std::span<const TensorType> types = input_types();
  Check(inputs.size() == types.size(), "ConvertInputs() got another number of inputs");
  std::vector<Tensor> converted;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    converted.push_back(Convert(inputs[i], types[i].dtype));
  }
  return converted;
}

std::vector<Tensor> Executable::NewOutputs() const {
  std::vector<Tensor> outputs;
  for (const TensorType& type : output_types()) {
    outputs.emplace_back(type);
  }
  return outputs;
}

std::string Executable::OtherCount(const Workspace& workspace) const {
  if (workspace.other_count_ >= steps().size()) {
    return "";
  }
  const StepInfo& info = steps()[workspace.other_count_];
  return fmt::format(
      "node '{}' ({}) finds another number of elements than its shape {} is planned for", info.node,
      info.node_op, step_output_types(workspace.other_count_)[0].shape.ToString());
}

std::vector<Tensor> Executable::Run(std::span<const Tensor> inputs) const {
  Workspace workspace = NewWorkspace();
  std::vector<Tensor> outputs = NewOutputs();
  Run(workspace, inputs, outputs);
  if (const std::string other = OtherCount(workspace); !other.empty()) {
    throw Error(ErrorKind::kUnsupported, other);
  }
  return outputs;
}

}  // namespace halftone
