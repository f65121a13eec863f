#include "src/cli/color.h"

#include <gtest/gtest.h>

namespace halftone {
namespace {

struct Case {
  std::string_view mode;
  ColorFacts facts;
  bool colored;
};

TEST(ColorTest, OnlyOnATerminalThatWantsIt) {
  const ColorFacts terminal{.terminal = true, .no_color = "", .term = "xterm"};
  const ColorFacts pipe{.terminal = false, .no_color = "", .term = "xterm"};
  const Case cases[] = {
      {"auto", terminal, true},
      {"auto", pipe, false},
      {"auto", {.terminal = true, .no_color = "1", .term = "xterm"}, false},
      {"auto", {.terminal = true, .no_color = "0", .term = "xterm"}, false},  // any text counts
      {"auto", {.terminal = true, .no_color = "", .term = "dumb"}, false},
      {"auto", {.terminal = true, .no_color = "", .term = ""}, true},
      {"always", pipe, true},
      {"always", {.terminal = false, .no_color = "1", .term = "dumb"}, true},
      {"never", terminal, false},
  };
  for (const Case& row : cases) {
    EXPECT_EQ(UsesColor(row.mode, row.facts), row.colored)
        << row.mode << " " << row.facts.terminal << row.facts.no_color << row.facts.term;
  }
}

}  // namespace
}  // namespace halftone
