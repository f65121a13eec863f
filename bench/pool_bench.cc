// Pooling: an operation is one element under one window.
#include "bench/benches.h"
#include "bench/kernel_bench.h"

namespace halftone {
namespace {

// Channels first, or last: "pool_last/...".
void RegisterWindow(const ShapeLine& line, OpKind op, const std::string& kind, bool last) {
  using Ints = std::vector<std::int64_t>;
  const std::int64_t size = line.values[0];
  const std::int64_t kernel = line.values[2];
  const std::int64_t result = (size + kernel / 2 * 2 - kernel) / line.values[3] + 1;
  KernelBench bench{
      .name = (last ? "pool_last/" : "pool/") + line.name + kind,
      .op = op,
      .inputs = {last ? Shape{1, size, size, line.values[1]}
                      : Shape{1, line.values[1], size, size}},
      .constant = {false},
      .operations = static_cast<double>(line.values[1] * result * result * kernel * kernel)};
  if (last) {
    bench.layout.channels_last = true;
    bench.result = Shape{1, result, result, line.values[1]};
  }
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
      for (const bool last : {false, true}) {
        RegisterWindow(line, OpKind::kMaxPool, "/max", last);
        RegisterWindow(line, OpKind::kAveragePool, "/average", last);
      }
    }
  }
}

}  // namespace halftone
