// Cells that the console table and the Markdown table share.
#pragma once

#include <string>
#include <vector>

#include "src/base/text_table.h"
#include "src/report/tune_summary.h"

namespace halftone {

// A row for each point of the front: number, speed-up with interval, accuracy, configuration,
// operators kept in float32.
TextTable FrontTable(const TuneSummary& summary);

// A sentence for each point that computes everything in float32 and yet differs from float32: its
// kernels add in another order.
std::vector<std::string> FrontFootnotes(const TuneSummary& summary);

// Operators kept in float32: "none", "all 13", "4 of 13: conv1, conv2, ..." (at most `most` names).
std::string FormatKept(const Trial& trial, std::size_t most);

// Options of a point, such as "--precision_mode=force_fp16", with paths from the folder of the
// report. If the target's tool has other options: the command that runs the script of the point.
std::vector<std::string> OptionTexts(const FrontPoint& point, const Vocabulary& words);

// Name of the point that TunedFront::described() gives: "the chosen point", or "point 3, the
// nearest one".
std::string DescribedPoint(const TuneSummary& summary);

}  // namespace halftone
