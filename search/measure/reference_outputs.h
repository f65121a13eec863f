// What float32 gave for each sample, which candidates are compared with: kept as far as a bound in
// bytes goes. Beyond it, whoever needs them runs float32 again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/exec/executable.h"
#include "src/ir/tensor.h"

namespace halftone {

class ReferenceOutputs {
 public:
  // Of the outputs of `anchor` on `samples` samples; those of the first are kept, as many as take
  // `most_bytes` at most.
  ReferenceOutputs(const Executable& anchor, std::size_t samples, std::int64_t most_bytes);

  [[nodiscard]] bool Keeps(std::size_t sample) const { return sample < kept_; }

  [[nodiscard]] std::size_t kept() const { return kept_; }

  // Nothing where the sample is not kept. May be called for several samples at once.
  void Store(std::size_t sample, std::span<const Tensor> outputs);

  // What was stored of a sample that is kept.
  [[nodiscard]] std::vector<Tensor> Of(std::size_t sample) const;

 private:
  std::vector<TensorType> types_;
  std::size_t bytes_each_ = 0;
  std::size_t kept_ = 0;
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace halftone
