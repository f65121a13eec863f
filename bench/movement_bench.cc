// Operators that move, mark or scale elements, at the shapes of real networks: an operation is one
// element.
#include <limits>

#include "bench/benches.h"
#include "bench/kernel_bench.h"
#include "src/base/rng.h"

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

// The greatest 100 of the scores of a detector; an operation is one element.
void RegisterTopK(std::int64_t rows, std::int64_t length) {
  KernelBench bench{.name = "movement/top_k/" + std::to_string(rows) + "x" + std::to_string(length),
                    .op = OpKind::kTopK,
                    .inputs = {{rows, length}, {1}},
                    .constant = {false, true},
                    .result = {rows, 100},
                    .operations = static_cast<double>(rows * length)};
  bench.given[1] = Tensor::From<std::int64_t>({1}, Ints{100});
  RegisterKernelBench(bench);
}

// The class of each pixel, or the next word: each value comes often enough to be equal to others.
void RegisterArgMax(const std::string& name, const Shape& shape, std::int64_t axis) {
  KernelBench bench{.name = "movement/arg_max/" + name,
                    .op = OpKind::kArgMax,
                    .inputs = {shape},
                    .constant = {false},
                    .operations = static_cast<double>(shape.ElementCount())};
  Tensor x(DType::kFloat32, shape);
  for (std::int64_t i = 0; i < shape.ElementCount(); ++i) {
    x.mutable_values<float>()[static_cast<std::size_t>(i)] = static_cast<float>(i * 7919 % 65521);
  }
  bench.operands = {x};
  bench.result = shape;
  bench.result[static_cast<int>(axis)] = 1;
  bench.result_dtype = DType::kInt64;
  bench.attributes.Set("axis", axis);
  RegisterKernelBench(bench);
}

// A smooth flow that leaves the image at its corners; an operation is one tap of one element.
void RegisterGridSample(const std::string& mode, std::int64_t channels, std::int64_t size) {
  const std::int64_t points = size * size;
  const double taps = mode == "nearest" ? 1 : (mode == "linear" ? 4 : 16);
  KernelBench bench{.name = "movement/grid_sample/" + mode + "/1x" + std::to_string(channels) +
                            "x" + std::to_string(size) + "x" + std::to_string(size),
                    .op = OpKind::kGridSample,
                    .inputs = {{1, channels, size, size}, {1, size, size, 2}},
                    .constant = {false, false},
                    .operations = static_cast<double>(channels * points) * taps};
  Tensor grid(DType::kFloat32, {1, size, size, 2});
  for (std::int64_t i = 0; i < points; ++i) {
    const auto at = static_cast<std::size_t>(2 * i);
    const std::int64_t row = i / size;
    const double x = 2 * static_cast<double>(i % size) / static_cast<double>(size) - 1;
    const double y = 2 * static_cast<double>(row) / static_cast<double>(size) - 1;
    grid.mutable_values<float>()[at] = static_cast<float>(0.97 * x + 0.1 * y);
    grid.mutable_values<float>()[at + 1] = static_cast<float>(0.95 * y - 0.1 * x);
  }
  bench.given[1] = grid;
  bench.attributes.Set("mode", mode);
  RegisterKernelBench(bench);
}

// Every second pixel of every second row; an operation is one element of the result.
void RegisterSlice(const std::string& name, const Shape& shape) {
  const Shape result = {shape[0], shape[1], shape[2] / 2, shape[3] / 2};
  KernelBench bench{.name = "movement/slice/" + name,
                    .op = OpKind::kSlice,
                    .inputs = {shape, {2}, {2}, {2}, {2}},
                    .constant = {false, true, true, true, true},
                    .result = result,
                    .operations = static_cast<double>(result.ElementCount())};
  const Ints values[] = {{0, 0}, {shape[2], shape[3]}, {2, 3}, {2, 2}};
  for (std::size_t i = 0; i < 4; ++i) {
    bench.given[i + 1] = Tensor::From<std::int64_t>({2}, values[i]);
  }
  RegisterKernelBench(bench);
}

// Every second slice of a tensor written anew; an operation is one element that is written.
void RegisterScatter(std::int64_t slices, std::int64_t width) {
  const std::int64_t count = slices / 2;
  KernelBench bench{
      .name = "movement/scatter_nd/" + std::to_string(slices) + "x" + std::to_string(width),
      .op = OpKind::kScatterNd,
      .inputs = {{slices, width}, {count, 1}, {count, width}},
      .constant = {false, false, false},
      .operations = static_cast<double>(count * width)};
  Ints indices;
  for (std::int64_t i = 0; i < count; ++i) {
    indices.push_back(i * 7919 % count * 2);
  }
  bench.given[1] = Tensor::From<std::int64_t>({count, 1}, indices);
  RegisterKernelBench(bench);
}

