// Convolutions that the kernels are tested with: windows of every kind on 1 to 3 spatial axes.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {

struct ConvCase {
  const char* name;
  Shape x;
  Shape w;
  Ints strides = {};
  Ints pads = {};
  Ints dilations = {};
  std::int64_t group = 1;
  std::string auto_pad = {};
  bool bias = true;
  std::string activation = {};
  bool constant_weights = true;
};

inline void PrintTo(const ConvCase& c, std::ostream* out) {
  *out << c.name;
}

std::span<const ConvCase> AllConvCases();

// Call of the case, with random operands in [-1, 1].
KernelCall ConvCallOf(const ConvCase& c, DType dtype, DType result, Rng& rng);

// Bounds that kernels/onednn/conv.h and kernels/conv/winograd.h document, for |x| <= 1, by channels
// of the result, which are last. `added`: how many values of at most 1 are added, bias and
// residual.
ElementBound WinogradBound(const KernelEntry& entry, const KernelCall& call, int added);

}  // namespace halftone::testing
