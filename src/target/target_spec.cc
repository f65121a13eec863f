#include "src/target/target_spec.h"

namespace halftone {
namespace {

const std::vector<DType>* ColumnsAt(const std::vector<std::vector<DType>>& tensors, bool repeat,
                                    std::size_t index) {
  if (index < tensors.size()) {
    return &tensors[index];
  }
  return repeat && !tensors.empty() ? &tensors.back() : nullptr;
}

}  // namespace

std::size_t LibraryOp::column_count() const {
  return !inputs.empty() ? inputs[0].size() : !outputs.empty() ? outputs[0].size() : 0;
}

const std::vector<DType>* LibraryOp::InputColumns(std::size_t index) const {
  return ColumnsAt(inputs, inputs_repeat, index);
}

const std::vector<DType>* LibraryOp::OutputColumns(std::size_t index) const {
  return ColumnsAt(outputs, outputs_repeat, index);
}

}  // namespace halftone
