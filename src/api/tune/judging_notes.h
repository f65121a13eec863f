// Footnotes of a front on elements of outputs that were judged apart or left out.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/accuracy/output_counts.h"
#include "src/report/tune_summary.h"

namespace halftone {

struct FrontNotes {
  std::vector<std::string> reference;            // on float32, full sentences
  std::vector<std::vector<std::string>> points;  // parallel to the front: on saturation
};

// JudgingNotes() of float32, and for each point notes on what saturation made of infinities and
// sentinels in its outputs.
FrontNotes NotesOf(std::span<const OutputCounts> reference, const TunedFront& front);

// The sentences on float32, then each sentence on points once: "points 1, 3: ...".
std::vector<std::string> SentencesOf(const FrontNotes& notes);

// The notes as JSON, those of points by plan, for a knowledge base; empty: there are none.
std::string ToText(const FrontNotes& notes, const TunedFront& front);

// The inverse for a front of the same plans in any order; points that it does not know have no
// notes. nlohmann's exceptions for other texts.
FrontNotes NotesFrom(std::string_view text, const TunedFront& front);

}  // namespace halftone
