// Benches of operators between quantised tensors, and of integer products with an epilogue: a
// residual operand and Relu, or a float32 result. Channels last, uint8.
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
  lookup.name += "_channels";
  lookup.attributes.Set("axis", std::int64_t{3});
  lookup.operands[1] = RandomBytes({image.channels, 256});
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

Tensor RandomFloats(const Shape& shape) {
  Tensor floats(DType::kFloat32, shape);
  Rng rng(2);
  for (float& value : floats.mutable_values<float>()) {
    value = static_cast<float>(rng.Uniform(-3, 3));
  }
  return floats;
}

// An image enlarged to twice its size, and so in float32.
void RegisterResize(const Image& image) {
  const Shape result{1, 2 * image.size, 2 * image.size, image.channels};
  const Tensor none(DType::kFloat32, Shape{0});
  const Tensor scales = Tensor::From<float>({4}, std::vector<float>{1, 2, 2, 1});
  KernelBench bytes =
      BytesToBytes(std::string("bytes_resize/") + image.name, OpKind::kQLinearResize, result);
  bytes.attributes.Set("mode", std::string("linear"));
  bytes.operands = {
      RandomBytes(image.shape()), Scale(0.02F), Zero(120), Scale(0.02F), Zero(120), none, scales};
  RegisterKernelBench(bytes);
  KernelBench floats{.name = std::string("floats_resize/") + image.name, .op = OpKind::kResize};
  floats.attributes = bytes.attributes;
  floats.operands = {RandomFloats(image.shape()), none, scales};
  floats.result = result;
  floats.operations = bytes.operations;
  RegisterKernelBench(floats);
}

// An image [1, size, size, channels] enlarged by transposed windows a stride of 2 apart, and so in
// float32, with channels first.
struct Transposed {
  const char* name;
  std::int64_t size, channels, results, kernel, pad;
};

constexpr Transposed kTransposed[] = {{"40_64_64_k2", 40, 64, 64, 2, 0},
                                      {"80_24_1_k2", 80, 24, 1, 2, 0},
                                      {"28_128_64_k4", 28, 128, 64, 4, 1}};

void RegisterTransposed(const Transposed& call) {
  const Shape weights{call.channels, call.results, call.kernel, call.kernel};
  const std::int64_t size = 2 * call.size;
  KernelBench bytes = QuantizedBench(
      std::string("bytes_conv_transpose/") + call.name, OpKind::kQLinearConvTranspose,
      {1, call.size, call.size, call.channels}, weights, call.results);
  bytes.layout.channels_last = true;
  bytes.attributes.Set("strides", std::vector<std::int64_t>(2, 2));
  bytes.attributes.Set("pads", std::vector<std::int64_t>(4, call.pad));
  bytes.result = Shape{1, size, size, call.results};
  bytes.operations = 2 * static_cast<double>(call.size * call.size * call.channels) *
                     static_cast<double>(call.results * call.kernel * call.kernel);
  RegisterKernelBench(bytes);
  KernelBench floats{.name = std::string("floats_conv_transpose/") + call.name,
                     .op = OpKind::kConvTranspose};
  floats.attributes = bytes.attributes;
  floats.operands = {RandomFloats({1, call.channels, call.size, call.size}), RandomFloats(weights)};
  floats.result = Shape{1, call.results, size, size};
  floats.operations = bytes.operations;
  RegisterKernelBench(floats);
}

// Where bytes meet floats.
void RegisterEdges(const Image& image) {
  KernelBench quantize = BytesToBytes(std::string("bytes_quantize/") + image.name,
                                      OpKind::kQuantizeLinear, image.shape());
  quantize.operands = {RandomFloats(image.shape()), Scale(0.02F), Zero(120)};
  RegisterKernelBench(quantize);
  KernelBench dequantize = BytesToBytes(std::string("bytes_dequantize/") + image.name,
                                        OpKind::kDequantizeLinear, image.shape());
  dequantize.result_dtype = DType::kFloat32;
  dequantize.operands = {RandomBytes(image.shape()), Scale(0.02F), Zero(120)};
  RegisterKernelBench(dequantize);
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
    RegisterResize(image);
    RegisterEdges(image);
  }
  for (const Transposed& call : kTransposed) {
    RegisterTransposed(call);
  }
  RegisterProducts();
}

}  // namespace halftone
