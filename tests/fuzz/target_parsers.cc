// Targets and operator libraries.
#include "src/target/builtin_targets.h"
#include "src/target/ops_info.h"
#include "tests/fuzz/fuzz.h"

namespace halftone::testing {
namespace {

void OpsInfo(std::string_view bytes) {
  static const TargetFile& family = *FindFamily("ascend310p");
  ValueOrError([&] { return ParseOpsInfo(bytes, "ops.json", family); });
  ValueOrError([&] { return ParseAiCpuKernels(bytes, "cpu.json", "AICPUKernel"); });
}

void OwnTarget(std::string_view bytes) {
  ValueOrError([&] { return ParseOwnTargetFile(bytes, "own.ini"); });
}

const FuzzedParsers kTargetParsers = {
    {"ops_info", OpsInfo},       // --ops_info, of AI Core and AI CPU
    {"target_file", OwnTarget},  // --soc_version=<file>.ini, which may inherit from built-in ones
};

}  // namespace
}  // namespace halftone::testing
