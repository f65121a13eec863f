#include "src/target/target_spec.h"

namespace halftone {
namespace {

template <typename T>
const T* ItemAt(const std::vector<T>& tensors, bool repeat, std::size_t index) {
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
  return ItemAt(inputs, inputs_repeat, index);
}

const std::vector<DType>* LibraryOp::OutputColumns(std::size_t index) const {
  return ItemAt(outputs, outputs_repeat, index);
}

AiCpuOp AiCpuOp::Any(DTypeSet dtypes) {
  return {.inputs = {dtypes}, .outputs = {dtypes}, .inputs_repeat = true, .outputs_repeat = true};
}

const DTypeSet* AiCpuOp::InputDTypes(std::size_t index) const {
  return ItemAt(inputs, inputs_repeat, index);
}

const DTypeSet* AiCpuOp::OutputDTypes(std::size_t index) const {
  return ItemAt(outputs, outputs_repeat, index);
}

}  // namespace halftone
