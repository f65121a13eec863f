#include "src/accuracy/stored_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "src/accuracy/tensor_file.h"
#include "src/base/error.h"
#include "src/onnx/tensor_proto.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// A pipe gives its bytes once, and a device may have no end.
void RefuseStreams(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
    throw Error(ErrorKind::kIo,
                fmt::format("'{}' is a pipe or a device: expected a regular .npy or .pb file, of "
                            "which parts are read, some of them several times; write the data to "
                            "one",
                            path.string()));
  }
}

// Anything but 0 and 1 in a bool would be undefined behaviour.
void NormalizeBools(Tensor& tensor) {
  if (tensor.dtype() == DType::kBool) {
    std::byte* const bytes = tensor.mutable_data();
    std::transform(bytes, bytes + tensor.size_bytes(), bytes,
                   [](std::byte value) { return value != std::byte{0} ? std::byte{1} : value; });
  }
}

}  // namespace

StoredTensor::StoredTensor(fs::path path) : path_(std::move(path)) {
  RefuseStreams(path_);
  const std::string extension = path_.extension().string();
  if (extension == ".npy") {
    file_ = std::make_unique<OpenedFile>(path_, Links::kFollow);
    const std::int64_t bytes = file_->size_bytes();
    std::string front(static_cast<std::size_t>(std::min(bytes, kMostNpyHeaderBytes)), '\0');
    file_->Read(0, std::as_writable_bytes(std::span(front)));
    NpyHeader header = ParseNpyHeader(front, bytes, path_.string());
    type_ = std::move(header.type);
    offset_ = header.data_offset;
  } else if (extension == ".pb") {
    if (auto place = LocateTensorProto(path_)) {
      file_ = std::make_unique<OpenedFile>(path_, Links::kFollow);
      type_ = std::move(place->type);
      offset_ = place->offset;
    } else {
      whole_ = ReadTensorProto(path_);
      type_ = whole_.type();
    }
  } else {
    throw Error(ErrorKind::kIo, fmt::format("'{}': expected a .npy or .pb file", path_.string()));
  }
}

StoredTensor::StoredTensor(fs::path path, Tensor tensor)
    : path_(std::move(path)), type_(tensor.type()), whole_(std::move(tensor)) {}

StoredTensor StoredTensor::Raw(fs::path path, const TensorType& sample) {
  RefuseStreams(path);
  StoredTensor stored;
  stored.file_ = std::make_unique<OpenedFile>(path, Links::kFollow);
  const std::int64_t bytes = stored.file_->size_bytes();
  const std::int64_t of_one =
      sample.shape.ElementCount() * static_cast<std::int64_t>(SizeOf(sample.dtype));
  const std::int64_t count = of_one > 0 ? bytes / of_one : 1;
  const bool is_scalar = sample.shape.rank() == 0;
  if (count < 1 || count * of_one != bytes || (is_scalar && count != 1)) {
    throw Error(ErrorKind::kModel,
                fmt::format("'{}' has {} bytes: expected {}{} bytes, those of {} {}", path.string(),
                            bytes, is_scalar ? "" : "a multiple of ", of_one, NameOf(sample.dtype),
                            sample.shape.ToString()));
  }
  std::vector<std::int64_t> dims(sample.shape.dims().begin(), sample.shape.dims().end());
  if (!is_scalar) {
    dims[0] *= count;
  }
  stored.path_ = std::move(path);
  stored.type_ = {sample.dtype, Shape(std::move(dims))};
  return stored;
}

Tensor StoredTensor::Read(std::int64_t first, const Shape& shape) const {
  Tensor part(type_.dtype, shape);
  Check(first >= 0 && part.ElementCount() <= type_.shape.ElementCount() - first,
        "elements outside of a stored tensor");
  const std::int64_t skipped = first * static_cast<std::int64_t>(SizeOf(type_.dtype));
  const std::span<std::byte> target(part.mutable_data(), part.size_bytes());
  if (file_ != nullptr) {
    file_->Read(offset_ + skipped, target);
    NormalizeBools(part);
  } else if (!target.empty()) {
    std::memcpy(target.data(), whole_.data() + skipped, target.size());
  }
  return part;
}

}  // namespace halftone
