// The IR of OpenVINO that export patches.
#include "src/export/openvino_ir.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const OpenVinoMarks marks{.float32 = {"c", "a,b"}, .all = {"x", "c", "r", "a,b"}};
  const auto once =
      ValueOrError([&] { return PatchOpenVinoIr(TextOf(data, size), "n.xml", marks); });
  if (once) {
    Require(PatchOpenVinoIr(once->text, "n.xml", marks).text == once->text,
            "patching twice differs from patching once");
  }
  return 0;
}
