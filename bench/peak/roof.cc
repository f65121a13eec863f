#include "bench/peak/roof.h"

#include <algorithm>

#include "bench/peak/bandwidth.h"
#include "bench/peak/instruction_peak.h"
#include "kernels/cpu_isa.h"
#include "kernels/onednn/library_isa.h"
#include "kernels/shared_components.h"

namespace halftone {

namespace {

struct UnitOfSet {
  IsaMask isa;
  std::string_view unit;
};

// Units for one kind of operands stand fastest first.
constexpr UnitOfSet kUnits[] = {{kIsaAmxInt8, "amx_s8"},
                                {kIsaAmxBf16, "amx_bf16"},
                                {kIsaAvx512Vnni, "dot_s8"},
                                {kIsaAvx512Bf16, "dot_bf16"},
                                {kIsaAvx512Fp16, "fma_f16"}};

// The sets that a kernel computes with: oneDNN takes the tiles of AMX where they are.
IsaMask SetsOf(const KernelEntry& entry) {
  const auto parts = entry.components.all();
  const bool library = std::ranges::find(parts, &kOneDnn) != parts.end();
  IsaMask isa = entry.isa;
  if (library && (entry.isa & kIsaAvx512Vnni) != 0) {
    isa |= LibraryIsa() & kIsaAmxInt8;
  } else if (library && (entry.isa & kIsaAvx512Bf16) != 0) {
    isa |= LibraryIsa() & kIsaAmxBf16;
  }
  return isa;
}

std::string_view UnitOf(const KernelEntry& entry) {
  const IsaMask isa = SetsOf(entry);
  const auto* const unit = std::ranges::find_if(
      kUnits, [&](const UnitOfSet& row) { return (isa & row.isa) == row.isa; });
  return unit == std::end(kUnits) ? "fma_f32" : unit->unit;
}

}  // namespace

double RoofSeconds(const KernelEntry& entry, const KernelWork& work) {
  const double peak = work.operations > 0 ? MeasurePeak(UnitOf(entry)) : 0.0;
  const double all = work.read + work.written;
  const Bandwidth bandwidth = BandwidthOf(static_cast<std::int64_t>(std::max(all, work.resident)));
  // Writes move at the speed of a copy, the faster of both, and an equal number of reads with them.
  const double copied = std::min(work.read, work.written) + work.written;
  const double moving =
      copied / std::max(bandwidth.copy, bandwidth.copy_streamed) + (all - copied) / bandwidth.read;
  return std::max(peak > 0 ? work.operations / peak : 0.0, moving);
}

}  // namespace halftone
