#include "src/onnx/external_data.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "src/base/error.h"
#include "src/base/opened_file.h"

namespace halftone {
namespace {

// Mappings come in pages of 4 KiB, and a process has some 65,000 of them: smaller data are read.
constexpr std::int64_t kWorthMapping = 64 << 10;

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
  const bool control = std::any_of(location.begin(), location.end(), [](char letter) {
    return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f;
  });
  if (control) {  // the system would end the name at a NUL and open another file
    throw Error(ErrorKind::kModel,
                fmt::format("external data '{}': expected the name of a file, got control "
                            "characters in it: rename the file and its location",
                            location));
  }
  const std::filesystem::path relative(location);
  bool climbs = relative.is_absolute();
  for (const auto& part : relative) {
    climbs = climbs || part == "..";
  }
  std::error_code error;
  const auto root = std::filesystem::weakly_canonical(folder.empty() ? "." : folder, error);
  auto file = climbs ? root : std::filesystem::weakly_canonical(root / relative, error);
  const auto inside = file.lexically_relative(root);
  if (climbs || (!error && (inside.empty() || *inside.begin() == ".."))) {
    throw Error(ErrorKind::kModel,
                fmt::format("external data '{}' lies outside the folder of the model", location));
  }
  if (error || !std::filesystem::is_regular_file(file, error)) {
    throw Error(ErrorKind::kIo, fmt::format("external data '{}' is missing or not a file in '{}'",
                                            location, root.string()));
  }
  return file;
}

// A bool that is neither 0 nor 1 would be undefined behaviour.
void NormalizeBools(Tensor& tensor) {
  for (std::size_t i = 0; i < tensor.size_bytes(); ++i) {
    std::byte& value = tensor.mutable_data()[i];
    value = value != std::byte{0} ? std::byte{1} : std::byte{0};
  }
}

}  // namespace

void CheckDataSize(std::int64_t expected, std::int64_t found, const TensorType& type,
                   std::string_view unit) {
  if (expected != found) {
    throw Error(ErrorKind::kModel, fmt::format("expected {} {} of data for {}, got {}", expected,
                                               unit, type.ToString(), found));
  }
}

Tensor ExternalTensor(const onnx::TensorProto& proto, const std::filesystem::path& folder,
                      TensorType type) {
  const ExternalData external = ExternalDataOf(proto);
  const OpenedFile file(ExternalPath(external.location, folder));
  const std::int64_t size = file.size_bytes();
  const std::int64_t length = external.length.value_or(type.size_bytes());
  CheckDataSize(type.size_bytes(), length, type, "bytes");
  if (external.offset > size || length > size - external.offset) {
    throw Error(ErrorKind::kModel,
                fmt::format("external data '{}': {} bytes from byte {} on are asked for, the file "
                            "has {}",
                            external.location, length, external.offset, size));
  }
  const bool aligned = external.offset % static_cast<std::int64_t>(Tensor::kAlignment) == 0;
  if (length >= kWorthMapping && aligned && type.dtype != DType::kBool) {
    if (auto bytes = file.Map(external.offset, length)) {
      return {std::move(type), std::move(bytes)};
    }
  }
  Tensor tensor(std::move(type));
  file.Read(external.offset, {tensor.mutable_data(), tensor.size_bytes()});
  if (tensor.dtype() == DType::kBool) {
    NormalizeBools(tensor);
  }
  return tensor;
}

}  // namespace halftone
