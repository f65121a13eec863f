// NumPy files.

#include <cstring>

#include "src/accuracy/tensor_file.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto tensor = ValueOrError([&] { return ParseNpy(TextOf(data, size), "x.npy"); });
  if (tensor) {
    const Tensor again = ParseNpy(FormatNpy(*tensor), "x.npy");
    Require(again.type() == tensor->type() &&
                (tensor->size_bytes() == 0 ||
                 std::memcmp(again.data(), tensor->data(), tensor->size_bytes()) == 0),
            "the tensor read back differs");
  }
  return 0;
}
