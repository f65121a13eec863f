// Why an operator loses too much accuracy in a reduced format: one of a few classes, with its
// evidence.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "search/probe/sensitivity.h"
#include "search/space/decisions.h"

namespace halftone {

// What a class is judged by: one group, and the choice in a reduced format that is not made.
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

// In the order in which they are judged; the last one applies to everything.
std::span<const CauseRow> AllCauses();

const CauseRow& CauseOf(const CauseFacts& facts);

}  // namespace halftone
