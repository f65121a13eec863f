// Tensor in a file that is read in parts, because all samples together may exceed memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "src/base/opened_file.h"
#include "src/ir/tensor.h"

namespace halftone {

class StoredTensor {
 public:
  // Opens a .npy or .pb file and reads its header. The file stays open, so that a new file of this
  // name has no effect. A .pb file whose elements are not raw bytes is read to memory as a whole.
  // Error kIo: the file is missing or not readable, is a pipe or a device, or has another ending.
  // Errors also as ParseNpyHeader() and ReadTensorProto().
  explicit StoredTensor(std::filesystem::path path);

  // A tensor in memory. `path` is its source, for messages.
  StoredTensor(std::filesystem::path path, Tensor tensor);

  // Opens a file of elements without a header, in the byte order of this machine. The file holds
  // tensors of type `sample`, stacked along its first axis. Error kIo: the file is missing or not
  // readable, or is a pipe or a device. Error kModel: the bytes are no whole number of samples.
  static StoredTensor Raw(std::filesystem::path path, const TensorType& sample);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] const TensorType& type() const { return type_; }

  // Reads a tensor of shape `shape` whose first element is element `first` of the file. Requires
  // that all its elements exist. Error kIo: the file has become shorter. Several threads may call
  // it at once.
  [[nodiscard]] Tensor Read(std::int64_t first, const Shape& shape) const;

  [[nodiscard]] Tensor ReadAll() const { return Read(0, type_.shape); }

 private:
  StoredTensor() = default;

  std::filesystem::path path_;
  TensorType type_;
  std::int64_t offset_ = 0;                 // bytes before the first element
  std::unique_ptr<const OpenedFile> file_;  // null: all bytes are in `whole_`
  Tensor whole_;
};

}  // namespace halftone
