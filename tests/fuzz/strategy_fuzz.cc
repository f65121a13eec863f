// The text of --strategy.
#include "search/strategies/strategy.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto choice = ValueOrError([&] { return ParseStrategy(TextOf(data, size)); });
  if (!choice) {
    return 0;
  }
  const std::string text = CanonicalStrategy(TextOf(data, size));
  const StrategyChoice again = ParseStrategy(text);
  Require(again.row == choice->row, "the canonical text chooses another strategy");
  for (const StrategyOption& option : choice->row->options) {
    Require(OptionValue(choice->row->options, again.values, option.name) ==
                OptionValue(choice->row->options, choice->values, option.name),
            "the values read back differ");
  }
  Require(CanonicalStrategy(text) == text, "the canonical text has another one");
  return 0;
}
