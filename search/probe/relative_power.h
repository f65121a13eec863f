// Relative error power of tensors.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "src/accuracy/reference_power.h"
#include "src/ir/tensor.h"

namespace halftone {

// Upper limit of a relative error power, which results of zero power would make infinite.
inline constexpr double kMostRelativePower = 1e20;

// Largest share of elements that differ in an integer or boolean tensor; 0 without such a tensor.
double ShareChanged(std::span<const Tensor> reference, std::span<const Tensor> actual);

// Tensors with which others are compared.
class RelativePowers {
 public:
  explicit RelativePowers(std::vector<Tensor> reference);

  [[nodiscard]] std::span<const Tensor> reference() const { return reference_; }

  // Relative error power over all floating tensors together, or that of elements that are set apart
  // if it is larger (ErrorPower::apart); plus the square of ShareChanged(). At most
  // kMostRelativePower without the part of elements set apart and of ShareChanged(). Empty if a
  // value is not finite where the reference is. Requires the shapes of the reference.
  [[nodiscard]] std::optional<double> Of(std::span<const Tensor> actual) const;

 private:
  std::vector<Tensor> reference_;
  std::vector<std::optional<ReferencePower>> powers_;  // parallel; empty: no floating tensor
};

// RelativePowers(reference).Of(actual).
std::optional<double> RelativePower(std::span<const Tensor> reference,
                                    std::span<const Tensor> actual);

}  // namespace halftone
