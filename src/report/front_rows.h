// The cells that the console table and the Markdown table share.
#pragma once

#include <string>
#include <vector>

#include "src/base/text_table.h"
#include "src/report/tune_summary.h"

namespace halftone {

// One row per front point: number, speed-up with interval, accuracy, configuration, kept operators.
TextTable FrontTable(const TuneSummary& summary);

// Sentences below the table on figures that need an explanation: a point of float32 alone that
// differs from float32.
std::vector<std::string> FrontFootnotes(const TuneSummary& summary);

// "all float32", "all but 3", "4 of 13: conv1, conv2, ..." (at most `most` names).
std::string FormatKept(const Trial& trial, std::size_t most);

// The options of a point, "--precision_mode=force_fp16", with paths from the folder of the report.
// If the target's tool has other options: the command of the script that holds them.
std::vector<std::string> OptionTexts(const FrontPoint& point, const Vocabulary& words);

// "the chosen point", or "point 3, the nearest one": what TunedFront::described() names.
std::string DescribedPoint(const TuneSummary& summary);

}  // namespace halftone
