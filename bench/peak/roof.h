// Roofline time of a kernel call: the least time in which this machine can do its arithmetic and
// move its bytes.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

// Work of one run of a kernel.
struct KernelWork {
  double operations = 0;  // a multiplication and an addition count as two
  double read = 0;        // bytes
  double written = 0;     // bytes
  // Bytes of all sets of operands, if successive runs use different sets in turn; 0 if all runs use
  // the same set.
  double resident = 0;
};

// Roofline time in seconds on one thread. It is the larger of two times: that of the operations at
// the peak of the unit that `entry` uses, and that of reading and writing at the bandwidth of the
// smallest cache (or memory) that holds all bytes. The peak is measured at each call, the bandwidth
// once for each size.
double RoofSeconds(const KernelEntry& entry, const KernelWork& work);

}  // namespace halftone
