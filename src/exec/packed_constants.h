// Constants that kernels pack (panels, transformed filters), with their original bytes released.
#pragma once

#include <memory>
#include <vector>

#include "kernels/kernel_table.h"
#include "src/exec/program.h"
#include "src/exec/shared_constants.h"

namespace halftone {

// Prepares the kernels of a program's steps in order. Releases the bytes of a constant as soon as
// all steps that read it have packed it, so that only the constant being packed is in memory twice.
// Both arguments must outlive it.
class PackedConstants {
 public:
  PackedConstants(Program& program, SharedConstants& shared);

  // State that `kernel` prepares for `step`, the next step of the program. Restores released bytes
  // of a constant if the kernel reads them.
  std::shared_ptr<const KernelState> Prepare(const Step& step, const KernelEntry& kernel,
                                             const KernelQuery& query);

 private:
  void LetGo(Slot& constant);

  Program& program_;
  SharedConstants& shared_;
  std::vector<int> to_come_;  // by root: operands of steps that are not prepared yet
  std::vector<bool> read_;    // by root: some kernel reads the bytes when it runs
};

}  // namespace halftone
