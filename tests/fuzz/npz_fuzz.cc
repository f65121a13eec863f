// NumPy archives.

#include "src/accuracy/npz_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(TextOf(data, size));
  const auto arrays = ValueOrError([&] { return ReadNpz(file.path()); });
  Require(!arrays || !arrays->empty(), "an archive without an array was read");
  return 0;
}
