// Another set of operators in float32 that would do as well as the one that was chosen.
#pragma once

#include <string>
#include <vector>

#include "search/trial/pareto_front.h"

namespace halftone {

struct AlternativeSet {
  std::string lowered;            // the chosen plan keeps this operator, the alternative does not
  std::vector<std::string> kept;  // in float32, in the order of the network
  Objectives predicted;           // not measured

  friend bool operator==(const AlternativeSet&, const AlternativeSet&) = default;
};

}  // namespace halftone
