// A point of the search space: a configuration that a user could have typed.
#pragma once

#include <string>

#include "src/precision/precision_options.h"
#include "src/precision/vocabulary.h"

namespace halftone {

struct Candidate {
  PrecisionOptions options;

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

// One line for tables and progress, in the vocabulary of the target (src/precision/vocabulary.h).
inline std::string Summary(const Candidate& candidate, const Vocabulary& words) {
  return Summary(candidate.options, words);
}

}  // namespace halftone
