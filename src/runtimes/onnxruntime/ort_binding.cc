#include "src/runtimes/onnxruntime/ort_binding.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "src/base/error.h"

namespace halftone {
namespace {

// Values of enumerations of onnxruntime_c_api.h. Its element types are those of TensorProto.
constexpr int kDeviceAllocator = 0;
constexpr int kArenaAllocator = 1;
constexpr int kDefaultMemory = 0;
constexpr int kFirstDevice = 0;

}  // namespace

OrtBinding::OrtBinding(const OrtSession& session, const std::map<std::string, Tensor>& inputs,
                       const std::string& memory)
    : session_(session),
      api_(session.api()),
      binding_(api_.Make(OrtCall::kCreateBinding, OrtCall::kReleaseBinding, session.get())) {
  for (const std::string& name : session.input_names()) {
    const auto found = inputs.find(name);
    if (found == inputs.end()) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("it asks for input '{}', which halftone does not have", name));
    }
    tensors_.push_back(found->second);
    inputs_.push_back(ValueOf(tensors_.back()));
    api_.Call(OrtCall::kBindInput, binding_.get(), name.c_str(),
              static_cast<const void*>(inputs_.back().get()));
  }
  const OrtHandle place =
      memory.empty() ? api_.Make(OrtCall::kCreateCpuMemoryInfo, OrtCall::kReleaseMemoryInfo,
                                 kArenaAllocator, kDefaultMemory)
                     : api_.Make(OrtCall::kCreateMemoryInfo, OrtCall::kReleaseMemoryInfo,
                                 memory.c_str(), kDeviceAllocator, kFirstDevice, kDefaultMemory);
  for (const std::string& name : session.output_names()) {
    api_.Call(OrtCall::kBindOutputToDevice, binding_.get(), name.c_str(),
              static_cast<const void*>(place.get()));
  }
}

void OrtBinding::Run() {
  api_.Call(OrtCall::kRunWithBinding, session_.get(), static_cast<const void*>(nullptr),
            static_cast<const void*>(binding_.get()));
  api_.Call(OrtCall::kSynchronizeOutputs, binding_.get());
  if (outputs_.empty()) {
    KeepOutputs();
  }
}

void OrtBinding::KeepOutputs() {
  void* allocator = nullptr;  // the runtime's own
  api_.Call(OrtCall::kDefaultAllocator, &allocator);
  void** values = nullptr;
  std::size_t count = 0;
  api_.Call(OrtCall::kBoundOutputs, static_cast<const void*>(binding_.get()), allocator, &values,
            &count);
  for (std::size_t i = 0; i < count; ++i) {
    outputs_.emplace_back(values[i], OrtRelease{&api_, OrtCall::kReleaseValue});
  }
  api_.Call(OrtCall::kFree, allocator, static_cast<void*>(values));
  for (std::size_t i = 0; i < count; ++i) {
    api_.Call(OrtCall::kBindOutput, binding_.get(), session_.output_names()[i].c_str(),
              static_cast<const void*>(outputs_[i].get()));
  }
}

std::vector<Tensor> OrtBinding::Outputs() const {
  std::vector<Tensor> tensors;
  for (const OrtHandle& value : outputs_) {
    tensors.push_back(TensorOf(value.get()));
  }
  return tensors;
}

OrtHandle OrtBinding::ValueOf(const Tensor& tensor) const {
  const OrtHandle memory = api_.Make(OrtCall::kCreateCpuMemoryInfo, OrtCall::kReleaseMemoryInfo,
                                     kArenaAllocator, kDefaultMemory);
  const std::vector<std::int64_t>& dims = tensor.shape().dims();
  // The runtime does not write to inputs.
  return api_.Make(OrtCall::kCreateTensorWithData, OrtCall::kReleaseValue,
                   static_cast<const void*>(memory.get()),
                   const_cast<void*>(static_cast<const void*>(tensor.data())), tensor.size_bytes(),
                   dims.data(), dims.size(), RowOf(tensor.dtype()).onnx_type);
}

Tensor OrtBinding::TensorOf(void* value) const {
  const OrtHandle info =
      api_.Make(OrtCall::kTensorInfo, OrtCall::kReleaseTensorInfo, static_cast<const void*>(value));
  const void* const known_info = info.get();
  int element_type = 0;
  std::size_t rank = 0;
  api_.Call(OrtCall::kElementType, known_info, &element_type);
  api_.Call(OrtCall::kDimensionCount, known_info, &rank);
  std::vector<std::int64_t> dims(rank);
  api_.Call(OrtCall::kDimensions, known_info, dims.data(), rank);
  const std::optional<DType> dtype = DTypeFromOnnx(element_type);
  if (!dtype) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("its outputs have element type {}, which halftone does not have",
                            element_type));
  }
  Tensor tensor(*dtype, Shape(std::move(dims)));
  void* data = nullptr;
  api_.Call(OrtCall::kTensorData, value, &data);
  if (tensor.size_bytes() > 0) {
    std::memcpy(tensor.mutable_data(), data, tensor.size_bytes());
  }
  return tensor;
}

}  // namespace halftone
