// Benches of the convolutions of real networks with constant weights, channels first (conv/) and
// channels last (conv_last/).
#include "bench/benches.h"
#include "bench/kernel_bench.h"
#include "bench/quantized_bench.h"
#include "src/ir/layout.h"

namespace halftone {

void RegisterConvBenches() {
  using Ints = std::vector<std::int64_t>;
  for (const ShapeLine& line : ReadShapes("conv.txt", 6)) {
    const std::int64_t size = line.values[0];
    const std::int64_t in = line.values[1];
    const std::int64_t out = line.values[2];
    const std::int64_t kernel = line.values[3];
    const std::int64_t stride = line.values[4];
    const std::int64_t group = line.values[5];
    const std::int64_t result = (size + kernel / 2 * 2 - kernel) / stride + 1;
    const std::int64_t taps = in / group * kernel * kernel;
    KernelBench bench{.name = "conv/" + line.name,
                      .op = OpKind::kConv,
                      .inputs = {Shape{1, in, size, size}, Shape{out, in / group, kernel, kernel}},
                      .constant = {false, true},
                      .operations = 2.0 * static_cast<double>(result * result * out * taps)};
    bench.attributes.Set("pads", Ints(4, kernel / 2));
    bench.attributes.Set("strides", Ints(2, stride));
    bench.attributes.Set("group", group);
    RegisterKernelBench(bench);
    bench.name = "conv_last/" + line.name;
    bench.layout.channels_last = true;
    bench.inputs[0] = ChannelsLastOf(bench.inputs[0]);
    bench.result = ChannelsLastOf(Shape{1, out, result, result});
    RegisterKernelBench(bench);
    KernelBench bytes =
        QuantizedBench(bench.name, OpKind::kQLinearConv, bench.inputs[0], bench.inputs[1], out);
    bytes.attributes = bench.attributes;
    bytes.layout = bench.layout;
    bytes.result = bench.result;
    bytes.operations = bench.operations;
    RegisterKernelBench(bytes);
  }
}

}  // namespace halftone
