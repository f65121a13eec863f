#include "kernels/conv/pixel_rows.h"

#include <algorithm>
#include <cstring>

#include "kernels/gemm/half_rows.h"

namespace halftone {
namespace {

struct Converter {
  DType from;
  PixelFormat format;

  [[nodiscard]] std::int64_t target_bytes() const {
    return format == PixelFormat::kBFloat16 ? 2 : 4;
  }

  void Copy(const std::byte* source, std::byte* target, std::int64_t count) const {
    if (format == PixelFormat::kBFloat16) {
      NarrowRowToBFloat16(from, source, reinterpret_cast<BFloat16*>(target), count);
    } else {
      WidenRow(from, source, reinterpret_cast<float*>(target), count);
    }
  }

  void Pad(std::byte* target, std::int64_t count) const {
    if (count > 0) {  // seldom
      std::memset(target, 0, static_cast<std::size_t>(count * target_bytes()));
    }
  }
};

// A run of elements that lie behind each other in the input, of which the window may see only the
// middle: elements [0, length), the first `before` and those from `inside` on are padding.
struct Run {
  const std::byte* source;  // of element `before`
  std::int64_t before;
  std::int64_t inside;
  std::int64_t length;
};

// Elements [first, last) of the run to `target`.
void CopyPart(const Converter& convert, const Run& run, std::int64_t first, std::int64_t last,
              std::byte* target) {
  const std::int64_t left = std::clamp(run.before, first, last);
  const std::int64_t right = std::clamp(run.inside, left, last);
  convert.Pad(target, left - first);
  target += (left - first) * convert.target_bytes();
  if (right > left) {
    convert.Copy(run.source + (left - run.before) * static_cast<std::int64_t>(SizeOf(convert.from)),
                 target, right - left);
  }
  target += (right - left) * convert.target_bytes();
  convert.Pad(target, last - right);
}

struct Division {
  std::int64_t quotient, remainder;
};

// In 32 bits where that is enough: older CPUs take several times as long for 64 (Skylake, against
// Ice Lake and Zen), which for rows of few channels is more than copying them.
Division Divide(std::int64_t value, std::int64_t by) {
  if (((value | by) >> 32) == 0) {
    const auto low = static_cast<std::uint32_t>(value);
    const auto divisor = static_cast<std::uint32_t>(by);
    return {low / divisor, low % divisor};
  }
  return {value / by, value % by};
}

}  // namespace

void GatherPixelRow(const PixelRows& rows, std::int64_t pixel, std::int64_t first,
                    std::int64_t count, std::byte* target) noexcept {
  if (count == 0) {  // of a window without channels
    return;
  }
  const ConvCall& call = *rows.call;
  const Converter convert{call.dtype, rows.format};
  const auto element = static_cast<std::int64_t>(SizeOf(call.dtype));
  const std::int64_t pitch = call.group * call.in_channels;  // elements between pixels
  const auto [image, in_image] = Divide(pixel, call.OutputPixels());
  const auto [row, column] = Divide(in_image, call.output[2]);
  const std::int64_t row0 = row * call.stride[1] - call.pad[1];
  const std::int64_t column0 = column * call.stride[2] - call.pad[2];
  // Taps of a row are one run where nothing lies between them.
  const bool row_run = call.group == 1 && call.dilation[2] == 1;
  const std::int64_t taps_in_run = row_run ? call.kernel[2] : 1;
  const std::int64_t length = taps_in_run * call.in_channels;
  const std::int64_t last = first + count;
  std::byte* const end = target + count * convert.target_bytes();
  const std::int64_t runs_in_row = row_run ? 1 : call.kernel[2];
  auto [index, from] = Divide(first, length);
  auto [tap_row, tap] = Divide(index, runs_in_row);
  for (std::int64_t at = first; at < last;) {
    const std::int64_t to = std::min(length, from + last - at);
    const std::int64_t y = row0 + tap_row * call.dilation[1];
    const std::int64_t x = column0 + tap * call.dilation[2];
    Run run{.source = nullptr, .before = length, .inside = length, .length = length};
    if (y >= 0 && y < call.input[1]) {
      const std::int64_t left = std::clamp<std::int64_t>(-x, 0, taps_in_run);
      const std::int64_t right = std::clamp<std::int64_t>(call.input[2] - x, left, taps_in_run);
      run.before = left * call.in_channels;
      run.inside = right * call.in_channels;
      run.source =
          rows.x + ((image * call.input[1] + y) * call.input[2] + x + left) * pitch * element;
    }
    CopyPart(convert, run, from, to, target);
    target += (to - from) * convert.target_bytes();
    at += to - from;
    from = 0;
    if (++tap == runs_in_row) {
      tap = 0;
      ++tap_row;
    }
  }
  if (rows.format == PixelFormat::kBFloat16 && count % 2 != 0) {
    std::memset(end, 0, sizeof(BFloat16));
  }
}

}  // namespace halftone
