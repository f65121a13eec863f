// Parsers of numbers with a legal range. Options, files, environment variables and the interfaces
// of other languages share them and their messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "halftone/ranges.h"
#include "src/base/whole_number.h"

namespace halftone {

// Hint for a text that ends with a percent sign. For a range of shares: "; 1% is 0.01". For other
// ranges: "; leave out the %". Empty if the hint would give no number of the range, and for other
// texts.
std::string PercentHint(std::string_view text, const RealRange& range);
std::string PercentHint(std::string_view text, const WholeRange& range);

// Returns the finite number that the whole text is in decimal. Empty for any other text, nan, inf,
// and a number beyond double.
std::optional<double> FiniteNumber(std::string_view text);

// Returns the number that the whole text is; empty: it is no number, or out of the range.
std::optional<std::int64_t> NumberIn(std::string_view text, const WholeRange& range);
std::optional<double> NumberIn(std::string_view text, const RealRange& range);

// Returns the number that the whole text is. Throws Error kUsage, "NAME=TEXT: expected a whole
// number from 0 to 1024" with PercentHint(), if it is no number or out of the range.
std::int64_t ParseNumber(std::string_view name, std::string_view text, const WholeRange& range);
double ParseNumber(std::string_view name, std::string_view text, const RealRange& range);

}  // namespace halftone
