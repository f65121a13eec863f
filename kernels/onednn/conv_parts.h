// Parts of a convolution with channels last, one oneDNN call each: images, and bands of output
// rows.
//
// They depend on the problem and the machine, never on the number of threads, so that results do
// not either: oneDNN may sum in another order for another height.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/conv/conv_call.h"

namespace halftone {

// Problem that a oneDNN primitive solves: the convolution of one image, or of a band of it.
struct ConvProblem {
  std::int64_t input_rows = 0;
  std::int64_t output_rows = 0;
  std::int64_t pad_top = 0;
  std::int64_t pad_bottom = 0;

  friend bool operator==(const ConvProblem&, const ConvProblem&) = default;
};

struct ConvPart {
  std::size_t problem = 0;       // index into ConvParts::problems
  std::int64_t input_pixel = 0;  // first pixel, counted through the batch
  std::int64_t output_pixel = 0;
};

struct ConvParts {
  std::vector<ConvProblem> problems;  // all different
  std::vector<ConvPart> parts;
  double flops = 0;  // of one part; counts waiting for memory as work
};

struct ConvCut {
  int threads = 1;                // threads that the parts should divide between
  std::int64_t row_multiple = 1;  // bands begin at multiples of this
  std::int64_t part_bytes = 0;    // approximate most bytes of a part's result; 0: any
};

// Whether the call has one spatial axis and windows of several taps. Its pixels are the rows of the
// parts; oneDNN gets them as one row, for which it keeps sums in registers.
bool IsColumn(const ConvCall& call);

// Requires padding narrower than the window: every window meets the image (see
// LibraryConvRefusal()).
ConvParts PartsOf(const ConvCall& call, const ConvCut& cut);

// Padding behind the image that windows reach, along axis 1 or 2.
std::int64_t UsedPadEnd(const ConvCall& call, std::size_t axis);

}  // namespace halftone
