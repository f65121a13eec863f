// Parts of a convolution with channels last. Each part is one oneDNN call, for an image or a band
// of output rows of an image.
//
// The parts depend on the problem and the machine, never on the number of threads of a run. As
// oneDNN may sum in another order for another height, this makes results independent of that
// number.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/conv/conv_call.h"

namespace halftone {

// Problem that one oneDNN primitive solves: the convolution of an image, or of a band of it.
struct ConvProblem {
  std::int64_t input_rows = 0;
  std::int64_t output_rows = 0;
  std::int64_t pad_top = 0;
  std::int64_t pad_bottom = 0;

  friend bool operator==(const ConvProblem&, const ConvProblem&) = default;
};

struct ConvPart {
  std::size_t problem = 0;        // index into ConvParts::problems
  std::int64_t input_pixel = 0;   // first pixel, counted through the batch
  std::int64_t output_pixel = 0;  // first pixel of the result, counted likewise
};

struct ConvParts {
  std::vector<ConvProblem> problems;  // all different
  std::vector<ConvPart> parts;
  double flops = 0;  // operations of one part; time spent on memory counts as operations
};

struct ConvCut {
  int threads = 1;                // the number of parts should be a multiple of this
  std::int64_t row_multiple = 1;  // bands begin at multiples of this row number
  // Approximate upper bound on the bytes of the result of a part; 0: none.
  std::int64_t part_bytes = 0;
};

// True if the call has one spatial axis and windows of several taps. Each pixel is then a row for
// the cut into parts. oneDNN gets all pixels of a part as one row, so that it keeps sums in
// registers.
bool IsColumn(const ConvCall& call);

// Cuts a call into parts. Requires padding narrower than the window, so that every window overlaps
// the image (LibraryConvRefusal() checks it).
ConvParts PartsOf(const ConvCall& call, const ConvCut& cut);

// Width of the padding behind the image along `axis` (1 or 2) that windows read.
std::int64_t UsedPadEnd(const ConvCall& call, std::size_t axis);

}  // namespace halftone
