// --image: how the pixels of an image become an input of a network.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "src/accuracy/image_file.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

enum class ImageLayout : std::uint8_t { kChannelsFirst, kChannelsLast };  // NCHW, NHWC
enum class ImageColors : std::uint8_t { kRgb, kBgr, kGray };

struct ImageTransform {
  // Extents to which images are scaled; one alone is that of the shorter side. Empty: the least
  // that cover the network's extents. The network's extents are then cut out of the centre.
  std::optional<std::int64_t> resize_height;
  std::optional<std::int64_t> resize_width;  // empty with a height: that is of the shorter side
  std::optional<double> range;  // what 255 becomes; empty: 1 for floats, 255 for integers
  std::array<double, 3> mean = {0, 0, 0};  // of each channel in the order of `colors`
  std::array<double, 3> std = {1, 1, 1};
  std::optional<ImageLayout> layout;  // empty: as the shape of the input says
  std::optional<ImageColors> colors;  // empty: RGB, or gray of one channel
};

// "resize=256,mean=0.485/0.456/0.406,std=0.229/0.224/0.225,layout=NCHW,rgb": words separated by
// commas, none twice.
//
//   resize=N      the shorter side becomes N, the other in proportion
//   resize=HxW    both
//   range=R       255 becomes R (1 of floats, 255 of integers): pixels are multiplied by R / 255
//   mean=A/B/C    subtracted, one value for all or one a channel
//   std=A/B/C     divided by afterwards
//   layout=NCHW, layout=NHWC
//   rgb, bgr, gray
//
// Error kUsage.
ImageTransform ParseImageTransform(std::string_view text);

// Layout and extents of an input that takes images.
struct ImageShape {
  ImageLayout layout = ImageLayout::kChannelsFirst;
  std::int64_t batch = 1;
  std::int64_t channels = 3;
  std::int64_t height = 0;
  std::int64_t width = 0;
  ImageColors colors = ImageColors::kRgb;
  DType dtype = DType::kFloat32;
};

// Error kUsage: the input has not four axes with 3 channels (1 for gray) where the layout has them;
// its elements are integers and there is a range other than 255, a mean or a std; or it is int8.
ImageShape ImageShapeOf(const Value& input, const ImageTransform& transform);

// Pixels of an image.
struct ImageSize {
  int height = 0;
  int width = 0;
};

// Extents of an input that takes images, with the open (negative) ones filled: a batch of 1, the
// channels that the transform makes, height and width of an image of `size` as the transform scales
// it, or, if one of the two is fixed, such that the image just covers it. Unchanged where the axes
// fit no images, which ImageShapeOf() reports. Error kUsage: the layout is open.
std::vector<std::int64_t> ImageExtents(std::string_view input, std::vector<std::int64_t> dims,
                                       const ImageTransform& transform, const ImageSize& size);

// One image in layout and dtype of the shape, without its batch; integers are rounded to nearest.
// Scaling is by a triangle filter whose width is that of an output pixel, or of an input pixel
// where images grow (bilinear with antialiasing, as Pillow's); weights and sums are float32, so
// that a value is within 1e-4 of the range of the exact one. Gray is 0.299 R + 0.587 G
// + 0.114 B (ITU-R BT.601).
Tensor TransformImage(const Image& image, const ImageTransform& transform, const ImageShape& shape);

}  // namespace halftone
