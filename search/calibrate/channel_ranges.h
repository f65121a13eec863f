// Least and greatest value of each channel of one tensor over samples.
#pragma once

#include <vector>

#include "src/ir/tensor.h"
#include "src/quantization/quantization.h"

namespace halftone {

class ChannelRanges {
 public:
  // Adds a float32 tensor with its channels along `axis`, the same number in each call. NaN and
  // infinities do not count.
  void Add(const Tensor& tensor, int axis);

  // Largest magnitude of each channel.
  [[nodiscard]] std::vector<double> magnitudes() const;

  // Range of the tensor, 0 included, after each channel is divided by its factor. `factors`: one a
  // channel, or none.
  [[nodiscard]] ValueRange Divided(const std::vector<float>& factors) const;

 private:
  std::vector<ValueRange> ranges_;  // 0 included
};

}  // namespace halftone
