// Det: determinants of matrices [M, M] in the last two axes.
//
// The kernel eliminates with partial pivoting in double, multiplies the pivots in double, and
// rounds the product to the dtype. The product is the determinant of a matrix A + E with |E_ij| <=
// M 2^-53 (|L| |U|)_ij. Elements of |L| are at most 1, and those of |U| at most 2^(M-1) max |a|
// (Wilkinson). With rows a_i of A and the unit roundoff u of the dtype:
//   |error| <= u |y| + M^3.5 2^(M-1) 2^-53 max |a| max_i prod_{j != i} ||a_j||
// Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., theorem 9.3, lemma 9.6,
// 14.6.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> DeterminantKernels();

}  // namespace halftone
