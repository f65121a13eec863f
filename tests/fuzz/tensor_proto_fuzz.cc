// Test data of ONNX models: one TensorProto a file.
#include "src/onnx/tensor_proto.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(TextOf(data, size));
  ValueOrError([&] { return ReadTensorProto(file.path()); });
  return 0;
}
