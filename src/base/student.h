// Student's t distribution.
#pragma once

namespace halftone {

// The t that a variable of Student's distribution with `freedom` degrees of freedom exceeds in
// magnitude with probability `miss`: 12.706 for 5 % and one degree. Relative error below 1e-9.
// Requires 0 < miss < 1 and freedom >= 1; above 1000 degrees the t of 1000.
double StudentT(double miss, int freedom);

}  // namespace halftone
