// Numbers that users and callers give, each with the range that is allowed: one parser and one
// sentence for options, files, environment variables and the interfaces of other languages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "halftone/ranges.h"
#include "src/base/whole_number.h"

namespace halftone {

// Hint how to write a text that ends with a percent sign as a number of the range: "; 1% is 0.01",
// "; leave out the %"; empty for another text.
std::string PercentHint(std::string_view text, const RealRange& range);
std::string PercentHint(std::string_view text, const WholeRange& range);

// The finite decimal number that is all of the text; empty: another text, nan, inf, or a number
// beyond those of double.
std::optional<double> FiniteNumber(std::string_view text);

// The number that the text is; empty: it is none, or outside of the range.
std::optional<std::int64_t> NumberIn(std::string_view text, const WholeRange& range);
std::optional<double> NumberIn(std::string_view text, const RealRange& range);

// NumberIn(), with Error kUsage "NAME=TEXT: expected a whole number from 0 to 1024", and the hint,
// where that is empty.
std::int64_t ParseNumber(std::string_view name, std::string_view text, const WholeRange& range);
double ParseNumber(std::string_view name, std::string_view text, const RealRange& range);

}  // namespace halftone
