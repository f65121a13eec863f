// Error powers of many tensors against one reference. What depends on the reference alone is found
// once, and no other sums are made than the relative error power reads, so that a comparison takes
// a third of the time of SumsOf() (src/accuracy/metrics.h).
#pragma once

#include <optional>

#include "src/ir/tensor.h"

namespace halftone {

// Members of OutputSums that RelativeErrorPower() reads, with the same values to the bit.
struct ErrorPower {
  double error_power = 0;
  double reference_power = 0;
  double apart = 0;        // of the elements set apart, relative to their power
  bool has_apart = false;  // some element of the reference is set apart
  bool broken = false;     // an element is not finite on one side only, or an infinity changed sign
};

class ReferencePower {
 public:
  // Requires a floating dtype.
  explicit ReferencePower(Tensor reference);

  [[nodiscard]] const Tensor& reference() const { return reference_; }

  // Requires the shape of the reference.
  [[nodiscard]] ErrorPower Of(const Tensor& actual) const;

 private:
  Tensor reference_;
  // Empty: some element is not float32, not finite or set apart, so that SumsOf() judges.
  std::optional<double> power_;
};

}  // namespace halftone
