// Matrix products with constant weights, as in fully connected layers, in float dtypes and int8;
// products of a few rows also with weights that come from memory (gemv_cold/).
#include "bench/benches.h"
#include "bench/kernel_bench.h"
#include "bench/quantized_bench.h"

namespace halftone {
namespace {

constexpr std::int64_t kRowsOfGemv = 16;  // so few that they wait for the weights

}  // namespace

void RegisterGemmBenches() {
  for (const ShapeLine& line : ReadShapes("gemm.txt", 3)) {
    const std::int64_t m = line.values[0];
    const std::int64_t n = line.values[1];
    const std::int64_t k = line.values[2];
    const double operations = 2.0 * static_cast<double>(m * n * k);
    KernelBench floats{.name = "gemm/" + line.name,
                       .op = OpKind::kMatMul,
                       .inputs = {Shape{m, k}, Shape{k, n}},
                       .constant = {false, true},
                       .operations = operations};
    KernelBench bytes = QuantizedBench(floats.name, OpKind::kQLinearMatMul, {m, k}, {k, n}, n);
    bytes.result = Shape{m, n};
    bytes.operations = operations;
    RegisterKernelBench(floats);
    RegisterKernelBench(bytes);
    RegisterKernelBench(DynamicBench(floats.name, m, n, k));
    if (m <= kRowsOfGemv) {
      for (KernelBench* bench : {&floats, &bytes}) {
        bench->name = "gemv_cold/" + line.name;
        bench->cold = true;
        RegisterKernelBench(*bench);
      }
    }
  }
}

}  // namespace halftone
