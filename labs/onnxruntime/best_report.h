// Report of CompareBest() (best_comparison.h). labs/onnxruntime/best_table.py makes a table of it.
#pragma once

#include <span>
#include <string>

#include "labs/onnxruntime/best_comparison.h"

namespace halftone {

struct BestHead {
  double bound = 0;  // bound on the relative L2 error
  int threads = 1;
  std::string peer_version;  // "1.30.0"
  double budget_s = 0;
};

// A line with the time and the error of each form, or "-" for a missing form. For a network without
// numbers, the line says why.
std::string BestRow(const BestNetwork& network);

// JSON of the comparison, with all digits.
std::string FormatBestJson(const BestHead& head, std::span<const BestNetwork> networks);

}  // namespace halftone
