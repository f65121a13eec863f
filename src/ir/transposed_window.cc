#include "src/ir/transposed_window.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"

namespace halftone {
namespace {

using Extents = std::vector<std::int64_t>;

constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1;

Extents PerAxis(const Attributes& attributes, std::string_view name, std::size_t count,
                std::int64_t fallback) {
  Extents values = attributes.Ints(name, Extents(count, fallback));
  if (values.size() != count) {
    throw Error(ErrorKind::kModel, fmt::format("attribute '{}': expected {} values, got {}", name,
                                               count, values.size()));
  }
  for (const std::int64_t value : values) {
    if (value < fallback || value > kMost) {
      throw Error(ErrorKind::kModel,
                  fmt::format("attribute '{}': expected values from {} to {}, got {}", name,
                              fallback, kMost, value));
    }
  }
  return values;
}

}  // namespace

Window TransposedWindowOf(const Attributes& attributes, const Shape& input, const Extents& kernel) {
  const auto axes = static_cast<std::size_t>(input.rank() - 2);
  Window window;
  window.kernel = attributes.Ints("kernel_shape", kernel);
  if (window.kernel != kernel) {
    throw Error(ErrorKind::kModel, fmt::format("attribute 'kernel_shape' does not match the "
                                               "weights, whose window is {}",
                                               Shape(kernel).ToString()));
  }
  window.stride = PerAxis(attributes, "strides", axes, 1);
  window.dilation = PerAxis(attributes, "dilations", axes, 1);
  const Extents extra = PerAxis(attributes, "output_padding", axes, 0);
  const Extents pads = PerAxis(attributes, "pads", 2 * axes, 0);
  const bool stated = attributes.Has("output_shape");
  const std::string auto_pad = attributes.Text("auto_pad", "NOTSET");
  const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (!same && auto_pad != "VALID" && auto_pad != "NOTSET") {
    throw Error(
        ErrorKind::kModel,
        fmt::format(
            "attribute 'auto_pad': expected NOTSET, SAME_UPPER, SAME_LOWER or VALID, got '{}'",
            auto_pad));
  }
  Extents shape = stated ? attributes.Ints("output_shape") : Extents();
  if (stated && shape.size() == axes + 2) {
    shape.erase(shape.begin(), shape.begin() + 2);  // some exporters state all axes
  }
  if (stated && shape.size() != axes) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("attribute 'output_shape': expected {} values, got {}", axes, shape.size()));
  }
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t extent = input[static_cast<int>(i) + 2];
    // Beyond, the products below could overflow.
    if (kernel[i] < 1 || kernel[i] > kMost / window.dilation[i] ||
        extent > kMost / window.stride[i]) {
      throw Error(
          ErrorKind::kModel,
          fmt::format("a transposed window of {} with stride {} and dilation {} does not fit "
                      "an extent of {}",
                      kernel[i], window.stride[i], window.dilation[i], extent));
    }
    const std::int64_t span = (kernel[i] - 1) * window.dilation[i] + 1;
    const std::int64_t whole = window.stride[i] * (extent - 1) + extra[i] + span;
    std::int64_t begin = auto_pad == "NOTSET" ? pads[i] : 0;
    std::int64_t end = auto_pad == "NOTSET" ? pads[axes + i] : 0;
    std::int64_t output = whole - begin - end;
    if (stated || same) {
      output = stated ? shape[i] : extent * window.stride[i];
      const std::int64_t total = std::max<std::int64_t>(whole - output, 0);
      begin = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
      end = total - begin;
    }
    if (output < 0 || output > kMost) {
      throw Error(ErrorKind::kModel,
                  fmt::format("a transposed window of {} over {} elements would give {}", span,
                              extent, output));
    }
    window.pad_begin.push_back(begin);
    window.pad_end.push_back(end);
    window.output.push_back(output);
  }
  return window;
}

}  // namespace halftone
