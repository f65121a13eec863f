// Loop of a unary operator. This header includes no other header of halftone, because files
// compiled for other CPUs include it.
#pragma once

#include <cstdint>

namespace halftone {

// Numbers that an operator takes from attributes or scalar operands; UnaryParamsOf() gives their
// meaning.
struct UnaryParams {
  float a = 0;
  float b = 0;
};

// y[i] = f(x[i]) for contiguous elements of one dtype; y may be x.
using UnaryLoop = void (*)(const void* x, void* y, std::int64_t count, const UnaryParams& params);

}  // namespace halftone
