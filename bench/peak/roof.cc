#include "bench/peak/roof.h"

#include <algorithm>

#include "bench/peak/bandwidth.h"
#include "bench/peak/instruction_peak.h"

namespace halftone {

double RoofSeconds(const KernelEntry& entry, const KernelWork& work) {
  const std::string_view unit = (entry.isa & kIsaAvx512Vnni) != 0   ? "dot_s8"
                                : (entry.isa & kIsaAvx512Bf16) != 0 ? "dot_bf16"
                                                                    : "fma_f32";
  const double peak = work.operations > 0 ? MeasurePeak(unit) : 0.0;
  const double all = work.read + work.written;
  const Bandwidth bandwidth = BandwidthOf(static_cast<std::int64_t>(std::max(all, work.resident)));
  // Writes move at the speed of a copy, the faster of both, and an equal number of reads with them.
  const double copied = std::min(work.read, work.written) + work.written;
  const double moving =
      copied / std::max(bandwidth.copy, bandwidth.copy_streamed) + (all - copied) / bandwidth.read;
  return std::max(peak > 0 ? work.operations / peak : 0.0, moving);
}

}  // namespace halftone
