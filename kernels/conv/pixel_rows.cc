#include "kernels/conv/pixel_rows.h"

#include <algorithm>
#include <cstring>

#include "kernels/tile/half_rows.h"

namespace halftone {
namespace {

// Converts pixels to rows that begin `pitch` bytes apart.
struct Converter {
  DType from;
  DType to;
  std::int64_t pitch;

  [[nodiscard]] std::int64_t target_bytes() const { return static_cast<std::int64_t>(SizeOf(to)); }

  void Copy(const std::byte* source, std::int64_t source_pitch, std::int64_t rows,
            std::int64_t count, std::byte* target) const {
    const RowBlock block{.from = from,
                         .source = source,
                         .source_pitch = source_pitch,
                         .target = target,
                         .target_pitch = pitch,
                         .rows = rows,
                         .count = count};
    to == DType::kFloat32 ? WidenRows(block) : NarrowRowsTo(to, block);
  }

  void Pad(std::int64_t rows, std::int64_t count, std::byte* target) const {
    for (std::int64_t row = 0; row < rows && count > 0; ++row) {
      std::memset(target + row * pitch, 0, static_cast<std::size_t>(count * target_bytes()));
    }
  }
};

// Output pixels [first, last) of one output row; those of [inside, outside) read no padding to the
// left or to the right.
struct Segment {
  std::int64_t image;
  std::int64_t row;
  std::int64_t first, last;
  std::int64_t inside, outside;
};

Segment SegmentAt(const ConvCall& call, std::int64_t image, std::int64_t row, std::int64_t first,
                  std::int64_t last) {
  const std::int64_t stride = call.stride[2];
  const std::int64_t end = call.input[2] - (call.kernel[2] - 1) * call.dilation[2] + call.pad[2];
  Segment segment{.image = image, .row = row, .first = first, .last = last};
  segment.inside = first;
  while (segment.inside < last && segment.inside * stride < call.pad[2]) {
    ++segment.inside;
  }
  segment.outside = last;
  while (segment.outside > segment.inside && (segment.outside - 1) * stride >= end) {
    --segment.outside;
  }
  return segment;
}

// Taps that lie behind each other in the input, of which padding may be the first and the last:
// elements [from, to) of those from tap `tap` of row `y` of the image on.
struct TapRun {
  std::int64_t y;
  std::int64_t tap;
  std::int64_t taps;
  std::int64_t from, to;
};

// The run of one output pixel that may read padding.
void CopyEdge(const PixelRows& rows, const Converter& convert, const TapRun& run,
              std::int64_t image, std::int64_t pixel, std::byte* target) {
  const ConvCall& call = *rows.call;
  const std::int64_t channels = call.in_channels;
  const std::int64_t x = pixel * call.stride[2] - call.pad[2] + run.tap * call.dilation[2];
  const std::int64_t left = std::clamp<std::int64_t>(-x, 0, run.taps);
  const std::int64_t right = std::clamp<std::int64_t>(call.input[2] - x, left, run.taps);
  const std::int64_t begin = std::clamp(left * channels, run.from, run.to);
  const std::int64_t end = std::clamp(right * channels, begin, run.to);
  convert.Pad(1, begin - run.from, target);
  if (end > begin) {
    const std::int64_t first = (image * call.input[1] + run.y) * call.input[2] + x + left;
    const std::int64_t at = first * call.group * channels + begin - left * channels;
    convert.Copy(rows.x + at * static_cast<std::int64_t>(SizeOf(call.dtype)), 0, 1, end - begin,
                 target + (begin - run.from) * convert.target_bytes());
  }
  convert.Pad(1, run.to - end, target + (end - run.from) * convert.target_bytes());
}

// The run of all pixels of the segment.
void CopyRun(const PixelRows& rows, const Converter& convert, const TapRun& run,
             const Segment& segment, std::byte* target) {
  const ConvCall& call = *rows.call;
  if (run.y < 0 || run.y >= call.input[1]) {
    return convert.Pad(segment.last - segment.first, run.to - run.from, target);
  }
  const auto row_of = [&](std::int64_t pixel) {
    return target + (pixel - segment.first) * convert.pitch;
  };
  for (std::int64_t pixel = segment.first; pixel < segment.inside; ++pixel) {
    CopyEdge(rows, convert, run, segment.image, pixel, row_of(pixel));
  }
  if (segment.outside > segment.inside) {
    const auto element = static_cast<std::int64_t>(SizeOf(call.dtype));
    const std::int64_t pixel_bytes = call.group * call.in_channels * element;
    const std::int64_t x =
        segment.inside * call.stride[2] - call.pad[2] + run.tap * call.dilation[2];
    const std::int64_t first = (segment.image * call.input[1] + run.y) * call.input[2] + x;
    convert.Copy(rows.x + first * pixel_bytes + run.from * element, call.stride[2] * pixel_bytes,
                 segment.outside - segment.inside, run.to - run.from, row_of(segment.inside));
  }
  for (std::int64_t pixel = segment.outside; pixel < segment.last; ++pixel) {
    CopyEdge(rows, convert, run, segment.image, pixel, row_of(pixel));
  }
}

void GatherSegment(const PixelRows& rows, const Converter& convert, const PixelPart& part,
                   const Segment& segment, std::byte* target) {
  const ConvCall& call = *rows.call;
  const std::int64_t row0 = segment.row * call.stride[1] - call.pad[1];
  // Taps of a row are one run where nothing lies between them.
  const bool row_run = call.group == 1 && call.dilation[2] == 1;
  const std::int64_t taps = row_run ? call.kernel[2] : 1;
  const std::int64_t length = taps * call.in_channels;
  const std::int64_t runs_in_row = row_run ? 1 : call.kernel[2];
  const std::int64_t index = part.first / length;
  std::int64_t from = part.first % length;
  std::int64_t tap = index % runs_in_row;
  std::int64_t y = row0 + index / runs_in_row * call.dilation[1];
  for (std::int64_t done = 0; done < part.count;) {
    const std::int64_t to = std::min(length, from + part.count - done);
    CopyRun(rows, convert, {.y = y, .tap = tap, .taps = taps, .from = from, .to = to}, segment,
            target + done * convert.target_bytes());
    done += to - from;
    from = 0;
    if (++tap == runs_in_row) {
      tap = 0;
      y += call.dilation[1];
    }
  }
  if (rows.to != DType::kFloat32 && part.count % 2 != 0) {
    convert.Pad(segment.last - segment.first, 1, target + part.count * convert.target_bytes());
  }
}

}  // namespace

void GatherPixelRows(const PixelRows& rows, const PixelPart& part, std::byte* target,
                     std::int64_t pitch) noexcept {
  if (part.count == 0) {  // of a window without channels
    return;
  }
  const ConvCall& call = *rows.call;
  const Converter convert{call.dtype, rows.to, pitch};
  std::int64_t image = part.pixel / call.OutputPixels();
  const std::int64_t in_image = part.pixel % call.OutputPixels();
  std::int64_t row = in_image / call.output[2];
  std::int64_t column = in_image % call.output[2];
  for (std::int64_t done = 0; done < part.pixels;) {
    const std::int64_t count = std::min(part.pixels - done, call.output[2] - column);
    GatherSegment(rows, convert, part, SegmentAt(call, image, row, column, column + count),
                  target + done * pitch);
    done += count;
    column = 0;
    if (++row == call.output[1]) {
      row = 0;
      ++image;
    }
  }
}

}  // namespace halftone
