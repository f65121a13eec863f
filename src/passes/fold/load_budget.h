// What loading a model may cost: a bound on work that is counted before it is done, so that a small
// file cannot ask for hours or for all memory.
//
// Folding constants, writing out iterations and calls all take from one budget. It grows with the
// constants of the model, because each is copied a few times on the way (transposed, widened,
// scaled); a node that does not fit is not folded but computed in every run.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/kernel_table.h"

namespace halftone {

struct LoadCost {
  double operations = 0;  // of the reference kernels, some 5 ns each
  double bytes = 0;       // that stay until the model is loaded
};

class LoadBudget {
 public:
  // About half a second of the reference kernels, and the memory of 200,000 nodes.
  static constexpr double kOperations = 0x1p26;
  static constexpr double kBytes = 0x1p26;
  // For each byte of a constant: trained networks that were tried needed less than 2 of either.
  static constexpr double kOperationsPerByte = 16;
  static constexpr double kBytesPerByte = 16;

  // The model has `bytes` of constants more.
  void Allow(double bytes);

  // What is large leaves a quarter of the least, so that shapes can still be computed behind it.
  [[nodiscard]] bool Affords(const LoadCost& cost) const;

  // False: nothing is taken.
  bool Take(const LoadCost& cost);

  // "needs 6.9e+10 operations and 64.0 MiB, 6.7e+07 and 64.0 MiB are left of what loading this
  // model may take"
  [[nodiscard]] std::string Refusal(const LoadCost& cost) const;

 private:
  LoadCost left_{.operations = kOperations, .bytes = kBytes};
};

// What EvaluateConstant() of the query costs, from above. Views cost nothing.
LoadCost CostOfFolding(const KernelQuery& query);

}  // namespace halftone
