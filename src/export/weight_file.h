// Weights of a written model that lie in a file beside it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "src/base/byte_sink.h"
#include "src/ir/tensor.h"

namespace halftone {

// Alignment of each tensor: the size of a page, so that readers can map the file. Source: the
// comment on external_data in onnx.proto of onnx/onnx.
inline constexpr std::int64_t kWeightAlignment = 4096;

// Raw bytes of tensors, with zeros between them. Shares the bytes of tensors of the network and of
// mapped files, and copies none of them.
class WeightFile {
 public:
  [[nodiscard]] bool empty() const { return pieces_.empty(); }

  [[nodiscard]] std::int64_t size_bytes() const { return size_; }

  // Adds bytes. Returns their offset.
  std::int64_t Add(std::string bytes);
  std::int64_t Add(Tensor tensor);

  // Writes the file in pieces of at most 16 MiB, so that the sink can soon end the work by an
  // Error.
  void Write(const ByteSink& sink) const;

 private:
  using Bytes = std::variant<std::string, Tensor>;

  struct Piece {
    std::int64_t offset;
    Bytes bytes;
  };

  static std::string_view ViewOf(const Bytes& bytes);
  std::int64_t AddBytes(Bytes bytes);

  std::vector<Piece> pieces_;
  std::int64_t size_ = 0;
};

}  // namespace halftone
