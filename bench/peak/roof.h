// Roofline time: the least time of this machine for a piece of work.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

struct KernelWork {
  double operations = 0;  // a multiplication and an addition are two
  double read = 0;        // bytes
  double written = 0;
  // Bytes of all sets of operands that runs alternate between; 0: those of one run.
  double resident = 0;
};

// Roofline time in seconds on one thread: the longer of arithmetic on the units that `entry` uses,
// and of reads and writes in the smallest cache that holds all bytes. Peaks are measured at the
// call, bandwidths once per size.
double RoofSeconds(const KernelEntry& entry, const KernelWork& work);

}  // namespace halftone
