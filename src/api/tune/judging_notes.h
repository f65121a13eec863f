// Footnotes of a front about elements of outputs that were judged apart or left out.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/accuracy/output_counts.h"
#include "src/report/tune_summary.h"

namespace halftone {

struct FrontNotes {
  std::vector<std::string> reference;            // full sentences about float32
  std::vector<std::vector<std::string>> points;  // full sentences about each point of the front
};

// Returns JudgingNotes() of float32 and, for each point, those of its outputs in which saturation
// changed infinities or sentinels.
FrontNotes NotesOf(std::span<const OutputCounts> reference, const TunedFront& front);

// Returns the sentences about float32, then those about points, each once with all its points:
// "points 1, 3: ...".
std::vector<std::string> SentencesOf(const FrontNotes& notes);

// Converts the notes to JSON for a knowledge base, those of points by plan; empty for no notes.
std::string ToText(const FrontNotes& notes, const TunedFront& front);

// Inverse of ToText(). `front` may have the plans in another order; a point whose plan is not in
// the text gets no notes. Throws nlohmann::json::exception for another text.
FrontNotes NotesFrom(std::string_view text, const TunedFront& front);

}  // namespace halftone
