#include "src/onnx/initializer.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "src/base/error.h"

namespace halftone {
namespace {

DType DTypeOf(const onnx::TensorProto& proto) {
  if (const auto dtype = DTypeFromOnnx(proto.data_type())) {
    return *dtype;
  }
  if (proto.data_type() == onnx::TensorProto::UNDEFINED) {
    throw Error(ErrorKind::kModel, "expected an element type, got none (data_type 0)");
  }
  throw Error(ErrorKind::kUnsupported,
              fmt::format("element type {} of TensorProto.DataType is not one that halftone has",
                          proto.data_type()));
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

void CheckSize(std::int64_t expected, std::int64_t found, const TensorType& type,
               std::string_view unit) {
  if (expected != found) {
    throw Error(ErrorKind::kModel, fmt::format("expected {} {} of data for {}, got {}", expected,
                                               unit, type.ToString(), found));
  }
}

template <typename Target, typename Field>
void CopyField(const Field& field, Tensor& tensor) {
  CheckSize(tensor.ElementCount(), field.size(), tensor.type(), "elements");
  const auto target = tensor.mutable_values<Target>();
  for (int i = 0; i < field.size(); ++i) {
    const auto value = field.Get(i);
    if constexpr (std::is_same_v<Target, Float16> || std::is_same_v<Target, BFloat16>) {
      target[static_cast<std::size_t>(i)].bits = static_cast<std::uint16_t>(value);
    } else if constexpr (std::is_same_v<Target, bool>) {
      target[static_cast<std::size_t>(i)] = value != 0;
    } else {
      const auto stored = static_cast<Target>(value);
      if constexpr (std::is_integral_v<Target>) {
        if (static_cast<decltype(value)>(stored) != value) {
          throw Error(ErrorKind::kModel, fmt::format("element {} is {}, which {} cannot hold", i,
                                                     value, NameOf(tensor.dtype())));
        }
      }
      target[static_cast<std::size_t>(i)] = stored;
    }
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

struct ExternalData {
  std::string location;
  std::int64_t offset = 0;
  std::optional<std::int64_t> length;
};

std::int64_t ParseCount(std::string_view key, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw Error(ErrorKind::kModel,
                fmt::format("external data: expected a count of bytes as {}, got '{}'", key, text));
  }
  return value;
}

ExternalData ExternalDataOf(const onnx::TensorProto& proto) {
  ExternalData external;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") {
      external.location = entry.value();
    } else if (entry.key() == "offset") {
      external.offset = ParseCount("offset", entry.value());
    } else if (entry.key() == "length") {
      external.length = ParseCount("length", entry.value());
    }  // "checksum" is optional and not verified
  }
  if (external.location.empty()) {
    throw Error(ErrorKind::kModel, "external data: expected a location, got none");
  }
  return external;
}

// The file that `location` names, with symbolic links resolved and checked to be inside `folder`.
std::filesystem::path ExternalPath(const std::string& location,
                                   const std::filesystem::path& folder) {
  const std::filesystem::path relative(location);
  bool climbs = relative.is_absolute();
  for (const auto& part : relative) {
    climbs = climbs || part == "..";
  }
  std::error_code error;
  const auto root = std::filesystem::weakly_canonical(folder.empty() ? "." : folder, error);
  const auto file = climbs ? root : std::filesystem::weakly_canonical(root / relative, error);
  const auto inside = file.lexically_relative(root);
  if (climbs || inside.empty() || *inside.begin() == "..") {
    throw Error(ErrorKind::kModel,
                fmt::format("external data '{}' lies outside the folder of the model", location));
  }
  if (!std::filesystem::is_regular_file(file, error)) {
    throw Error(ErrorKind::kIo, fmt::format("external data '{}' is missing or not a file in '{}'",
                                            location, root.string()));
  }
  return file;
}

void CopyExternalData(const onnx::TensorProto& proto, const std::filesystem::path& folder,
                      const TensorType& type, std::optional<Tensor>& tensor) {
  const ExternalData external = ExternalDataOf(proto);
  const auto path = ExternalPath(external.location, folder);
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
  const std::int64_t length = external.length.value_or(type.size_bytes());
  CheckSize(type.size_bytes(), length, type, "bytes");
  if (external.offset > size || length > size - external.offset) {
    throw Error(ErrorKind::kModel,
                fmt::format("external data '{}': bytes {} to {} are asked for, the file has {}",
                            external.location, external.offset, external.offset + length, size));
  }
  tensor.emplace(type);
  std::string bytes(static_cast<std::size_t>(length), '\0');
  std::ifstream file(path, std::ios::binary);
  file.seekg(external.offset);
  file.read(bytes.data(), length);
  if (!file) {
    throw Error(ErrorKind::kIo, fmt::format("cannot read external data '{}'", path.string()));
  }
  CopyBytes(bytes.data(), *tensor);
}

// How many elements the typed fields hold: what is there is checked before memory is taken for what
// is claimed.
std::int64_t TypedCount(const onnx::TensorProto& proto) {
  return std::int64_t{proto.float_data_size()} + proto.double_data_size() +
         proto.int32_data_size() + proto.int64_data_size() + proto.uint64_data_size();
}

}  // namespace

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
    CopyExternalData(proto, folder, type, tensor);
    return *std::move(tensor);
  }
  if (proto.has_raw_data()) {
    const std::string& raw = proto.raw_data();
    CheckSize(type.size_bytes(), static_cast<std::int64_t>(raw.size()), type, "bytes");
    tensor.emplace(std::move(type));
    CopyBytes(raw.data(), *tensor);
    return *std::move(tensor);
  }
  CheckSize(count, TypedCount(proto), type, "elements");
  tensor.emplace(std::move(type));
  CopyTypedData(proto, *tensor);
  return *std::move(tensor);
}

}  // namespace halftone
