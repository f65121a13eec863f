#include "src/accuracy/image_transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/base/numbers.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::int64_t kMostExtent = 1 << 16;

[[noreturn]] void Refuse(std::string_view text, const std::string& why) {
  throw Error(ErrorKind::kUsage, fmt::format("--image={}: {}", Shown(text), why));
}

std::int64_t ExtentIn(std::string_view text, std::string_view part) {
  const auto extent = NumberIn(part, WholeRange{1, kMostExtent});
  if (!extent) {
    Refuse(text, fmt::format("expected resize=N or resize=HEIGHTxWIDTH with extents of 1 to {}, "
                             "found '{}'",
                             kMostExtent, Shown(part)));
  }
  return *extent;
}

std::array<double, 3> ChannelsIn(std::string_view text, std::string_view name,
                                 std::string_view values) {
  const std::vector<std::string_view> parts = Split(values, '/');
  std::array<double, 3> channels = {};
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const auto value = parts.size() == 1 || parts.size() == channels.size()
                           ? FiniteNumber(Trim(parts[parts.size() == 1 ? 0 : c]))
                           : std::nullopt;
    if (!value) {
      Refuse(text, fmt::format("expected {0}=A or {0}=A/B/C with a number for each channel, found "
                               "'{1}'",
                               name, Shown(values)));
    }
    channels[c] = *value;
  }
  return channels;
}

struct WordRow {
  std::string_view name;      // of NAME=VALUE, or the whole word
  std::string_view property;  // what it sets: none may be set twice
  void (*set)(std::string_view text, std::string_view value, ImageTransform& transform);
};

constexpr WordRow kWords[] = {
    {"resize", "resize",
     [](std::string_view text, std::string_view value, ImageTransform& transform) {
       const std::size_t by = value.find('x');
       transform.resize_height = ExtentIn(text, value.substr(0, by));
       if (by != std::string_view::npos) {
         transform.resize_width = ExtentIn(text, value.substr(by + 1));
       }
     }},
    {"range", "range",
     [](std::string_view text, std::string_view value, ImageTransform& transform) {
       const auto range = FiniteNumber(value);
       if (!range || *range <= 0) {
         Refuse(text, fmt::format("expected range=R with a number above 0 that 255 becomes, found "
                                  "'{}'",
                                  Shown(value)));
       }
       transform.range = *range;
     }},
    {"mean", "mean",
     [](std::string_view text, std::string_view value, ImageTransform& transform) {
       transform.mean = ChannelsIn(text, "mean", value);
     }},
    {"std", "std",
     [](std::string_view text, std::string_view value, ImageTransform& transform) {
       transform.std = ChannelsIn(text, "std", value);
       if (std::ranges::find(transform.std, 0.0) != transform.std.end()) {
         Refuse(text, "std is divided by: expected numbers other than 0");
       }
     }},
    {"layout=NCHW", "layout",
     [](std::string_view, std::string_view, ImageTransform& transform) {
       transform.layout = ImageLayout::kChannelsFirst;
     }},
    {"layout=NHWC", "layout",
     [](std::string_view, std::string_view, ImageTransform& transform) {
       transform.layout = ImageLayout::kChannelsLast;
     }},
    {"rgb", "colors",
     [](std::string_view, std::string_view, ImageTransform& transform) {
       transform.colors = ImageColors::kRgb;
     }},
    {"bgr", "colors",
     [](std::string_view, std::string_view, ImageTransform& transform) {
       transform.colors = ImageColors::kBgr;
     }},
    {"gray", "colors",
     [](std::string_view, std::string_view, ImageTransform& transform) {
       transform.colors = ImageColors::kGray;
     }},
};

// Weights of the input pixels for each output pixel along one axis.
struct Filter {
  std::vector<std::int64_t> first;          // input pixel, by output pixel
  std::vector<std::vector<float>> weights;  // from there on; they sum to 1
};

