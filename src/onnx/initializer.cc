#include "src/onnx/initializer.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "src/base/error.h"
#include "src/onnx/external_data.h"

namespace halftone {
namespace {

DType DTypeOf(const onnx::TensorProto& proto) {
  if (const auto dtype = DTypeFromOnnx(proto.data_type())) {
    return *dtype;
  }
  if (proto.data_type() == onnx::TensorProto::UNDEFINED) {
    throw Error(ErrorKind::kModel, "expected an element type, got none (data_type 0)");
  }
  throw Error(ErrorKind::kUnsupported, UnsupportedElements(proto.data_type()));
}

// Bytes of any content into a tensor; a bool that is neither 0 nor 1 would be undefined behaviour.
void CopyBytes(const char* bytes, Tensor& tensor) {
  if (tensor.size_bytes() == 0) {
    return;
  }
  std::memcpy(tensor.mutable_data(), bytes, tensor.size_bytes());
  if (tensor.dtype() == DType::kBool) {
    for (std::size_t i = 0; i < tensor.size_bytes(); ++i) {
      tensor.mutable_data()[i] = bytes[i] != 0 ? std::byte{1} : std::byte{0};
    }
  }
}

// An element of a typed field; empty: it is an integer that the type cannot hold.
template <typename Target, typename Value>
std::optional<Target> ElementOf(Value value) {
  if constexpr (std::is_same_v<Target, Float16> || std::is_same_v<Target, BFloat16>) {
    return Target{static_cast<std::uint16_t>(value)};
  } else if constexpr (std::is_same_v<Target, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<Target>) {
    return std::in_range<Target>(value) ? std::optional(static_cast<Target>(value)) : std::nullopt;
  } else {
    return static_cast<Target>(value);
  }
}

template <typename Target, typename Field>
void CopyField(const Field& field, Tensor& tensor) {
  CheckDataSize(tensor.ElementCount(), field.size(), tensor.type(), "elements");
  const auto target = tensor.mutable_values<Target>();
  for (int i = 0; i < field.size(); ++i) {
    const auto element = ElementOf<Target>(field.Get(i));
    if (!element) {
      throw Error(ErrorKind::kModel, fmt::format("element {} is {}, which {} cannot hold", i,
                                                 field.Get(i), NameOf(tensor.dtype())));
    }
    target[static_cast<std::size_t>(i)] = *element;
  }
}

// The typed field of each element type is fixed by the ONNX specification (onnx.proto,
// TensorProto).
void CopyTypedData(const onnx::TensorProto& proto, Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kFloat32:
      return CopyField<float>(proto.float_data(), tensor);
    case DType::kFloat64:
      return CopyField<double>(proto.double_data(), tensor);
    case DType::kInt64:
      return CopyField<std::int64_t>(proto.int64_data(), tensor);
    case DType::kUInt32:
      return CopyField<std::uint32_t>(proto.uint64_data(), tensor);
    case DType::kUInt64:
      return CopyField<std::uint64_t>(proto.uint64_data(), tensor);
    case DType::kFloat16:
      return CopyField<Float16>(proto.int32_data(), tensor);
    case DType::kBFloat16:
      return CopyField<BFloat16>(proto.int32_data(), tensor);
    case DType::kInt8:
      return CopyField<std::int8_t>(proto.int32_data(), tensor);
    case DType::kUInt8:
      return CopyField<std::uint8_t>(proto.int32_data(), tensor);
    case DType::kInt16:
      return CopyField<std::int16_t>(proto.int32_data(), tensor);
    case DType::kUInt16:
      return CopyField<std::uint16_t>(proto.int32_data(), tensor);
    case DType::kInt32:
      return CopyField<std::int32_t>(proto.int32_data(), tensor);
    case DType::kBool:
      return CopyField<bool>(proto.int32_data(), tensor);
  }
}

// Number of elements in the typed fields: checked before memory is taken for the claimed number.
std::int64_t TypedCount(const onnx::TensorProto& proto) {
  return std::int64_t{proto.float_data_size()} + proto.double_data_size() +
         proto.int32_data_size() + proto.int64_data_size() + proto.uint64_data_size();
}

}  // namespace

std::string UnsupportedElements(int type) {
  const std::string& name = onnx::TensorProto::DataType_Name(type);
  return fmt::format(
      "expected elements of a type that halftone has, found {} of TensorProto.DataType; convert "
      "them before the model, and leave out what reads them as they are",
      name.empty() ? fmt::format("number {}", type) : fmt::format("{} ({})", name, type));
}

TensorType TypeOf(const onnx::TensorProto& proto) {
  TensorType type{DTypeOf(proto),
                  Shape(std::vector<std::int64_t>(proto.dims().begin(), proto.dims().end()))};
  if (type.shape.ElementCount() > std::numeric_limits<std::int64_t>::max() / 8) {
    throw Error(ErrorKind::kModel, fmt::format("{} is larger than any memory", type.ToString()));
  }
  return type;
}

Tensor TensorOf(const onnx::TensorProto& proto, const std::filesystem::path& folder) {
  TensorType type = TypeOf(proto);
  const std::int64_t count = type.shape.ElementCount();
  if (proto.has_segment()) {
    throw Error(ErrorKind::kUnsupported, "tensors stored in segments are not read");
  }
  std::optional<Tensor> tensor;
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    return ExternalTensor(proto, folder, std::move(type));
  }
  if (proto.has_raw_data()) {
    const std::string& raw = proto.raw_data();
    CheckDataSize(type.size_bytes(), static_cast<std::int64_t>(raw.size()), type, "bytes");
    tensor.emplace(std::move(type));
    CopyBytes(raw.data(), *tensor);
    return *std::move(tensor);
  }
  CheckDataSize(count, TypedCount(proto), type, "elements");
  tensor.emplace(std::move(type));
  CopyTypedData(proto, *tensor);
  return *std::move(tensor);
}

}  // namespace halftone
