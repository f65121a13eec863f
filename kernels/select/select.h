// Operators that choose, mark or count elements: IsInf, IsNaN, Hardmax, NonZero, Compress, OneHot,
// EyeLike, Trilu, ReverseSequence, CumSum, NonMaxSuppression, Unique. All are exact except CumSum
// of floats:
//
//   |error| <= n 2^-53 sum |x| + u |y|
// for sums of n elements in double, stored with one rounding (u that of the dtype). Source: Higham,
// Accuracy and Stability of Numerical Algorithms, 2nd ed., 4.2. Integers of CumSum wrap.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> SelectKernels();

// OneHot, EyeLike and CumSum (one_hot_eye.cc).
std::unique_ptr<KernelState> PrepareOneHot(const KernelQuery& query);
void RunOneHot(const KernelArgs& args) noexcept;
std::unique_ptr<KernelState> PrepareEyeLike(const KernelQuery& query);
void RunEyeLike(const KernelArgs& args) noexcept;
std::unique_ptr<KernelState> PrepareCumSum(const KernelQuery& query);
void RunCumSum(const KernelArgs& args) noexcept;

// IsInf and IsNaN (special.cc): RunIsSpecialFloat() inspects the bits of floats, RunIsSpecial() is
// the reference.
std::unique_ptr<KernelState> PrepareIsSpecial(const KernelQuery& query);
void RunIsSpecial(const KernelArgs& args) noexcept;
void RunIsSpecialFloat(const KernelArgs& args) noexcept;

// Hardmax (hardmax.cc), by the loops of ArgMax or element by element.
std::string_view RefuseHardmaxLoop(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareHardmaxLoop(const KernelQuery& query);
void RunHardmaxLoop(const KernelArgs& args) noexcept;
std::unique_ptr<KernelState> PrepareHardmax(const KernelQuery& query);
void RunHardmax(const KernelArgs& args) noexcept;

// Operators whose result extents depend on data (run_time_extent.cc, unique.cc). A run that finds
// another number of elements than planned sets KernelArgs::other_count and writes zeros.
inline void NoteOtherCount(const KernelArgs& args) noexcept {
  if (args.other_count != nullptr) {
    *args.other_count = true;
  }
}

std::unique_ptr<KernelState> PrepareNonZero(const KernelQuery& query);
void RunNonZero(const KernelArgs& args) noexcept;
std::unique_ptr<KernelState> PrepareNonMaxSuppression(const KernelQuery& query);
std::size_t NonMaxSuppressionScratch(const KernelState& state);
void RunNonMaxSuppression(const KernelArgs& args) noexcept;
// Unique without its output of values, which a Gather by the first result of this kernel computes.
std::unique_ptr<KernelState> PrepareUnique(const KernelQuery& query);
std::size_t UniqueScratch(const KernelState& state);
void RunUnique(const KernelArgs& args) noexcept;

// Compress by a constant condition (chosen.cc). The importer replaces a Compress with any other
// condition by NonZero and Gather.
std::unique_ptr<KernelState> PrepareCompress(const KernelQuery& query);
void RunCompress(const KernelArgs& args) noexcept;

// Trilu and ReverseSequence (parts.cc).
std::unique_ptr<KernelState> PrepareTrilu(const KernelQuery& query);
void RunTrilu(const KernelArgs& args) noexcept;
std::unique_ptr<KernelState> PrepareReverseSequence(const KernelQuery& query);
void RunReverseSequence(const KernelArgs& args) noexcept;

}  // namespace halftone
