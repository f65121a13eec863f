// The cells that the console table and the Markdown table share.
#pragma once

#include <string>
#include <vector>

#include "src/report/tune_summary.h"

namespace halftone {

struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

// One row per front point: number, speed-up with interval, accuracy, configuration, kept operators.
TextTable FrontTable(const TuneSummary& summary);

// "1.83x [1.81, 1.85]"; with " tie" behind it when the interval holds 1.
std::string FormatSpeedUp(const Latency& latency);

// "47.1 dB"; "exact" for bit-identical outputs.
std::string FormatSqnr(double sqnr_db);

// "all float32", "all but 3", "4 of 13: conv1, conv2, ..." (at most `most` names).
std::string FormatKept(const Trial& trial, std::size_t most);

// What the report says first: the chosen point, or that none meets the constraints.
std::string Verdict(const TuneSummary& summary);

}  // namespace halftone