// Conversions from float32; an operation is one element.
void RegisterToOther(OpKind op, const std::string& name, DType to) {
  const Shape shape{128, 3072};
  KernelBench bench{.name = "movement/" + name + "/128x3072",
                    .op = op,
                    .inputs = {shape},
                    .constant = {false},
                    .operations = static_cast<double>(shape.ElementCount())};
  Rng rng(8);
  Tensor x(DType::kFloat32, shape);
  for (float& value : x.mutable_values<float>()) {
    value = static_cast<float>(rng.Uniform(0, 255));
  }
  if (op != OpKind::kCast) {
    x.mutable_values<float>()[0] = op == OpKind::kIsNaN ? std::numeric_limits<float>::quiet_NaN()
                                                        : std::numeric_limits<float>::infinity();
  }
  bench.operands = {x};
  bench.result = shape;
  bench.result_dtype = to;
  if (op == OpKind::kCast) {
    bench.attributes.Set("to", std::int64_t{RowOf(to).onnx_type});
  }
  RegisterKernelBench(bench);
}

// Registered for float32 only: rounding to 16 bits makes other elements the greatest.
void RegisterHardmax(const Shape& shape) {
  KernelBench bench{.name = "movement/hardmax/512x1000",
                    .op = OpKind::kHardmax,
                    .inputs = {shape},
                    .constant = {false},
                    .operations = static_cast<double>(shape.ElementCount())};
  Rng rng(7);
  Tensor x(DType::kFloat32, shape);
  for (float& value : x.mutable_values<float>()) {
    value = static_cast<float>(rng.Uniform(-1, 1));
  }
  bench.operands = {x};
  bench.result = shape;
  RegisterKernelBench(bench);
}

// An element of each column, or of each row; an operation is one element of the result.
void RegisterElements(OpKind op, const std::string& name, std::int64_t axis) {
  const Shape shape{512, 256};
  KernelBench bench{.name = "movement/" + name,
                    .op = op,
                    .inputs = {shape, shape},
                    .constant = {false, false},
                    .operations = static_cast<double>(shape.ElementCount())};
  Ints indices;
  for (std::int64_t i = 0; i < shape.ElementCount(); ++i) {
    indices.push_back(i * 7919 % 65521 % shape[static_cast<int>(axis)]);
  }
  bench.given[1] = Tensor::From<std::int64_t>(shape, indices);
  if (op == OpKind::kScatterElements) {
    bench.inputs.push_back(shape);
    bench.constant.push_back(false);
  }
  bench.attributes.Set("axis", axis);
  RegisterKernelBench(bench);
}

}  // namespace

void RegisterMovementBenches() {
  RegisterHardmax({512, 1000});
  RegisterKernelBench({.name = "movement/lp_normalization/128x768",
                       .op = OpKind::kLpNormalization,
                       .inputs = {{128, 768}},
                       .constant = {false},
                       .operations = 128 * 768});
  RegisterKernelBench({.name = "movement/mean_variance/1x64x112x112",
                       .op = OpKind::kMeanVarianceNormalization,
                       .inputs = {{1, 64, 112, 112}},
                       .constant = {false},
                       .operations = 64.0 * 112 * 112});
  for (const std::int64_t axis : {0, 1}) {
    const std::string along = "/512x256/axis" + std::to_string(axis);
    RegisterElements(OpKind::kGatherElements, "gather_elements" + along, axis);
    RegisterElements(OpKind::kScatterElements, "scatter_elements" + along, axis);
  }
  RegisterTopK(1, 8400);
  RegisterTopK(80, 2704);
  RegisterArgMax("classes/1x21x257x257", {1, 21, 257, 257}, 1);
  RegisterArgMax("words/128x30522", {128, 30522}, 1);
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    RegisterGridSample(mode, 64, 96);
  }
  RegisterScatter(4096, 1);
  RegisterSlice("every_second/1x3x640x640", {1, 3, 640, 640});
  RegisterSlice("every_second/1x16x64x64", {1, 16, 64, 64});
  RegisterSlice("every_second/1x16x32x32", {1, 16, 32, 32});
  RegisterScatter(1024, 256);

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
  RegisterToOther(OpKind::kIsInf, "is_inf", DType::kBool);
  RegisterToOther(OpKind::kIsNaN, "is_nan", DType::kBool);
  for (const DType to : {DType::kUInt8, DType::kInt32, DType::kInt64}) {
    RegisterToOther(OpKind::kCast, "cast_to_" + std::string(ShortNameOf(to)), to);
  }
}

}  // namespace halftone
