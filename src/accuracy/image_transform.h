// Transformation of images to an input of a network, as option --image describes it.
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
  // Extents to which an image is scaled, in pixels, before the extents of the input are cut out of
  // its centre. `resize_height` alone is the extent of the shorter side; the other side follows in
  // proportion. If both are empty, the image is scaled so that it just covers the input.
  std::optional<std::int64_t> resize_height;
  std::optional<std::int64_t> resize_width;
  std::optional<double> range;  // value that 255 becomes; empty: 1 for floats, 255 for integers
  std::array<double, 3> mean = {0, 0, 0};  // subtracted from each channel, in the order of `colors`
  std::array<double, 3> std = {1, 1, 1};   // divisor of each channel after the subtraction
  std::optional<ImageLayout> layout;       // empty: the shape of the input decides
  std::optional<ImageColors> colors;       // empty: gray for one channel, else RGB
};

// Parses words that are separated by commas:
// "resize=256,mean=0.485/0.456/0.406,std=0.229/0.224/0.225,layout=NCHW,rgb".
//
//   resize=N      scales the shorter side to N, the other in proportion
//   resize=HxW    scales to height H and width W
//   range=R       multiplies pixels by R / 255 (default of R: 1 for floats, 255 for integers)
//   mean=A/B/C    subtracts a value from each channel; mean=A from all
//   std=A/B/C     divides each channel by a value afterwards; std=A all
//   layout=NCHW, layout=NHWC
//   rgb, bgr, gray
//
// Error kUsage: an unknown word, a wrong value, or two words for the same property.
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

// The layout and extents of `input`. Error kUsage:
// - the input has not four axes;
// - the channel axis has not 3 channels, or 1 for gray;
// - either the second or the last axis may be the channel axis;
// - the input has one channel, and mean or std has a value for each of three;
// - the input has integers, and range, mean or std would change pixels;
// - the input is int8.
ImageShape ImageShapeOf(const Value& input, const ImageTransform& transform);

// Extents of an image in pixels.
struct ImageSize {
  int height = 0;
  int width = 0;
};

// `dims` of an input named `input` that takes images, with the free (negative) extents filled. The
// batch becomes 1. The channels become those that the transform makes. Height and width become
// those of an image of `size` that the transform scales; without a resize, the image is scaled to
// the height or width that is fixed, if one is. Extents that fit no images stay, and ImageShapeOf()
// reports them. Error kUsage: either axis may be the channel axis.
std::vector<std::int64_t> ImageExtents(std::string_view input, std::vector<std::int64_t> dims,
                                       const ImageTransform& transform, const ImageSize& size);

// Transforms one image to the layout and dtype of `shape`, without the batch axis; integers are
// rounded to nearest. It is scaled by a triangle filter (bilinear with antialiasing, as in Pillow),
// whose radius is one output pixel or one input pixel, whichever is larger. Weights and sums are
// float32, so that the error of a value is at most 1e-4 of the range of values. Gray is
// 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601). Error kUsage: the scaled image is smaller than the
// input.
Tensor TransformImage(const Image& image, const ImageTransform& transform, const ImageShape& shape);

}  // namespace halftone
