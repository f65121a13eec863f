// Det: determinants of matrices [M, M] in the last two axes.
//
// Elimination with partial pivoting in double, one rounding of the product of the pivots. The
// product is the determinant of a matrix A + E with |E_ij| <= M 2^-53 (|L||U|)_ij; |L| <= 1 and
// |U| <= 2^(M-1) max |a| (Wilkinson), so that with rows a_i of A
//   |error| <= u |y| + M^3.5 2^(M-1) 2^-53 max |a| max_i prod_{j != i} ||a_j||,
// u that of the dtype. Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
// theorem 9.3, lemma 9.6, 14.6.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> DeterminantKernels();

}  // namespace halftone
