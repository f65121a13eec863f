// The least time that this machine needs for a piece of work.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

struct KernelWork {
  double operations = 0;  // a multiplication and an addition are two
  double read = 0;        // bytes
  double written = 0;
  // Bytes that take turns, where that is more than one run touches; 0: what one run does.
  double resident = 0;
};

// Seconds on one thread: the arithmetic on the units that `entry` uses, or the reading and writing
// in the cache that holds all of it, whichever takes longer. Peaks are measured now, bandwidths
// once a size.
double RoofSeconds(const KernelEntry& entry, const KernelWork& work);

}  // namespace halftone
