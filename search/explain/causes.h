// Causes of an operator's accuracy loss in a reduced format: a few classes, each with its evidence.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "search/probe/sensitivity.h"
#include "search/space/decisions.h"

namespace halftone {

// Facts from which the cause follows: a group, and its rejected choice in a reduced format.
struct CauseFacts {
  const GroupSensitivity& group;
  const ChoiceSensitivity& choice;
  NumericFormat format;
  double saved_time;  // share of float32's time that the choice would save
};

struct CauseRow {
  std::string_view name;     // "overflow"
  std::string_view meaning;  // for documentation
  bool (*applies)(const CauseFacts&);
  std::string (*evidence)(const CauseFacts&);  // a clause with numbers
};

// All causes, in the order in which they are tested; the last one always applies.
std::span<const CauseRow> AllCauses();

// The first cause that applies.
const CauseRow& CauseOf(const CauseFacts& facts);

}  // namespace halftone
