// Budget of loading a model: a bound on work, counted before it is done, so that a small file
// cannot cost hours or all memory.
//
// Folding constants and expanding iterations and calls draw on one budget. It grows with the
// constants of the model, because each is copied a few times on the way (transposed, widened,
// scaled); a node that does not fit is not folded but computed in every run.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/kernel_table.h"

namespace halftone {

struct LoadCost {
  double operations = 0;  // by the reference kernels, some 5 ns each
  double bytes = 0;       // allocated until the model is loaded
};

class LoadBudget {
 public:
  // About half a second of the reference kernels, and the memory of 200,000 nodes.
  static constexpr double kOperations = 0x1p26;
  static constexpr double kBytes = 0x1p26;
  // Per byte of a constant: trained networks that were tried needed less than 2 of either.
  static constexpr double kOperationsPerByte = 16;
  static constexpr double kBytesPerByte = 16;

  // Adds the allowance of `bytes` of constants.
  void Allow(double bytes);

  // Large costs must leave a quarter of the minimum, so that shapes after them can be computed.
  [[nodiscard]] bool Affords(const LoadCost& cost) const;

  // Deducts `cost`; false: nothing deducted.
  bool Take(const LoadCost& cost);

  // "needs 6.9e+10 operations and 64.0 MiB, 6.7e+07 and 64.0 MiB are left of what loading this
  // model may take"
  [[nodiscard]] std::string Refusal(const LoadCost& cost) const;

 private:
  LoadCost left_{.operations = kOperations, .bytes = kBytes};
};

// Upper bound on the cost of EvaluateConstant() for the query. Views cost nothing.
LoadCost CostOfFolding(const KernelQuery& query);

}  // namespace halftone
