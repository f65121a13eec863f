#include "src/exec/clipped_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace halftone {

Tensor ConvertWeight(const Tensor& tensor, NumericFormat format, bool clip,
                     ClippedWeight& clipped) {
  const DType dtype = format.dtype();
  Tensor result = Convert(tensor, format);
  if (!clip || dtype != DType::kFloat16 || tensor.dtype() == DType::kFloat16) {
    return result;
  }
  const auto values = result.mutable_values<Float16>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    Float16& value = values[i];
    const float rounded = value.ToFloat();
    if (!std::isinf(rounded)) {
      continue;
    }
    const double original = DoubleAt(tensor.dtype(), tensor.data(), static_cast<std::int64_t>(i));
    if (std::isfinite(original)) {
      value = Float16::FromFloat(std::copysign(kFloat16Max, rounded));
      ++clipped.count;
      clipped.largest = std::max(clipped.largest, std::abs(original));
    }
  }
  return result;
}

std::string Describe(const ClippedWeight& clipped) {
  return fmt::format(
      "node '{}' reads weight '{}' in float16: {} of its elements were clipped to 65504, the "
      "largest is {:.6g}; keep the node in float32, or give --is_weight_clip=0 to let them become "
      "infinite",
      clipped.node, clipped.tensor, clipped.count, clipped.largest);
}

}  // namespace halftone
