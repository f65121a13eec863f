// Hashes of the content of rows. SQLite notices broken pages, not a flipped bit in a number.
#pragma once

#include <string>
#include <string_view>

#include "knowledge_base/store.h"
#include "src/base/hash.h"

namespace halftone {

// Of plan and measurement, zero for a rejected trial. The candidate is left out: a plan that is
// known comes back with the measurement it had, whichever candidate proposes it.
Hash128 MeasurementHashOf(const Trial& trial);

// What of a trial is stored as JSON text.
struct TrialTexts {
  std::string candidate;
  std::string low_precision_nodes;
  std::string kept_nodes;
};

TrialTexts TextsOf(const Trial& trial);

// Of everything in the trial.
Hash128 ChecksumOf(const Trial& trial);
// The same, with the texts that `trial` was read from or is written as.
Hash128 ChecksumOf(const Trial& trial, const TrialTexts& texts);
// Of everything but id and recorded_at.
Hash128 ChecksumOf(const StoredFront& front);
Hash128 ChecksumOf(const KernelVersion& kernels, const OperatorTiming& timing);
// Of a sensitivity as it is stored.
Hash128 ChecksumOf(const Hash128& decisions, std::string_view content);
// Of everything, the name too, which KeyOf() leaves out.
Hash128 ChecksumOf(const Workload& workload);

// What a row stores: of its content, as above, and of the time it was recorded, on which depends
// which measurement of a plan counts.
Hash128 RowChecksum(const Hash128& content, std::string_view recorded_at);
// Whether a row that stores `stored` is as it was written. Rows of before schema 9 store the
// checksum of the content alone, and so do those of an older halftone that was running when the
// bank was upgraded: their time is not covered.
bool MatchesRow(const Hash128& stored, const Hash128& content, std::string_view recorded_at);

}  // namespace halftone
