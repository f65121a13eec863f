// Least and greatest value of each channel of one tensor over samples.
#pragma once

#include <vector>

#include "src/ir/tensor.h"
#include "src/quantization/quantization.h"

namespace halftone {

class ChannelRanges {
 public:
  // Adds a float32 tensor whose channels lie along `axis`. Each call must add the same number of
  // channels. NaN and infinities do not count.
  void Add(const Tensor& tensor, int axis);

  // Largest magnitude of each channel.
  [[nodiscard]] std::vector<double> magnitudes() const;

  // Range of the tensor, 0 included, after each channel is divided by its factor. `factors`: one
  // for each channel, or empty for factors of 1.
  [[nodiscard]] ValueRange Divided(const std::vector<float>& factors) const;

 private:
  std::vector<ValueRange> ranges_;  // 0 included
};

}  // namespace halftone
