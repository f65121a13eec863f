// Words for special values of metrics.
#pragma once

#include <string>
#include <string_view>

namespace halftone {

// "exact" for the SQNR of equal outputs; "not finite" if an output has an infinity or NaN that
// float32 does not have. Empty: the value is an ordinary number.
std::string_view WordOfValue(std::string_view metric, double value);

// An SQNR as text: "47.1 dB", at most "199.9 dB", or WordOfValue().
std::string FormatSqnr(double sqnr_db);

}  // namespace halftone
