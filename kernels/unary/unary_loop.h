// Interface between the vector loops and the rest of the unary family.
#pragma once

#include <cstdint>

#include "kernels/unary/unary_run.h"
#include "src/ir/dtype.h"
#include "src/ir/impl_mode.h"
#include "src/ir/op_kind.h"

namespace halftone {

// f(x) in double.
using UnaryFormula = double (*)(double x, const UnaryParams& params);

struct UnaryLoopKey {
  OpKind op = OpKind::kRelu;
  ImplMode impl_mode = ImplMode::kDefault;
  bool tanh_form = false;  // Gelu with approximate="tanh"
};

struct UnaryLoopChoice {
  UnaryLoop loop = nullptr;  // null: there is none
  std::int64_t grain = 0;    // elements that take 25 us, for ParallelFor()
};

// The loop of the best instruction set of this CPU, for float32, float16 and bfloat16.
UnaryLoopChoice FindUnaryLoop(const UnaryLoopKey& key, DType dtype);

}  // namespace halftone
