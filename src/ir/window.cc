#include "src/ir/window.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"

namespace halftone {
namespace {

using Extents = std::vector<std::int64_t>;

// Attribute `name` with one entry per spatial axis, or `count` times `fallback`.
Extents PerAxis(const Attributes& attributes, std::string_view name, std::size_t count,
                std::int64_t fallback) {
  Extents values = attributes.Ints(name, Extents(count, fallback));
  if (values.size() != count) {
    throw Error(ErrorKind::kModel, fmt::format("attribute '{}': expected {} values, got {}", name,
                                               count, values.size()));
  }
  return values;
}

// Products of two such values and an extent do not overflow.
constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1;

void CheckValues(const Extents& values, std::string_view name, std::int64_t least) {
  for (const std::int64_t value : values) {
    if (value < least || value > kMost) {
      throw Error(ErrorKind::kModel, fmt::format("attribute '{}': expected values from {} to {}, "
                                                 "got {}",
                                                 name, least, kMost, value));
    }
  }
}

// The same, checked: `fallback` is the least value.
Extents CheckedPerAxis(const Attributes& attributes, std::string_view name, std::size_t count,
                       std::int64_t fallback) {
  Extents values = PerAxis(attributes, name, count, fallback);
  CheckValues(values, name, fallback);
  return values;
}

// SAME padding: output = ceil(input / stride), the odd element at the end (UPPER) or the begin
// (LOWER).
void PadToSame(Window& window, const Shape& input, bool upper) {
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    const std::int64_t extent = input[static_cast<int>(i) + 2];
    const std::int64_t outputs = (extent + window.stride[i] - 1) / window.stride[i];
    const std::int64_t span = (window.kernel[i] - 1) * window.dilation[i] + 1;
    const std::int64_t total =
        std::max<std::int64_t>((outputs - 1) * window.stride[i] + span - extent, 0);
    window.pad_begin[i] = upper ? total / 2 : total - total / 2;
    window.pad_end[i] = total - window.pad_begin[i];
  }
}

void ReadPads(Window& window, const Attributes& attributes, const Shape& input) {
  const std::size_t axes = window.kernel.size();
  window.pad_begin.assign(axes, 0);
  window.pad_end.assign(axes, 0);
  const std::string auto_pad = attributes.Text("auto_pad", "NOTSET");
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    PadToSame(window, input, auto_pad == "SAME_UPPER");
    return;
  }
  if (auto_pad == "VALID") {
    return;
  }
  if (auto_pad != "NOTSET" && !auto_pad.empty()) {
    throw Error(
        ErrorKind::kModel,
        fmt::format(
            "attribute 'auto_pad': expected NOTSET, SAME_UPPER, SAME_LOWER or VALID, got '{}'",
            auto_pad));
  }
  const Extents pads = PerAxis(attributes, "pads", 2 * axes, 0);
  CheckValues(pads, "pads", 0);
  for (std::size_t i = 0; i < axes; ++i) {
    window.pad_begin[i] = pads[i];
    window.pad_end[i] = pads[axes + i];
  }
}

}  // namespace

Window WindowOf(const Attributes& attributes, const Shape& input, const Extents& kernel) {
  if (input.rank() < 3) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("expected an input of shape [N, C, spatial...], got {}", input.ToString()));
  }
  const auto axes = static_cast<std::size_t>(input.rank() - 2);
  Window window;
  window.kernel = attributes.Ints("kernel_shape", kernel);
  if (window.kernel.size() != axes) {
    throw Error(ErrorKind::kModel,
                fmt::format("attribute 'kernel_shape': expected {} values for input {}, got {}",
                            axes, input.ToString(), window.kernel.size()));
  }
  window.stride = PerAxis(attributes, "strides", axes, 1);
  window.dilation = PerAxis(attributes, "dilations", axes, 1);
  CheckValues(window.kernel, "kernel_shape", 1);
  CheckValues(window.stride, "strides", 1);
  CheckValues(window.dilation, "dilations", 1);
  ReadPads(window, attributes, input);
  const bool ceil_mode = attributes.Int("ceil_mode", 0) != 0;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t extent = input[static_cast<int>(i) + 2];
    if (extent < 0) {  // of an image whose shape is an operand (Col2Im)
      throw Error(ErrorKind::kModel,
                  fmt::format("expected an image without negative extents, got {}", extent));
    }
    const std::int64_t span = (window.kernel[i] - 1) * window.dilation[i] + 1;
    const std::int64_t room = extent + window.pad_begin[i] + window.pad_end[i] - span;
    if (room < 0) {
      throw Error(
          ErrorKind::kModel,
          fmt::format("a window of {} does not fit into the padded extent {}", span, room + span));
    }
    std::int64_t outputs = (room + (ceil_mode ? window.stride[i] - 1 : 0)) / window.stride[i] + 1;
    // A window that would start behind the input and its leading padding is dropped (ONNX,
    // since 1.16.)
    if (ceil_mode && (outputs - 1) * window.stride[i] >= extent + window.pad_begin[i]) {
      --outputs;
    }
    window.output.push_back(outputs);
  }
  return window;
}

Window TransposedWindowOf(const Attributes& attributes, const Shape& input, const Extents& kernel) {
  const auto axes = static_cast<std::size_t>(input.rank() - 2);
  Window window;
  window.kernel = attributes.Ints("kernel_shape", kernel);
  if (window.kernel != kernel) {
    throw Error(ErrorKind::kModel, fmt::format("attribute 'kernel_shape' does not match the "
                                               "weights, whose window is {}",
                                               Shape(kernel).ToString()));
  }
  window.stride = CheckedPerAxis(attributes, "strides", axes, 1);
  window.dilation = CheckedPerAxis(attributes, "dilations", axes, 1);
  const Extents extra = CheckedPerAxis(attributes, "output_padding", axes, 0);
  const Extents pads = CheckedPerAxis(attributes, "pads", 2 * axes, 0);
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
