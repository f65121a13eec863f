// A point of the search space: a configuration that a user could have typed.
#pragma once

#include <string>

#include "src/precision/precision_options.h"

namespace halftone {

struct Candidate {
  PrecisionOptions options;

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

// One line for tables and progress: "force_fp16, keep 2 nodes, high_precision for 3 types".
std::string Summary(const Candidate& candidate);

}  // namespace halftone
