#include "bench/quantized_bench.h"

#include <cmath>

#include "src/base/rng.h"

namespace halftone {
namespace {

template <typename T>
Tensor Bytes(const Shape& shape, Rng& rng) {
  Tensor tensor(ElementTraits<T>::kDType, shape);
  for (T& value : tensor.mutable_values<T>()) {
    value = static_cast<T>(rng.Below(256));
  }
  return tensor;
}

template <typename T>
Tensor Scalar(T value) {
  return Tensor::From<T>({}, std::vector<T>{value});
}

}  // namespace

KernelBench QuantizedBench(std::string name, OpKind op, const Shape& a, const Shape& b,
                           std::int64_t columns) {
  Rng rng(1);
  KernelBench bench{.name = std::move(name), .op = op};
  const std::int64_t rows = b.ElementCount() / columns;
  const auto k = static_cast<float>(rows);
  const std::vector<float> scales(static_cast<std::size_t>(columns), 0.01F);
  bench.operands = {Bytes<std::uint8_t>(a, rng),
                    Scalar(0.02F),
                    Scalar<std::uint8_t>(120),
                    Bytes<std::int8_t>(b, rng),
                    Tensor::From<float>({columns}, scales),
                    Tensor(DType::kInt8, Shape{}),
                    Scalar(2e-4F * 74 * std::sqrt(k)),  // results fill the range
                    Scalar<std::uint8_t>(128)};
  bench.result_dtype = DType::kUInt8;
  return bench;
}

KernelBench DynamicBench(std::string name, std::int64_t m, std::int64_t n, std::int64_t k) {
  Rng rng(2);
  Tensor rows(DType::kFloat32, {m, k});
  for (float& value : rows.mutable_values<float>()) {
    value = static_cast<float>(rng.Uniform(-1, 1));
  }
  const std::vector<float> scales(static_cast<std::size_t>(n), 0.01F);
  KernelBench bench{.name = std::move(name), .op = OpKind::kDynamicMatMul};
  bench.operands = {std::move(rows), Bytes<std::int8_t>({k, n}, rng),
                    Tensor::From<float>({n}, scales)};
  bench.result = {m, n};
  bench.operations = 2.0 * static_cast<double>(m * n * k);
  return bench;
}

}  // namespace halftone
