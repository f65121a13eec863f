// Parts of a convolution with channels last, one oneDNN call each: images, and bands of output
// rows.
//
// They depend on the problem and the machine, never on the number of threads. oneDNN may sum in
// another order for another height, so this keeps results independent of the number of threads.
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
  double flops = 0;  // operations of one part; waiting for memory counts as operations
};

struct ConvCut {
  int threads = 1;                // the number of parts should be a multiple of this
  std::int64_t row_multiple = 1;  // bands begin at multiples of this
  std::int64_t part_bytes = 0;  // approximate upper bound on the bytes of a part's result; 0: none
};

// True if the call has one spatial axis and windows of several taps. Its pixels are the rows of the
// parts; oneDNN gets them as one row, so that it keeps sums in registers.
bool IsColumn(const ConvCall& call);

// Requires padding narrower than the window, so that every window overlaps the image
// (LibraryConvRefusal() checks it).
ConvParts PartsOf(const ConvCall& call, const ConvCut& cut);

// Padding behind the image, along axis 1 or 2, that some window reads.
std::int64_t UsedPadEnd(const ConvCall& call, std::size_t axis);

}  // namespace halftone
