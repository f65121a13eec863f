// Least and greatest value of each channel of one tensor over samples.
#pragma once

#include <vector>

#include "src/ir/tensor.h"
#include "src/quantization/quantization.h"

namespace halftone {

class ChannelRanges {
 public:
  // float32, channels along `axis`, as many each time. NaN and infinities do not count.
  void Add(const Tensor& tensor, int axis);

  // Largest magnitude of each channel.
  [[nodiscard]] std::vector<double> magnitudes() const;

  // Range of the tensor with each channel divided by its factor, with 0. `factors`: one a channel,
  // or none.
  [[nodiscard]] ValueRange Divided(const std::vector<float>& factors) const;

 private:
  std::vector<ValueRange> ranges_;  // with 0
};

}  // namespace halftone
