#include "kernels/quantized/byte_table.h"

#include <vector>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr std::size_t kBytes = 256;

}  // namespace

Tensor ByteValues(const ByteScale& x) {
  Tensor values(DType::kFloat32, Shape{static_cast<std::int64_t>(kBytes)});
  for (std::size_t i = 0; i < kBytes; ++i) {
    const auto byte = static_cast<std::uint8_t>(i);
    values.mutable_values<float>()[i] =
        static_cast<float>(ByteAt(x.dtype, &byte, 0) - x.zero_point) * x.scale;
  }
  return values;
}

Tensor MakeByteTable(std::span<const float> values, const ByteScale& y) {
  Check(values.size() == kBytes, "a table of bytes has 256 values");
  Tensor table(y.dtype, Shape{static_cast<std::int64_t>(kBytes)});
  for (std::size_t i = 0; i < kBytes; ++i) {
    table.mutable_data()[i] = static_cast<std::byte>(static_cast<std::uint8_t>(
        Quantized(values[i] / y.scale, y.zero_point, RangeOfInteger(y.dtype))));
  }
  return table;
}

Tensor MakeByteTable(const std::function<float(float)>& function, const ByteScale& x,
                     const ByteScale& y) {
  const Tensor reals = ByteValues(x);
  std::vector<float> values;
  for (const float real : reals.values<float>()) {
    values.push_back(function(real));
  }
  return MakeByteTable(values, y);
}

}  // namespace halftone
