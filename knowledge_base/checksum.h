// Hashes of the content of rows. SQLite notices broken pages, not a flipped bit in a number.
#pragma once

#include "knowledge_base/store.h"
#include "src/base/hash.h"

namespace halftone {

// Of plan and measurement, zero for a rejected trial. The candidate is left out: a plan that is
// known comes back with the measurement it had, whichever candidate proposes it.
Hash128 MeasurementHashOf(const Trial& trial);
// Of everything in the trial.
Hash128 ChecksumOf(const Trial& trial);
// Of everything but id and recorded_at.
Hash128 ChecksumOf(const StoredFront& front);
Hash128 ChecksumOf(const KernelVersion& kernels, const OperatorTiming& timing);
// Of a sensitivity as it is stored.
Hash128 ChecksumOf(const Hash128& decisions, std::string_view content);

}  // namespace halftone
