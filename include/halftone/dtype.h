// Element types of tensors, and the table of their names, sizes and ONNX numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace halftone {

enum class DType : std::uint8_t {
  kFloat32,
  kFloat16,
  kBFloat16,
  kFloat64,
  kInt8,
  kUInt8,
  kInt16,
  kUInt16,
  kInt32,
  kUInt32,
  kInt64,
  kUInt64,
  kBool,
};

struct DTypeRow {
  DType dtype;
  std::string_view name;        // as in configuration files: float16, int8, ...
  std::string_view short_name;  // as in plans and kernel names: f16, s8, ...
  std::size_t size_bytes;
  int onnx_type;  // TensorProto.DataType of the ONNX specification
};

// One row per dtype, in the order of the enumerators: RowOf() indexes it by them.
inline constexpr DTypeRow kDTypes[] = {
    {DType::kFloat32, "float32", "f32", 4, 1},
    {DType::kFloat16, "float16", "f16", 2, 10},
    {DType::kBFloat16, "bfloat16", "bf16", 2, 16},
    {DType::kFloat64, "double", "f64", 8, 11},
    {DType::kInt8, "int8", "s8", 1, 3},
    {DType::kUInt8, "uint8", "u8", 1, 2},
    {DType::kInt16, "int16", "s16", 2, 5},
    {DType::kUInt16, "uint16", "u16", 2, 4},
    {DType::kInt32, "int32", "s32", 4, 6},
    {DType::kUInt32, "uint32", "u32", 4, 12},
    {DType::kInt64, "int64", "s64", 8, 7},
    {DType::kUInt64, "uint64", "u64", 8, 13},
    {DType::kBool, "bool", "bool", 1, 9},
};

constexpr const DTypeRow& RowOf(DType dtype) {
  return kDTypes[static_cast<std::size_t>(dtype)];
}

constexpr std::string_view NameOf(DType dtype) {
  return RowOf(dtype).name;
}

constexpr std::string_view ShortNameOf(DType dtype) {
  return RowOf(dtype).short_name;
}

constexpr std::size_t SizeOf(DType dtype) {
  return RowOf(dtype).size_bytes;
}

// Returns the dtype with this TensorProto.DataType; empty for any other number, such as those of
// strings, complex and 8-bit floating types.
std::optional<DType> DTypeFromOnnx(int onnx_type);

}  // namespace halftone
