#include "src/ir/dtype.h"

#include <algorithm>
#include <cctype>

namespace halftone {

std::optional<DType> DTypeFromName(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "float") {
    return DType::kFloat32;
  }
  if (lower == "float64") {
    return DType::kFloat64;
  }
  for (const DTypeRow& row : kDTypes) {
    if (row.name == lower) {
      return row.dtype;
    }
  }
  return std::nullopt;
}

std::optional<DType> DTypeFromOnnx(int onnx_type) {
  for (const DTypeRow& row : kDTypes) {
    if (row.onnx_type == onnx_type) {
      return row.dtype;
    }
  }
  return std::nullopt;
}

}  // namespace halftone