// `from` pixels scaled to `to`, of which `count` are wanted from `begin` on.
Filter TriangleFilter(std::int64_t from, std::int64_t to, std::int64_t begin, std::int64_t count) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double radius = std::max(scale, 1.0);
  Filter filter;
  for (std::int64_t i = begin; i < begin + count; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    const double begins = std::floor(center - radius + 0.5);
    const double ends = std::floor(center + radius + 0.5);
    const auto first = std::max<std::int64_t>(0, static_cast<std::int64_t>(begins));
    const auto last = std::min(from, static_cast<std::int64_t>(ends));
    std::vector<double> weights;
    double sum = 0;
    for (std::int64_t pixel = first; pixel < last; ++pixel) {
      const double distance = std::abs(static_cast<double>(pixel) + 0.5 - center) / radius;
      weights.push_back(std::max(0.0, 1 - distance));
      sum += weights.back();
    }
    std::vector<float>& rounded = filter.weights.emplace_back();
    for (const double weight : weights) {
      rounded.push_back(static_cast<float>(weight / sum));
    }
    filter.first.push_back(first);
  }
  return filter;
}

struct Extents {
  std::int64_t height = 0;
  std::int64_t width = 0;
};

// The extents that an image is scaled to before the centre is cut out.
Extents ScaledExtents(const Image& image, const ImageTransform& transform,
                      const ImageShape& shape) {
  if (transform.resize_width) {
    return {*transform.resize_height, *transform.resize_width};
  }
  const auto height = static_cast<double>(image.height);
  const auto width = static_cast<double>(image.width);
  const double factor =
      transform.resize_height
          ? static_cast<double>(*transform.resize_height) / std::min(height, width)
          : std::max(static_cast<double>(shape.height) / height,
                     static_cast<double>(shape.width) / width);
  return {std::llround(factor * height), std::llround(factor * width)};
}

constexpr std::int64_t kChannels = 3;  // of a pixel of an image

// Weighted sum of one channel of the pixels from `first` on.
float WeightedSum(const std::vector<float>& weights, const std::uint8_t* first) {
  float sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    sum += weights[k] * static_cast<float>(first[static_cast<std::int64_t>(k) * kChannels]);
  }
  return sum;
}

// The image scaled to `width` columns; it keeps its rows.
std::vector<float> ScaledAlongRows(const Image& image, const Filter& columns, std::int64_t width) {
  std::vector<float> narrow(static_cast<std::size_t>(image.height * width * kChannels));
  for (std::int64_t y = 0; y < image.height; ++y) {
    const std::uint8_t* const from = image.rgb.data() + y * image.width * kChannels;
    float* to = narrow.data() + y * width * kChannels;
    for (std::int64_t x = 0; x < width; ++x) {
      const std::vector<float>& weights = columns.weights[static_cast<std::size_t>(x)];
      const std::uint8_t* const first =
          from + columns.first[static_cast<std::size_t>(x)] * kChannels;
      for (std::int64_t c = 0; c < kChannels; ++c) {
        *to++ = WeightedSum(weights, first + c);
      }
    }
  }
  return narrow;
}

// The rows of `narrow`, of `stride` floats each, scaled to `height` rows.
std::vector<float> ScaledAlongColumns(const std::vector<float>& narrow, const Filter& rows,
                                      std::int64_t height, std::int64_t stride) {
  std::vector<float> center(static_cast<std::size_t>(height * stride));
  for (std::int64_t y = 0; y < height; ++y) {
    const std::vector<float>& weights = rows.weights[static_cast<std::size_t>(y)];
    const float* from = narrow.data() + rows.first[static_cast<std::size_t>(y)] * stride;
    float* const to = center.data() + y * stride;
    for (const float weight : weights) {
      for (std::int64_t x = 0; x < stride; ++x) {
        to[x] += weight * from[x];
      }
      from += stride;
    }
  }
  return center;
}

