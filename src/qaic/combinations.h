// Combinations of options of the Cloud AI compiler that exclude each other, or of which one has no
// effect.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/qaic/option_table.h"

namespace halftone {

struct QaicCombination {
  bool is_error = false;  // false: a warning
  bool (*holds)(const ToolCommandLine& line) = nullptr;
  std::string_view text;  // a sentence: what was found, what follows, what to do
  // A command line, without the model, on which the row holds. The test of the table runs it.
  std::string_view example;
};

std::span<const QaicCombination> QaicCombinations();

// Warnings of the rows that hold, in the order of the table. Error kUsage if a row that is an error
// holds, with the text of the first such row.
std::vector<std::string> CheckCombinations(const ToolCommandLine& line);

// True if the options ask for integers: a profile is loaded or made in memory, or the ranges of
// another tool are read, and -convert-to-fp16 is not given.
bool AsksForQuantization(const ToolCommandLine& line);

}  // namespace halftone
