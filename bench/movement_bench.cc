// Transpose, DepthToSpace and Cast at the shapes of real networks: an operation is one element.
#include "bench/benches.h"
#include "bench/kernel_bench.h"

namespace halftone {
namespace {

using Ints = std::vector<std::int64_t>;

void RegisterTranspose(const std::string& name, const Shape& shape, const Ints& perm) {
  KernelBench bench{.name = "movement/transpose/" + name,
                    .op = OpKind::kTranspose,
                    .inputs = {shape},
                    .constant = {false},
                    .operations = static_cast<double>(shape.ElementCount())};
  bench.attributes.Set("perm", perm);
  RegisterKernelBench(bench);
}

}  // namespace

void RegisterMovementBenches() {
  RegisterTranspose("nchw_to_nhwc/1x64x56x56", {1, 64, 56, 56}, {0, 2, 3, 1});
  RegisterTranspose("nhwc_to_nchw/1x56x56x64", {1, 56, 56, 64}, {0, 3, 1, 2});
  RegisterTranspose("nchw_to_nhwc/1x3x224x224", {1, 3, 224, 224}, {0, 2, 3, 1});
  RegisterTranspose("heads/1x128x12x64", {1, 128, 12, 64}, {0, 2, 1, 3});
  RegisterTranspose("keys/1x128x12x64", {1, 128, 12, 64}, {0, 2, 3, 1});

  const Shape depth{1, 36, 224, 224};
  KernelBench blocks{.name = "movement/depth_to_space/1x36x224x224",
                     .op = OpKind::kDepthToSpace,
                     .inputs = {depth},
                     .constant = {false},
                     .operations = static_cast<double>(depth.ElementCount())};
  blocks.attributes.Set("blocksize", std::int64_t{3});
  RegisterKernelBench(blocks);

  const Shape activations{1, 64, 56, 56};
  // Not to float32: a benchmark needs an entry for float32 operands that is no reference.
  for (const DType to : {DType::kFloat16, DType::kBFloat16}) {
    KernelBench cast{.name = "movement/cast_to_" + std::string(ShortNameOf(to)) + "/1x64x56x56",
                     .op = OpKind::kCast,
                     .inputs = {activations},
                     .constant = {false},
                     .operations = static_cast<double>(activations.ElementCount())};
    cast.attributes.Set("to", std::int64_t{RowOf(to).onnx_type});
    RegisterKernelBench(cast);
  }
}

}  // namespace halftone
