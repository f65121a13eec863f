// Cache of the float32 outputs with which candidates are compared, up to a bound in bytes. For
// samples beyond the bound, the caller runs float32 again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/ir/tensor.h"

namespace halftone {

class ReferenceOutputs {
 public:
  // Caches outputs of these types for the first samples of `samples`, for as many as fit into
  // `most_bytes`.
  ReferenceOutputs(std::vector<TensorType> types, std::size_t samples, std::int64_t most_bytes);

  [[nodiscard]] bool Keeps(std::size_t sample) const { return sample < kept_; }

  [[nodiscard]] std::size_t kept() const { return kept_; }

  // Stores the outputs of a sample. Does nothing for a sample that is not cached. Thread safe for
  // different samples.
  void Store(std::size_t sample, std::span<const Tensor> outputs);

  // The stored outputs of a cached sample.
  [[nodiscard]] std::vector<Tensor> Of(std::size_t sample) const;

 private:
  std::vector<TensorType> types_;
  std::size_t bytes_each_ = 0;
  std::size_t kept_ = 0;
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace halftone
