// Constants whose kernels have a form of their own (packed panels, transformed filters): the bytes
// they were made of need not stay.
#pragma once

#include <memory>
#include <vector>

#include "kernels/kernel_table.h"
#include "src/exec/program.h"
#include "src/exec/shared_constants.h"

namespace halftone {

// Prepares the kernels of a program's steps, in their order, and takes the bytes away from every
// constant as soon as all steps that have it have consumed it: so that no more than the part that
// is being packed is there twice. Both arguments must outlive it.
class PackedConstants {
 public:
  PackedConstants(Program& program, SharedConstants& shared);

  // What `kernel` prepares for the next step. Constants whose bytes were held back get them when
  // the kernel reads them.
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
