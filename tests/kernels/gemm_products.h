// Products that the kernels of Gemm and MatMul are tested with, and the bound that they document.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {

inline constexpr DType kPrecisions[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

// n u / (1 - n u), u of float32.
double Gamma(double n);

struct Product {
  OpKind op = OpKind::kMatMul;
  Shape a;
  Shape b;
  std::vector<bool> constant = {false, true, true};
  std::optional<Shape> bias;
  Attributes attributes;
  Fusion fusion = {};
};

// Call of the product, with random operands in [-1, 1].
KernelCall ProductCallOf(const Product& product, DType dtype, DType result, Rng& rng);

// Every entry that takes the product, for each dtype, within its bound for sums over k.
void ExpectWithinBound(const Product& product, std::int64_t k);

}  // namespace halftone::testing