// height x width x 3 floats of 0 to 255: the centre of the scaled image.
std::vector<float> ScaledCenter(const Image& image, const ImageTransform& transform,
                                const ImageShape& shape) {
  const Extents scaled = ScaledExtents(image, transform, shape);
  if (scaled.height < shape.height || scaled.width < shape.width) {
    throw Error(ErrorKind::kUsage,
                fmt::format("an image of {} x {} becomes {} x {} by --image, the network takes {} "
                            "x {} (width x height): give a larger resize",
                            image.width, image.height, scaled.width, scaled.height, shape.width,
                            shape.height));
  }
  const Filter rows =
      TriangleFilter(image.height, scaled.height, (scaled.height - shape.height) / 2, shape.height);
  const Filter columns =
      TriangleFilter(image.width, scaled.width, (scaled.width - shape.width) / 2, shape.width);
  return ScaledAlongColumns(ScaledAlongRows(image, columns, shape.width), rows, shape.height,
                            shape.width * kChannels);
}

// Channel `c` of the network from the red, green and blue of a pixel.
float ChannelOf(const float* rgb, std::int64_t c, ImageColors colors) {
  switch (colors) {
    case ImageColors::kRgb:
      return rgb[c];
    case ImageColors::kBgr:
      return rgb[2 - c];
    case ImageColors::kGray:
      return 0.299F * rgb[0] + 0.587F * rgb[1] + 0.114F * rgb[2];
  }
  return 0;
}

bool IsPlain(const ImageTransform& transform) {
  return transform.mean == std::array<double, 3>{0, 0, 0} &&
         transform.std == std::array<double, 3>{1, 1, 1} && transform.range.value_or(255) == 255;
}

}  // namespace

ImageTransform ParseImageTransform(std::string_view text) {
  ImageTransform transform;
  std::set<std::string_view> given;
  for (const std::string_view part : Split(text, ',')) {
    const std::string_view word = Trim(part);
    if (word.empty()) {
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const auto* const row = std::ranges::find_if(
        kWords, [&](const WordRow& each) { return each.name == word || each.name == name; });
    if (row == std::end(kWords) ||
        (row->name == row->property && equals == std::string_view::npos)) {
      Refuse(text,
             fmt::format("'{}' is none of resize=N, resize=HEIGHTxWIDTH, range=R, mean=A/B/C, "
                         "std=A/B/C, layout=NCHW, layout=NHWC, rgb, bgr, gray",
                         Shown(word)));
    }
    if (!given.insert(row->property).second) {
      Refuse(text,
             fmt::format("'{}' comes after another {}: give one", Shown(word), row->property));
    }
    row->set(text, equals == std::string_view::npos ? "" : word.substr(equals + 1), transform);
  }
  return transform;
}

ImageShape ImageShapeOf(const Value& input, const ImageTransform& transform) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::kUsage,
                fmt::format("input '{}' is of {}: {}", input.name, input.type.ToString(), why));
  };
  const Shape& extents = input.type.shape;
  if (extents.rank() != 4) {
    refuse("images need four axes, batch, channels, height and width; give tensors in files");
  }
  const auto takes = [&](std::int64_t channels) {
    return transform.colors ? channels == (*transform.colors == ImageColors::kGray ? 1 : 3)
                            : channels == 1 || channels == 3;
  };
  const bool first = takes(extents[1]) && transform.layout != ImageLayout::kChannelsLast;
  const bool last = takes(extents[3]) && transform.layout != ImageLayout::kChannelsFirst;
  if (first == last) {
    refuse(first ? "channels may be the second axis or the last: add layout=NCHW or layout=NHWC to "
                   "--image"
                 : "expected 3 channels, or 1 for gray, where the layout says; add layout=NCHW or "
                   "layout=NHWC, and rgb, bgr or gray, to --image");
  }
  ImageShape shape{.layout = first ? ImageLayout::kChannelsFirst : ImageLayout::kChannelsLast,
                   .batch = extents[0],
                   .channels = extents[first ? 1 : 3],
                   .height = extents[first ? 2 : 1],
                   .width = extents[first ? 3 : 2],
                   .colors = {},
                   .dtype = input.type.dtype};
  const auto differs = [](const std::array<double, 3>& values) {
    return values[0] != values[1] || values[1] != values[2];
  };
  if (shape.channels == 1 && (differs(transform.mean) || differs(transform.std))) {
    refuse(
        "it has one channel, and mean or std of --image have a value for each of three: give one");
  }
  shape.colors =
      transform.colors.value_or(shape.channels == 1 ? ImageColors::kGray : ImageColors::kRgb);
  if (!IsFloating(shape.dtype) && (!IsPlain(transform) || shape.dtype == DType::kInt8)) {
    refuse(shape.dtype == DType::kInt8
               ? "pixels of 0 to 255 do not fit; give tensors in files"
               : "integers take pixels as they are: leave range, mean and std out of --image");
  }
  return shape;
}

