// Hashes of the content of rows. SQLite notices broken pages, not a flipped bit in a number.
#pragma once

#include "knowledge_base/store.h"
#include "src/base/hash.h"

namespace halftone {

// Of everything in the trial.
Hash128 ChecksumOf(const Trial& trial);
// Of everything but id and recorded_at.
Hash128 ChecksumOf(const StoredFront& front);

}  // namespace halftone
