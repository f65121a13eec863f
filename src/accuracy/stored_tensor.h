// A tensor in a .npy or .pb file, read in parts: the samples may be more than memory holds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "src/base/opened_file.h"
#include "src/ir/tensor.h"

namespace halftone {

class StoredTensor {
 public:
  // Reads the header; the file stays open, even when another takes its name. A .pb file whose
  // elements are not raw bytes is read whole and held in memory. Error kIo: missing, not readable,
  // a pipe or a device, another ending than .npy and .pb; as ParseNpyHeader() and
  // ReadTensorProto().
  explicit StoredTensor(std::filesystem::path path);

  // A tensor in memory, from an archive at `path`.
  StoredTensor(std::filesystem::path path, Tensor tensor);

  // The elements of a file without a header, in the order and bytes of this machine, stacked along
  // the first axis of `sample`. Error kIo as the constructor; kModel: no whole number of samples.
  static StoredTensor Raw(std::filesystem::path path, const TensorType& sample);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] const TensorType& type() const { return type_; }

  // The elements from `first` on, as many as `shape` has, which must exist. Error kIo: the file has
  // become shorter. May be called by several threads at once.
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
