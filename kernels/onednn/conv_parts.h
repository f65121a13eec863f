// How a convolution with channels last is cut into library calls: images, and bands of output rows.
//
// The cut depends on the problem and the machine, never on the number of threads that run it, so
// that results do not either: the library may sum in another order for another height.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/conv/conv_call.h"

namespace halftone {

// What the library is asked for: a convolution of one image, or of a band of it.
struct ConvProblem {
  std::int64_t input_rows = 0;
  std::int64_t output_rows = 0;
  std::int64_t pad_top = 0;
  std::int64_t pad_bottom = 0;

  friend bool operator==(const ConvProblem&, const ConvProblem&) = default;
};

struct ConvPart {
  std::size_t problem = 0;       // an index
  std::int64_t input_pixel = 0;  // the first, counted through the batch
  std::int64_t output_pixel = 0;
};

struct ConvParts {
  std::vector<ConvProblem> problems;  // all different
  std::vector<ConvPart> parts;
  double flops = 0;  // of one part, or what waiting for memory is worth
};

struct ConvCut {
  int threads = 1;                // what the parts should divide between
  std::int64_t row_multiple = 1;  // bands begin at multiples of this
  std::int64_t part_bytes = 0;    // of the result, at most about; 0: any
};

// One spatial axis, and windows of several taps. Its pixels are the rows of the cut; the library
// sees them as one row, which is where it keeps sums in registers.
bool IsColumn(const ConvCall& call);

// No padding as wide as the window: every window meets the image (see LibraryConvRefusal()).
ConvParts PartsOf(const ConvCall& call, const ConvCut& cut);

// Padding behind the image that the windows really use, along axis 1 or 2.
std::int64_t UsedPadEnd(const ConvCall& call, std::size_t axis);

}  // namespace halftone
