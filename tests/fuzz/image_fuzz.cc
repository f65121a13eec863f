// PNG and JPEG files, and the input that one becomes.

#include "src/accuracy/image_file.h"
#include "src/accuracy/image_transform.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::int64_t kMostToScale = 1 << 20;
  const MemoryFile file(TextOf(data, size));
  const auto image = ValueOrError([&] { return ReadImage(file.path()); });
  if (!image) {
    return 0;
  }
  const std::int64_t pixels = std::int64_t{image->height} * image->width;
  Require(image->height > 0 && image->width > 0 && pixels <= kMostPixels,
          "an image without pixels");
  Require(static_cast<std::int64_t>(image->rgb.size()) == 3 * pixels, "three bytes a pixel");
  if (pixels <= kMostToScale) {
    const Value input{.name = "x", .type = {DType::kFloat32, {1, 3, 5, 7}}};
    const ImageTransform transform;
    const Tensor scaled = TransformImage(*image, transform, ImageShapeOf(input, transform));
    for (const float value : scaled.values<float>()) {
      Require(value >= -1e-4F && value <= 1 + 1e-4F, "a pixel outside of 0 to 1");
    }
  }
  return 0;
}
