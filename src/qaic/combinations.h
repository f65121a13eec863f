// Options of the Cloud AI compiler that exclude each other, or of which one is without effect.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/qaic/option_table.h"

namespace halftone {

struct QaicCombination {
  bool is_error = false;  // else a warning
  bool (*holds)(const ToolCommandLine& line) = nullptr;
  std::string_view text;  // a sentence: what was found, what follows, what to do
  // A command line, without the model, to which the row applies: for the test of the row.
  std::string_view example;
};

std::span<const QaicCombination> QaicCombinations();

// Warnings of the rows that hold, in order of the table. Error kUsage with the text of the first
// row that is one.
std::vector<std::string> CheckCombinations(const ToolCommandLine& line);

// True if the options ask for 8-bit integers: a profile is loaded or made in memory, or another
// tool's ranges are read, and no option for FP16 takes precedence.
bool AsksForQuantization(const ToolCommandLine& line);

}  // namespace halftone
