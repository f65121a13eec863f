// The --insert_op_conf: what is read is words of --image.
#include "src/accuracy/image_transform.h"
#include "src/aoe/aipp_file.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto image = ValueOrError([&] { return ParseAipp(TextOf(data, size), "aipp.cfg"); });
  if (image) {
    static_cast<void>(ParseImageTransform(*image));
  }
  return 0;
}
