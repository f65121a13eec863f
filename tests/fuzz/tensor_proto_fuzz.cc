// Test data of ONNX models: one TensorProto a file. Where its elements are found without reading
// them, they are those that reading the whole file finds.
#include <cstring>

#include "src/onnx/tensor_proto.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(TextOf(data, size));
  const auto tensor = ValueOrError([&] { return ReadTensorProto(file.path()); });
  const auto place = ValueOrError([&] { return LocateTensorProto(file.path()); });
  if (place && *place) {
    const auto& [type, offset] = **place;
    Require(tensor.has_value() && tensor->type() == type, "a tensor is where there is none");
    Require(type.dtype == DType::kBool || tensor->size_bytes() == 0 ||
                std::memcmp(tensor->data(), data + offset, tensor->size_bytes()) == 0,
            "the elements are somewhere else");
  }
  return 0;
}
