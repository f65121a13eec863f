#include "search/strategies/strategy_option.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/base/whole_number.h"

namespace halftone {
namespace {

const StrategyOption* FindOption(std::span<const StrategyOption> table, std::string_view name) {
  for (const StrategyOption& option : table) {
    if (option.name == name) {
      return &option;
    }
  }
  return nullptr;
}

std::string OptionNames(std::span<const StrategyOption> table) {
  std::vector<std::string> names;
  for (const StrategyOption& option : table) {
    names.emplace_back(option.name);
  }
  return Join(names, ", ");
}

}  // namespace

std::size_t OptionValue(std::span<const StrategyOption> table, const StrategyValues& given,
                        std::string_view name) {
  const StrategyOption* option = FindOption(table, name);
  Check(option != nullptr, "a strategy reads an option that its table does not have");
  const auto value = given.find(name);
  return value == given.end() ? option->fallback : value->second;
}

StrategyValues ParseOptionValues(std::string_view strategy, std::span<const StrategyOption> table,
                                 std::string_view text) {
  if (table.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("the strategy '{}' has no options, got ':{}'", strategy, Shown(text)));
  }
  if (text.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("no option follows '{}:': expected OPTION=VALUE, options are {}",
                            strategy, OptionNames(table)));
  }
  StrategyValues values;
  for (const std::string_view part : Split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const StrategyOption* option = FindOption(table, name);
    if (option == nullptr) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("the strategy '{}' has no option '{}': expected one of {}", strategy,
                              Shown(name), OptionNames(table)));
    }
    if (values.contains(name)) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("the option '{}' of the strategy '{}' is given twice", name, strategy));
    }
    const std::string_view number =
        equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
    const std::optional<std::size_t> value = WholeNumber<std::size_t>(number);
    if (!value || *value < option->least || *value > option->most) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("the option '{}' of the strategy '{}' is a whole number from {} to "
                              "{}, got '{}'",
                              name, strategy, option->least, option->most, Shown(number)));
    }
    values.emplace(name, *value);
  }
  return values;
}

std::string OptionValuesText(std::span<const StrategyOption> table, const StrategyValues& given) {
  std::vector<std::string> parts;
  for (const StrategyOption& option : table) {
    const std::size_t value = OptionValue(table, given, option.name);
    if (value != option.fallback) {
      parts.push_back(fmt::format("{}={}", option.name, value));
    }
  }
  return Join(parts, ",");
}

}  // namespace halftone
