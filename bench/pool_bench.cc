// Pooling: an operation is one element under one window.
#include "bench/benches.h"
#include "bench/kernel_bench.h"

namespace halftone {
namespace {

void RegisterWindow(const ShapeLine& line, OpKind op, const std::string& kind) {
  using Ints = std::vector<std::int64_t>;
  const std::int64_t size = line.values[0];
  const std::int64_t kernel = line.values[2];
  const std::int64_t result = (size + kernel / 2 * 2 - kernel) / line.values[3] + 1;
  KernelBench bench{
      .name = "pool/" + line.name + kind,
      .op = op,
      .inputs = {Shape{1, line.values[1], size, size}},
      .constant = {false},
      .operations = static_cast<double>(line.values[1] * result * result * kernel * kernel)};
  bench.attributes.Set("kernel_shape", Ints(2, kernel));
  bench.attributes.Set("pads", Ints(4, kernel / 2));
  bench.attributes.Set("strides", Ints(2, line.values[3]));
  RegisterKernelBench(bench);
}

void RegisterGlobal(const ShapeLine& line, OpKind op, const std::string& kind) {
  const Shape shape{1, line.values[1], line.values[0], line.values[0]};
  RegisterKernelBench({.name = "pool/" + line.name + kind,
                       .op = op,
                       .inputs = {shape},
                       .constant = {false},
                       .operations = static_cast<double>(shape.ElementCount())});
}

}  // namespace

void RegisterPoolBenches() {
  for (const ShapeLine& line : ReadShapes("pool.txt", 4)) {
    if (line.values[2] == 0) {
      RegisterGlobal(line, OpKind::kGlobalMaxPool, "/max");
      RegisterGlobal(line, OpKind::kGlobalAveragePool, "/average");
    } else {
      RegisterWindow(line, OpKind::kMaxPool, "/max");
      RegisterWindow(line, OpKind::kAveragePool, "/average");
    }
  }
}

}  // namespace halftone
