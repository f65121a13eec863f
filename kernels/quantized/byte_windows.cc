#include "kernels/quantized/byte_windows.h"

#include <algorithm>
#include <cstring>

#include "kernels/parallel.h"

namespace halftone {
namespace {

// Largest number of bytes that a short copy reads and writes beyond its end. The tile's buffer has
// room for them behind its last row, and the next row overwrites them.
constexpr std::int64_t kPiece = 16;
constexpr std::int64_t kShort = 128;

// Runs of few bytes are most of what windows with few channels are made of: no call for them.
void CopyRun(const std::uint8_t* from, std::int64_t count, std::uint8_t* to) {
  if (count >= kShort) {
    std::memcpy(to, from, static_cast<std::size_t>(count));
    return;
  }
  for (std::int64_t i = 0; i < count; i += kPiece) {
    std::memcpy(to + i, from + i, kPiece);
  }
}

std::int64_t ReachOf(const ConvCall& call, std::size_t axis) {
  return call.output[axis] == 0 ? 0
                                : (call.output[axis] - 1) * call.stride[axis] +
                                      (call.kernel[axis] - 1) * call.dilation[axis] + 1;
}

// Row `row` of the padded images, counted over all of them.
void CopyPaddedRow(const ConvCall& call, const PaddedImage& image, const PaddedCopy& copy,
                   std::int64_t row, std::uint8_t* to) {
  const std::int64_t y = row % image.rows - call.pad[1];
  const bool inside = y >= 0 && y < call.input[1];
  const std::int64_t left = inside ? std::min(call.pad[2], image.columns) : image.columns;
  const std::int64_t right = inside ? std::min(left + call.input[2], image.columns) : left;
  std::memset(to, copy.padding, static_cast<std::size_t>(left * image.pitch));
  const std::uint8_t* from =
      inside ? copy.x + (row / image.rows * call.input[1] + y) * call.input[2] * image.pitch
             : nullptr;
  for (std::int64_t i = 0; i < (right - left) * image.pitch; ++i) {
    to[left * image.pitch + i] = static_cast<std::uint8_t>(from[i] ^ copy.flip);
  }
  std::memset(to + right * image.pitch, copy.padding,
              static_cast<std::size_t>((image.columns - right) * image.pitch));
}

}  // namespace

PaddedImage::PaddedImage(const ConvCall& call)
    : rows(ReachOf(call, 1)), columns(ReachOf(call, 2)), pitch(call.group * call.in_channels) {}

std::int64_t PaddedImage::size_bytes(std::int64_t batch) const {
  return batch * rows * columns * pitch + kPiece;
}

void CopyPadded(const ConvCall& call, const PaddedCopy& copy, std::uint8_t* target) noexcept {
  const PaddedImage image(call);
  const std::int64_t row_bytes = image.columns * image.pitch;
  // About 10 bytes a nanosecond.
  const std::int64_t grain = 120'000 / std::max<std::int64_t>(row_bytes, 1) + 1;
  ParallelFor(call.batch * image.rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      CopyPaddedRow(call, image, copy, row, target + row * row_bytes);
    }
  });
}

ByteRowsView RowsOfWindows(const ByteRowsQuery& query) noexcept {
  const auto& windows = *static_cast<const ByteWindows*>(query.source);
  const ConvCall& call = *windows.call;
  const PaddedImage& image = windows.image;
  // Taps of a row are one run where nothing lies between them.
  const bool row_run = call.group == 1 && call.dilation[2] == 1;
  const std::int64_t length = (row_run ? call.kernel[2] : 1) * call.in_channels;
  const std::int64_t runs_in_row = row_run ? 1 : call.kernel[2];
  if (length == 0) {  // windows without channels
    return {query.buffer, query.stride};
  }
  const std::int64_t first_run = query.first / length;
  const std::int64_t first_from = query.first % length;
  std::int64_t number = query.row / call.OutputPixels();
  std::int64_t row = query.row % call.OutputPixels() / call.output[2];
  std::int64_t column = query.row % call.output[2];
  for (int i = 0; i < query.rows; ++i) {
    const std::uint8_t* corner =
        windows.x +
        ((number * image.rows + row * call.stride[1]) * image.columns + column * call.stride[2]) *
            image.pitch;
    std::uint8_t* to = query.buffer + i * query.stride;
    std::uint8_t* const end = to + query.count;
    std::int64_t tap_row = first_run / runs_in_row;
    std::int64_t tap = first_run % runs_in_row;
    for (std::int64_t from = first_from; to < end; from = 0) {
      const std::int64_t count = std::min(length - from, end - to);
      const std::int64_t at = tap_row * call.dilation[1] * image.columns + tap * call.dilation[2];
      CopyRun(corner + at * image.pitch + from, count, to);
      to += count;
      if (++tap == runs_in_row) {
        tap = 0;
        ++tap_row;
      }
    }
    if (++column == call.output[2]) {
      column = 0;
      if (++row == call.output[1]) {
        row = 0;
        ++number;
      }
    }
  }
  return {query.buffer, query.stride};
}

ByteRowsView RowsInPlace(const ByteRowsQuery& query) noexcept {
  const auto& windows = *static_cast<const ByteWindows*>(query.source);
  const std::int64_t pitch = windows.image.pitch;
  // Rows a multiple of 2 KiB apart fall into two sets of the L1. Such rows are long, so that
  // copying them reads nothing beyond.
  if (query.rows > 4 && pitch % 2048 == 0) {
    return RowsOfWindows(query);
  }
  return {windows.x + query.row * pitch + query.first, pitch};
}

}  // namespace halftone
