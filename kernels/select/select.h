// Operators that choose, mark or count elements: IsInf, IsNaN, Hardmax, NonZero, Compress, OneHot,
// EyeLike, Trilu, ReverseSequence, CumSum, NonMaxSuppression, Unique. All exact but CumSum:
//
//   CumSum of floats: |error| <= n 2^-53 sum |x| + u |y|, sums of n elements in double, stored with
//   one rounding (u that of the dtype). Source: Higham, Accuracy and Stability of Numerical
//   Algorithms, 2nd ed., 4.2. Integers wrap.
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

// IsInf and IsNaN; those of floats inspect the bits (special.cc).
std::unique_ptr<KernelState> PrepareIsSpecial(const KernelQuery& query);
void RunIsSpecial(const KernelArgs& args) noexcept;
void RunIsSpecialFloat(const KernelArgs& args) noexcept;

// Hardmax by the loops of ArgMax, and element by element (hardmax.cc).
std::string_view RefuseHardmaxLoop(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareHardmaxLoop(const KernelQuery& query);
void RunHardmaxLoop(const KernelArgs& args) noexcept;
std::unique_ptr<KernelState> PrepareHardmax(const KernelQuery& query);
void RunHardmax(const KernelArgs& args) noexcept;

// Results whose extents depend on data (run_time_extent.cc, unique.cc): a run that finds another
// number of elements than planned sets KernelArgs::other_count and every element to zero.
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
// Unique without the output of values: a Gather by this kernel's first result makes them.
std::unique_ptr<KernelState> PrepareUnique(const KernelQuery& query);
std::size_t UniqueScratch(const KernelState& state);
void RunUnique(const KernelArgs& args) noexcept;

// Compress by a constant condition (chosen.cc). With any other condition, the importer turns it
// into NonZero and Gather.
std::unique_ptr<KernelState> PrepareCompress(const KernelQuery& query);
void RunCompress(const KernelArgs& args) noexcept;

// Trilu and ReverseSequence (parts.cc).
std::unique_ptr<KernelState> PrepareTrilu(const KernelQuery& query);
void RunTrilu(const KernelArgs& args) noexcept;
std::unique_ptr<KernelState> PrepareReverseSequence(const KernelQuery& query);
void RunReverseSequence(const KernelArgs& args) noexcept;

}  // namespace halftone
