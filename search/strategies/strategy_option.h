// Options of a strategy, written behind its name on the command line: whole numbers within a range,
// each with a default.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace halftone {

// Row of the option table in the header of a strategy.
struct StrategyOption {
  std::string_view name;
  std::string_view meaning;
  std::size_t least = 0;
  std::size_t most = 0;
  std::size_t fallback = 0;  // value of the option if it is not given
};

// Values of the options that were given, by name.
using StrategyValues = std::map<std::string, std::size_t, std::less<>>;

// Value of an option of `table`: the given value, or else the fallback. Error kInternal if the
// table has no option of this name.
std::size_t OptionValue(std::span<const StrategyOption> table, const StrategyValues& given,
                        std::string_view name);

// Parses "OPTION=VALUE[,OPTION=VALUE...]" for the strategy of this name with the options of
// `table`. Error kUsage for an empty text, an empty table, an option that the table lacks or that
// is given twice, and a value that is no whole number or out of range.
StrategyValues ParseOptionValues(std::string_view strategy, std::span<const StrategyOption> table,
                                 std::string_view text);

// Text of the values that differ from their fallbacks, in table order and in the form that
// ParseOptionValues() reads; empty if no value differs.
std::string OptionValuesText(std::span<const StrategyOption> table, const StrategyValues& given);

}  // namespace halftone
