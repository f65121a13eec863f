// Texts that choose a strategy and its options.
#include "search/strategies/strategy_option.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <string_view>

#include "search/strategies/strategy.h"
#include "src/base/error.h"

namespace halftone {
namespace {

struct DefaultRow {
  std::string_view strategy;
  std::string_view option;
  std::size_t fallback;
};

// Every option. Another default is another search for all who do not give the option.
constexpr DefaultRow kOptionDefaults[] = {
    {"model", "round", 0},         {"model", "goal_plans", 24},  {"model", "few_groups", 16},
    {"model", "small_plans", 120}, {"greedy", "bases", 4},       {"greedy", "probes", 64},
    {"greedy", "halvings", 16},    {"greedy", "type_points", 4}, {"bisect", "bounds", 4},
    {"bisect", "first_db", 30},    {"bisect", "step_db", 10},    {"nsga2", "population", 24},
    {"nsga2", "repeats", 100},
};

// Empty where the text chooses a strategy.
std::string ErrorOfStrategy(std::string_view text) {
  try {
    ParseStrategy(text);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage) << text;
    return error.what();
  }
}

TEST(StrategyOptionTest, DefaultsOfAllOptions) {
  std::size_t options = 0;
  for (const StrategyRow& row : AllStrategies()) {
    options += row.options.size();
  }
  EXPECT_EQ(options, std::size(kOptionDefaults));
  for (const DefaultRow& expected : kOptionDefaults) {
    const StrategyRow& row = *ParseStrategy(expected.strategy).row;
    EXPECT_EQ(OptionValue(row.options, {}, expected.option), expected.fallback)
        << expected.strategy << " " << expected.option;
  }
}

TEST(StrategyOptionTest, TakesItsRangeAndNothingBeyond) {
  for (const StrategyRow& row : AllStrategies()) {
    for (const StrategyOption& option : row.options) {
      const auto with = [&](std::size_t value) {
        return fmt::format("{}:{}={}", row.name, option.name, value);
      };
      EXPECT_LE(option.least, option.fallback) << with(option.fallback);
      EXPECT_LE(option.fallback, option.most) << with(option.fallback);
      EXPECT_FALSE(option.meaning.empty()) << with(option.fallback);
      for (const std::size_t value : {option.least, option.fallback, option.most}) {
        const StrategyChoice choice = ParseStrategy(with(value));
        EXPECT_EQ(choice.row->name, row.name);
        EXPECT_EQ(OptionValue(row.options, choice.values, option.name), value) << with(value);
      }
      EXPECT_NE(ErrorOfStrategy(with(option.most + 1)), "") << with(option.most + 1);
      if (option.least > 0) {
        EXPECT_NE(ErrorOfStrategy(with(option.least - 1)), "") << with(option.least - 1);
      }
    }
  }
}

TEST(StrategyOptionTest, OneTextForOneChoice) {
  struct Case {
    const char* text;
    const char* canonical;
  };

  const Case cases[] = {
      {"random", "random"},
      {"greedy", "greedy"},
      {"greedy:probes=64", "greedy"},
      {"greedy:probes=064", "greedy"},
      {"greedy:probes=4", "greedy:probes=4"},
      {"greedy:probes=4,bases=4", "greedy:probes=4"},
      {"greedy:type_points=1,probes=4", "greedy:probes=4,type_points=1"},
      {"bisect:step_db=5,bounds=2", "bisect:bounds=2,step_db=5"},
  };
  for (const auto& [text, canonical] : cases) {
    EXPECT_EQ(CanonicalStrategy(text), canonical);
    EXPECT_EQ(CanonicalStrategy(canonical), canonical);
  }
}

TEST(StrategyOptionTest, ErrorsInOneSentence) {
  struct Case {
    const char* text;
    const char* error;
  };

  const Case cases[] = {
      {"", "unknown strategy '': expected one of model, greedy, bisect, nsga2, exhaustive, random"},
      {"best:probes=4",
       "unknown strategy 'best': expected one of model, greedy, bisect, nsga2, exhaustive, random"},
      {"be\nst",
       "unknown strategy 'be\\nst': expected one of model, greedy, bisect, nsga2, exhaustive, "
       "random"},
      {"random:", "the strategy 'random' has no options, got ':'"},
      {"exhaustive:seed=4", "the strategy 'exhaustive' has no options, got ':seed=4'"},
      {"greedy:",
       "no option follows 'greedy:': expected OPTION=VALUE, options are bases, probes, halvings, "
       "type_points"},
      {"greedy:probs=4",
       "the strategy 'greedy' has no option 'probs': expected one of bases, probes, halvings, "
       "type_points"},
      {"greedy:probes=4,",
       "the strategy 'greedy' has no option '': expected one of bases, probes, halvings, "
       "type_points"},
      {"greedy:probes",
       "the option 'probes' of the strategy 'greedy' is a whole number from 1 to 10000, got ''"},
      {"greedy:probes=0",
       "the option 'probes' of the strategy 'greedy' is a whole number from 1 to 10000, got '0'"},
      {"greedy:probes=10001",
       "the option 'probes' of the strategy 'greedy' is a whole number from 1 to 10000, got "
       "'10001'"},
      {"greedy:probes=99999999999999999999",
       "the option 'probes' of the strategy 'greedy' is a whole number from 1 to 10000, got "
       "'99999999999999999999'"},
      {"greedy:probes=-4",
       "the option 'probes' of the strategy 'greedy' is a whole number from 1 to 10000, got '-4'"},
      {"greedy:probes=4.5",
       "the option 'probes' of the strategy 'greedy' is a whole number from 1 to 10000, got "
       "'4.5'"},
      {"greedy:probes=4,probes=4", "the option 'probes' of the strategy 'greedy' is given twice"},
  };
  for (const auto& [text, error] : cases) {
    EXPECT_EQ(ErrorOfStrategy(text), error) << text;
  }
}

TEST(StrategyOptionTest, AnOptionOutsideTheTableIsABug) {
  EXPECT_THROW(OptionValue({}, {}, "probes"), Error);
}

}  // namespace
}  // namespace halftone
