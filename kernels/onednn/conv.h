// Convolution with channels last by oneDNN, which generates code for this CPU. Constant weights are
// packed once. float16 operands are converted part by part, while they are in the cache. Threads
// and allocations: library.h; parts: conv_parts.h.
//
// Error, with u = 2^-24, g(n) = n u / (1 - n u), K = in channels per group x taps, S = sum |x w|:
//   kDirect  |Y - exact| <= g(K + 2) (S + |bias|), then one rounding to a 16-bit result. Products
//     of bfloat16 are exact in float32; sums are float32. Derivation: kernels/gemm/packed.h.
//   kDirect in bfloat16  in addition 2^-126 (sum (|x| + |w|) + 2 K), because vdpbf16ps flushes
//     subnormal numbers.
//   kWinograd, C input channels  |Y - exact| <= 176 g(C + 30) X sum |w| + g(C + 30) |bias|, with X
//     the largest |x| and the sum over the weights of the output channel. S is no bound, because
//     the error of a window comes from its whole tile. NaN and infinity reach every pixel of their
//     tiles.
//   float16 operands  as float32 they are widened exactly, and these bounds hold. As bfloat16 they
//     are rounded first by 2^-8 of themselves, which adds (2^-7 + 2^-16) S.
//   With an epilogue: kernels/tile/epilogue.h.
// Derivation of kWinograd: y = A^T [sum_c (G g_c G^T) . (B^T d_c B)] A is computed with an error of
// at most |A^T| [sum_c (|G| |g_c| |G^T|) . (|B^T| |d_c| |B|)] |A| times g(n), where n counts the
// roundings on a path (Barabasz, Anderson, Soodhalter, Gregg: Error Analysis and Improving the
// Accuracy of Winograd Convolution for Deep Neural Networks, ACM TOMS 46, 2020, theorem for 2
// dimensions). n = C + 30: 8 each for the transforms of input and weights, 10 for that of the
// output, C + 1 for the products, 1 for the bias, and 2 for the constants of the transforms. With
// |d| <= X the error is g(n) X sum |w| times the square of max over r, k of sum_i |A^T_ri| (sum_j
// |B^T_ij|) |G_ik|. That maximum is 13.25 for F(4x4, 3x3) on oneDNN's points 0, +-5/8, +-3/2 and
// infinity, and 4 for F(2x2, 3x3); oneDNN takes either. The mean error is far less:
// docs/internals/product_kernels.md. Checked by ConvTest.ErrorBound.
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

enum class LibraryAlgorithm { kDirect, kWinograd };

struct LibraryConvForm {
  LibraryAlgorithm algorithm = LibraryAlgorithm::kDirect;
  // Dtype to which float16 operands are converted, because this oneDNN has no float16: float32, or
  // bfloat16 for the dot units.
  DType float16_as = DType::kFloat32;
};

std::string_view LibraryConvRefusal(const KernelQuery& query, const LibraryConvForm& form);

template <LibraryConvForm form>
std::string_view LibraryConvRefusal(const KernelQuery& query) {
  return LibraryConvRefusal(query, form);
}

// Reason why another entry is faster: the direct method instead of Winograd's, or halftone's
// kernels instead of oneDNN's. Empty if none is known (KernelEntry::slower; conv_slower.cc has the
// measurements).
std::string_view LibraryConvSlower(const KernelQuery& query, const LibraryConvForm& form);

template <LibraryConvForm form>
std::string_view LibraryConvSlower(const KernelQuery& query) {
  return LibraryConvSlower(query, form);
}

std::unique_ptr<KernelState> PrepareLibraryConv(const KernelQuery& query,
                                                const LibraryConvForm& form);

template <LibraryConvForm form>
std::unique_ptr<KernelState> PrepareLibraryConv(const KernelQuery& query) {
  return PrepareLibraryConv(query, form);
}

std::size_t LibraryConvScratchBytes(const KernelState& state);
void RunLibraryConv(const KernelArgs& args) noexcept;

}  // namespace halftone
