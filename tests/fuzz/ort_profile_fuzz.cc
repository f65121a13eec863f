// Profiles that ONNX Runtime writes.
#include "src/runtimes/onnxruntime/ort_profile.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto kernels = ValueOrError([&] { return ReadOrtProfile(TextOf(data, size)); });
  if (kernels) {
    Require(!kernels->empty(), "a profile without a kernel");
  }
  return 0;
}
