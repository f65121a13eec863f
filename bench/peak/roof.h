// Roofline time: the least time of this machine for a piece of work.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

struct KernelWork {
  double operations = 0;  // a multiplication and an addition are two
  double read = 0;        // bytes
  double written = 0;
  // Bytes of all sets that runs alternate between, where that is more than one run touches; 0: one
  // run's.
  double resident = 0;
};

// Roofline time in seconds on one thread: arithmetic on the units that `entry` uses, or reads and
// writes in the cache that holds all of it, whichever takes longer. Peaks are measured at the call,
// bandwidths once per size.
double RoofSeconds(const KernelEntry& entry, const KernelWork& work);

}  // namespace halftone
