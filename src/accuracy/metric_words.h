// Words for values of metrics that stand for an event.
#pragma once

#include <string>
#include <string_view>

namespace halftone {

// "exact" for the SQNR of equal outputs, "not finite" for outputs with an infinity or NaN that
// float32 does not have; empty: the value is a figure.
std::string_view WordOfValue(std::string_view metric, double value);

// "47.1 dB", or its word; at most 199.9 dB for outputs that differ.
std::string FormatSqnr(double sqnr_db);

}  // namespace halftone
