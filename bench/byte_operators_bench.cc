// Operators between quantised tensors, and integer products with an epilogue: a residual operand
// and Relu, or a float32 result. Channels last, uint8.
#include "bench/benches.h"
#include "bench/kernel_bench.h"
#include "bench/quantized_bench.h"
#include "src/base/rng.h"
#include "src/ir/layout.h"

namespace halftone {
namespace {

Tensor Scale(float value) {
  return Tensor::From<float>({}, std::vector<float>{value});
}

Tensor Zero(std::uint8_t value) {
  return Tensor::From<std::uint8_t>({}, std::vector<std::uint8_t>{value});
}

Tensor RandomBytes(const Shape& shape) {
  Rng rng(1);
  Tensor tensor(DType::kUInt8, shape);
  for (std::uint8_t& value : tensor.mutable_values<std::uint8_t>()) {
    value = static_cast<std::uint8_t>(rng.Below(256));
  }
  return tensor;
}

// An image [1, size, size, channels] between residual blocks.
struct Image {
  const char* name;
  std::int64_t size, channels;

  [[nodiscard]] Shape shape() const { return {1, size, size, channels}; }
};

constexpr Image kImages[] = {{"56_256", 56, 256}, {"28_128", 28, 128}, {"7_512", 7, 512}};

KernelBench BytesToBytes(std::string name, OpKind op, const Shape& result) {
  KernelBench bench{.name = std::move(name), .op = op};
  bench.layout.channels_last = true;
  bench.result = result;
  bench.result_dtype = DType::kUInt8;
  bench.operations = static_cast<double>(result.ElementCount());
  return bench;
}

void RegisterPairs(const Image& image) {
  for (const bool channels : {false, true}) {
    const Shape b = channels ? Shape{image.channels} : image.shape();
    for (const OpKind op : {OpKind::kQLinearAdd, OpKind::kQLinearMul}) {
      KernelBench bench =
          BytesToBytes(std::string(op == OpKind::kQLinearAdd ? "bytes_add/" : "bytes_mul/") +
                           image.name + (channels ? "_channels" : ""),
                       op, image.shape());
      bench.operands = {RandomBytes(image.shape()),
                        Scale(0.02F),
                        Zero(120),
                        RandomBytes(b),
                        Scale(0.03F),
                        Zero(130),
                        Scale(0.04F),
                        Zero(128)};
      RegisterKernelBench(bench);
    }
  }
}

void RegisterOthers(const Image& image) {
  KernelBench lookup = BytesToBytes(std::string("bytes_lookup/") + image.name,
                                    OpKind::kQLinearLookup, image.shape());
  lookup.operands = {RandomBytes(image.shape()), RandomBytes({256})};
  RegisterKernelBench(lookup);
  KernelBench concat =
      BytesToBytes(std::string("bytes_concat/") + image.name, OpKind::kQLinearConcat,
                   {1, image.size, image.size, 2 * image.channels});
  concat.attributes.Set("axis", std::int64_t{3});
  concat.operands = {Scale(0.02F), Zero(120), RandomBytes(image.shape()),
                     Scale(0.02F), Zero(120), RandomBytes(image.shape()),
                     Scale(0.03F), Zero(130)};
  RegisterKernelBench(concat);
  KernelBench global = BytesToBytes(std::string("bytes_global_average/") + image.name,
                                    OpKind::kQLinearGlobalAveragePool, {1, 1, 1, image.channels});
  global.operations = static_cast<double>(image.shape().ElementCount());
  global.operands = {RandomBytes(image.shape()), Scale(0.02F), Zero(120), Scale(0.01F), Zero(128)};
  RegisterKernelBench(global);
  const std::int64_t half = (image.size - 1) / 2 + 1;
  KernelBench window = BytesToBytes(std::string("bytes_max/") + image.name, OpKind::kMaxPool,
                                    {1, half, half, image.channels});
  window.attributes.Set("kernel_shape", std::vector<std::int64_t>(2, 3));
  window.attributes.Set("strides", std::vector<std::int64_t>(2, 2));
  window.attributes.Set("pads", std::vector<std::int64_t>(4, 1));
  window.operations = 9 * static_cast<double>(window.result.ElementCount());
  window.operands = {RandomBytes(image.shape())};
  RegisterKernelBench(window);
  window.name = std::string("bytes_average/") + image.name;
  window.op = OpKind::kQLinearAveragePool;
  window.operands = global.operands;
  RegisterKernelBench(window);
}

// The convolutions and products of bench/shapes with the epilogues of int8 plans.
void RegisterEpilogues(KernelBench bench) {
  const std::string name = bench.name;
  const Shape result = bench.result;
  bench.name = name + "_relu";
  bench.fusion.activation = StepActivation{.op = OpKind::kRelu};
  RegisterKernelBench(bench);
  bench.name = name + "_residual_relu";
  bench.fusion.residual = ResidualPlace::kBefore;
  const std::int64_t columns = bench.operands[4].ElementCount();
  bench.operands.emplace_back(DType::kInt32, Shape{columns});
  bench.operands.push_back(RandomBytes(result));
  bench.operands.push_back(Scale(0.02F));
  bench.operands.push_back(Zero(120));
  RegisterKernelBench(bench);
}

void RegisterProducts() {
  for (const ShapeLine& line : ReadShapes("gemm.txt", 3)) {
    const std::int64_t m = line.values[0];
    const std::int64_t n = line.values[1];
    const std::int64_t k = line.values[2];
    KernelBench bench =
        QuantizedBench("bytes_gemm/" + line.name, OpKind::kQLinearMatMul, {m, k}, {k, n}, n);
    bench.result = Shape{m, n};
    bench.operations = 2.0 * static_cast<double>(m * n * k);
    RegisterEpilogues(bench);
  }
}

}  // namespace

void RegisterByteOperatorBenches() {
  for (const Image& image : kImages) {
    RegisterPairs(image);
    RegisterOthers(image);
  }
  RegisterProducts();
}

}  // namespace halftone
