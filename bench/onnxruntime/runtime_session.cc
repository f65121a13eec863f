#include "bench/onnxruntime/runtime_session.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "src/base/error.h"

namespace halftone {
namespace {

// Values of enumerations of onnxruntime_c_api.h. Its element types are those of TensorProto.
constexpr int kBasicOptimizations = 1;
constexpr int kAllOptimizations = 99;
constexpr int kArenaAllocator = 1;
constexpr int kDefaultMemory = 0;

}  // namespace

RuntimeSession::RuntimeSession(const RuntimeApi& api, std::string_view model,
                               const RuntimeSessionOptions& wanted,
                               const std::map<std::string, Tensor>& inputs)
    : api_(api) {
  const RuntimeHandle options =
      api.Make(RuntimeCall::kCreateSessionOptions, RuntimeCall::kReleaseSessionOptions);
  api.Call(RuntimeCall::kSetGraphOptimizationLevel, options.get(),
           wanted.folded_path.empty() ? kAllOptimizations : kBasicOptimizations);
  if (!wanted.folded_path.empty()) {
    api.Call(RuntimeCall::kSetOptimizedModelPath, options.get(), wanted.folded_path.c_str());
  }
  api.Call(RuntimeCall::kSetIntraOpThreads, options.get(), wanted.threads);
  api.Call(RuntimeCall::kSetInterOpThreads, options.get(), 1);
  if (!wanted.profile_prefix.empty()) {
    api.Call(RuntimeCall::kEnableProfiling, options.get(), wanted.profile_prefix.c_str());
  }
  session_ =
      api.Make(RuntimeCall::kCreateSessionFromArray, RuntimeCall::kReleaseSession,
               static_cast<const void*>(api.environment()), static_cast<const void*>(model.data()),
               model.size(), static_cast<const void*>(options.get()));
  input_names_ = Names(RuntimeCall::kInputCount, RuntimeCall::kInputName);
  output_names_ = Names(RuntimeCall::kOutputCount, RuntimeCall::kOutputName);
  for (const std::string& name : input_names_) {
    const auto found = inputs.find(name);
    if (found == inputs.end()) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("it asks for input '{}', which halftone does not have", name));
    }
    tensors_.push_back(found->second);
    inputs_.push_back(ValueOf(found->second));
    input_pointers_.push_back(inputs_.back().get());
    input_name_pointers_.push_back(name.c_str());
  }
  for (const std::string& name : output_names_) {
    output_name_pointers_.push_back(name.c_str());
  }
  output_pointers_.resize(output_names_.size(), nullptr);
}

void RuntimeSession::Run() {
  api_.Call(RuntimeCall::kRun, session_.get(), static_cast<const void*>(nullptr),
            static_cast<const char* const*>(input_name_pointers_.data()),
            static_cast<const void* const*>(input_pointers_.data()), input_pointers_.size(),
            static_cast<const char* const*>(output_name_pointers_.data()),
            output_name_pointers_.size(), output_pointers_.data());
  if (outputs_.empty()) {
    for (void* value : output_pointers_) {
      outputs_.emplace_back(value, RuntimeRelease{&api_, RuntimeCall::kReleaseValue});
    }
  }
}

std::vector<Tensor> RuntimeSession::Outputs() const {
  std::vector<Tensor> tensors;
  for (const RuntimeHandle& value : outputs_) {
    tensors.push_back(TensorOf(value.get()));
  }
  return tensors;
}

std::vector<std::string> RuntimeSession::Names(RuntimeCall count_call,
                                               RuntimeCall name_call) const {
  std::size_t count = 0;
  api_.Call(count_call, static_cast<const void*>(session_.get()), &count);
  void* allocator = nullptr;  // the runtime's own
  api_.Call(RuntimeCall::kDefaultAllocator, &allocator);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    char* name = nullptr;
    api_.Call(name_call, static_cast<const void*>(session_.get()), i, allocator, &name);
    names.emplace_back(name);
    api_.Call(RuntimeCall::kFree, allocator, static_cast<void*>(name));
  }
  return names;
}

RuntimeHandle RuntimeSession::ValueOf(const Tensor& tensor) const {
  const RuntimeHandle memory =
      api_.Make(RuntimeCall::kCreateCpuMemoryInfo, RuntimeCall::kReleaseMemoryInfo, kArenaAllocator,
                kDefaultMemory);
  const std::vector<std::int64_t>& dims = tensor.shape().dims();
  // The runtime does not write to inputs.
  return api_.Make(RuntimeCall::kCreateTensorWithData, RuntimeCall::kReleaseValue,
                   static_cast<const void*>(memory.get()),
                   const_cast<void*>(static_cast<const void*>(tensor.data())), tensor.size_bytes(),
                   dims.data(), dims.size(), RowOf(tensor.dtype()).onnx_type);
}

Tensor RuntimeSession::TensorOf(void* value) const {
  const RuntimeHandle info = api_.Make(RuntimeCall::kTensorInfo, RuntimeCall::kReleaseTensorInfo,
                                       static_cast<const void*>(value));
  const void* const known_info = info.get();
  int element_type = 0;
  std::size_t rank = 0;
  api_.Call(RuntimeCall::kElementType, known_info, &element_type);
  api_.Call(RuntimeCall::kDimensionCount, known_info, &rank);
  std::vector<std::int64_t> dims(rank);
  api_.Call(RuntimeCall::kDimensions, known_info, dims.data(), rank);
  const std::optional<DType> dtype = DTypeFromOnnx(element_type);
  if (!dtype) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("its outputs have element type {}, which halftone does not have",
                            element_type));
  }
  Tensor tensor(*dtype, Shape(std::move(dims)));
  void* data = nullptr;
  api_.Call(RuntimeCall::kTensorData, value, &data);
  if (tensor.size_bytes() > 0) {
    std::memcpy(tensor.mutable_data(), data, tensor.size_bytes());
  }
  return tensor;
}

}  // namespace halftone
