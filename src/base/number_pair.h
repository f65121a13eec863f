// Texts of two numbers that a sentence compares: a bound, and a figure that misses it.
#pragma once

#include <string>

namespace halftone {

struct NumberPair {
  std::string a;
  std::string b;
};

// The numbers with so many significant digits, or digits behind the point, and with more where
// their texts would be equal and they are not. Equal numbers have equal texts.
NumberPair SignificantPair(double a, double b, int digits);
NumberPair FixedPair(double a, double b, int digits);

}  // namespace halftone
