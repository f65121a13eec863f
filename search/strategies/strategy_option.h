// Options of a strategy, which follow its name on the command line: whole numbers within a range,
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
  std::size_t fallback = 0;  // the value when it is not given
};

// Values of the options that were given, by name.
using StrategyValues = std::map<std::string, std::size_t, std::less<>>;

// The given value of an option of `table`, else its fallback. Error kInternal for a name that is
// not in the table.
std::size_t OptionValue(std::span<const StrategyOption> table, const StrategyValues& given,
                        std::string_view name);

// Parses "OPTION=VALUE[,OPTION=VALUE...]" for the strategy of this name with the options of
// `table`. Error kUsage for an option that the table lacks or that is given twice, a value that is
// no whole number or out of range, and an empty text.
StrategyValues ParseOptionValues(std::string_view strategy, std::span<const StrategyOption> table,
                                 std::string_view text);

// The values that differ from their fallbacks, in table order, as ParseOptionValues() reads them;
// empty if none does.
std::string OptionValuesText(std::span<const StrategyOption> table, const StrategyValues& given);

}  // namespace halftone
