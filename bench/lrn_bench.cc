// Local response normalisation as in AlexNet and the first Inception, channels first (lrn/) and
// channels last (lrn_last/). An operation is one summed square.
#include "bench/benches.h"
#include "bench/kernel_bench.h"
#include "src/ir/layout.h"

namespace halftone {

void RegisterLrnBenches() {
  constexpr std::int64_t kWindow = 5;
  for (const Shape& shape : {Shape{1, 96, 54, 54}, Shape{1, 256, 26, 26}, Shape{1, 192, 56, 56}}) {
    KernelBench bench{.name = "lrn/" + std::to_string(shape[1]),
                      .op = OpKind::kLrn,
                      .inputs = {shape},
                      .constant = {false},
                      .operations = static_cast<double>(kWindow * shape.ElementCount())};
    bench.attributes.Set("size", kWindow);
    RegisterKernelBench(bench);
    bench.name = "lrn_last/" + std::to_string(shape[1]);
    bench.layout.channels_last = true;
    bench.inputs = {ChannelsLastOf(shape)};
    RegisterKernelBench(bench);
  }
}

}  // namespace halftone
