// Report of the comparison of the best (best_comparison.h). labs/onnxruntime/best_table.py makes
// the table.
#pragma once

#include <span>
#include <string>

#include "labs/onnxruntime/best_comparison.h"

namespace halftone {

struct BestHead {
  double bound = 0;  // on the relative L2 error
  int threads = 1;
  std::string peer_version;  // "1.30.0"
  double budget_s = 0;
};

// A line: the time and the error of each form, "-" for one that is missing; a network without
// numbers has its reason there.
std::string BestRow(const BestNetwork& network);

// JSON of the comparison, with all digits.
std::string FormatBestJson(const BestHead& head, std::span<const BestNetwork> networks);

}  // namespace halftone
