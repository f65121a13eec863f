// ONNX models: protobuf, names, shapes, upgrades, folding of constants, passes.
#include "src/onnx/reader.h"
#include "src/passes/passes.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(TextOf(data, size));
  ValueOrError([&] {
    ImportResult model = ImportOnnx(file.path());
    Optimize(model.graph);
    return true;
  });
  return 0;
}
