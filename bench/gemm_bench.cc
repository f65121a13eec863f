// Matrix products with constant weights, as in fully connected layers.
#include "bench/benches.h"
#include "bench/kernel_bench.h"

namespace halftone {

void RegisterGemmBenches() {
  for (const ShapeLine& line : ReadShapes("gemm.txt", 3)) {
    const std::int64_t m = line.values[0];
    const std::int64_t n = line.values[1];
    const std::int64_t k = line.values[2];
    RegisterKernelBench({.name = "gemm/" + line.name,
                         .op = OpKind::kMatMul,
                         .inputs = {Shape{m, k}, Shape{k, n}},
                         .constant = {false, true},
                         .operations = 2.0 * static_cast<double>(m * n * k)});
  }
}

}  // namespace halftone
