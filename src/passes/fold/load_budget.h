// Budget of loading a model: a bound on operations and memory that is checked before the work, so
// that a small file cannot cost hours or all memory.
//
// Constant folding and the expansion of loops and function calls share one budget. It grows with
// the constants of the model, because loading copies each constant a few times (to transpose, widen
// or scale it). A node that exceeds the budget is not folded; every run computes it.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/kernel_table.h"

namespace halftone {

struct LoadCost {
  double operations = 0;  // operations of reference kernels, about 5 ns each
  double bytes = 0;       // memory of results, which stay allocated until the model is loaded
};

class LoadBudget {
 public:
  // Budget of a model without constants: about half a second of the reference kernels, and the
  // memory of 200,000 nodes.
  static constexpr double kOperations = 0x1p26;
  static constexpr double kBytes = 0x1p26;
  // Budget per byte of a constant. Trained networks in tests needed less than 2 operations and less
  // than 2 bytes for each.
  static constexpr double kOperationsPerByte = 16;
  static constexpr double kBytesPerByte = 16;

  // Enlarges the budget for `bytes` of constants.
  void Allow(double bytes);

  // True if the cost fits the rest of the budget. A large cost (above 2^20 operations or bytes)
  // must leave a quarter of kOperations and kBytes, so that later shapes can still be computed.
  [[nodiscard]] bool Affords(const LoadCost& cost) const;

  // Deducts `cost` and returns true if Affords(), else returns false.
  bool Take(const LoadCost& cost);

  // Clause for an error: "needs 6.9e+10 operations and 64.0 MiB of memory, 6.7e+07 and 64.0 MiB are
  // left of what loading a model of this size may take".
  [[nodiscard]] std::string Refusal(const LoadCost& cost) const;

 private:
  LoadCost left_{.operations = kOperations, .bytes = kBytes};
};

// Upper bound on the cost of EvaluateConstant() for the query. Views, Shape and Size cost nothing.
LoadCost CostOfFolding(const KernelQuery& query);

}  // namespace halftone