std::vector<std::int64_t> ImageExtents(std::string_view input, std::vector<std::int64_t> dims,
                                       const ImageTransform& transform, const ImageSize& size) {
  if (dims.size() != 4) {
    return dims;
  }
  const bool gray = transform.colors && *transform.colors == ImageColors::kGray;
  const auto takes = [&](std::int64_t channels) {
    return transform.colors ? channels == (gray ? 1 : 3) : channels == 1 || channels == 3;
  };
  const bool may_be_first = transform.layout != ImageLayout::kChannelsLast;
  const bool may_be_last = transform.layout != ImageLayout::kChannelsFirst;
  bool first = takes(dims[1]) && may_be_first;
  const bool last = takes(dims[3]) && may_be_last;
  if (!first && !last) {  // open channels
    first = dims[1] < 0 && may_be_first;
    const bool open_last = dims[3] < 0 && may_be_last;
    if (first && open_last) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("input '{}' leaves open which axis has the channels: add layout=NCHW "
                              "or layout=NHWC to --image",
                              input));
    }
    if (!first && !open_last) {
      return dims;
    }
  }
  std::int64_t& channels = dims[first ? 1 : 3];
  std::int64_t& height = dims[first ? 2 : 1];
  std::int64_t& width = dims[first ? 3 : 2];
  channels = channels < 0 ? (gray ? 1 : 3) : channels;
  dims[0] = dims[0] < 0 ? 1 : dims[0];
  if (transform.resize_width) {
    height = height < 0 ? *transform.resize_height : height;
    width = width < 0 ? *transform.resize_width : width;
    return dims;
  }
  const double covered = height >= 0  ? static_cast<double>(height) / size.height
                         : width >= 0 ? static_cast<double>(width) / size.width
                                      : 1;
  const double factor = transform.resize_height ? static_cast<double>(*transform.resize_height) /
                                                      std::min(size.height, size.width)
                                                : covered;
  height = height < 0 ? std::llround(factor * size.height) : height;
  width = width < 0 ? std::llround(factor * size.width) : width;
  return dims;
}

Tensor TransformImage(const Image& image, const ImageTransform& transform,
                      const ImageShape& shape) {
  const std::vector<float> center = ScaledCenter(image, transform, shape);
  const bool first = shape.layout == ImageLayout::kChannelsFirst;
  const bool is_float = IsFloating(shape.dtype);
  Tensor tensor(DType::kFloat32, first ? Shape{shape.channels, shape.height, shape.width}
                                       : Shape{shape.height, shape.width, shape.channels});
  float* const to = tensor.mutable_values<float>().data();
  const std::int64_t pixels = shape.height * shape.width;
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    const auto channel = static_cast<std::size_t>(c);
    const double scale =
        transform.range.value_or(is_float ? 1 : 255) / 255 / transform.std[channel];
    const double offset = transform.mean[channel] / transform.std[channel];
    for (std::int64_t p = 0; p < pixels; ++p) {
      const float value = ChannelOf(center.data() + 3 * p, c, shape.colors);
      to[first ? c * pixels + p : p * shape.channels + c] =
          static_cast<float>(scale * value - offset);
    }
  }
  if (!is_float) {
    for (float& value : tensor.mutable_values<float>()) {
      value = std::nearbyint(std::clamp(value, 0.0F, 255.0F));
    }
  }
  return Convert(tensor, shape.dtype);
}

}  // namespace halftone
