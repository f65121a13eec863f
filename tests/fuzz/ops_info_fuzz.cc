// Operator libraries of AI Core and AI CPU (--ops_info).
#include "src/target/builtin_targets.h"
#include "src/target/ops_info.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TargetFile& family = *FindFamily("ascend310p");
  ValueOrError([&] { return ParseOpsInfo(TextOf(data, size), "ops.json", family); });
  ValueOrError([&] { return ParseAiCpuKernels(TextOf(data, size), "cpu.json", "AICPUKernel"); });
  return 0;
}
