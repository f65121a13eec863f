// Checksums of rows. SQLite notices broken pages, not a flipped bit in a number.
//
// A member that a record does not have is no part of its checksum, so that the checksums in exports
// of before it existed hold (knowledge_base/record_json.h).
#pragma once

#include <string>
#include <string_view>

#include "knowledge_base/store.h"
#include "src/base/hash.h"

namespace halftone {

// Hash of plan and measurement, zero for a rejected trial. The candidate is left out: a known plan
// comes back with its measurement, whichever candidate proposes it.
Hash128 MeasurementHashOf(const Trial& trial);

// Parts of a trial that are stored as JSON text.
struct TrialTexts {
  std::string candidate;
  std::string low_precision_nodes;
  std::string kept_nodes;
};

TrialTexts TextsOf(const Trial& trial);

// Checksum of all of a trial.
Hash128 ChecksumOf(const Trial& trial);
// Checksum of a trial with the texts that it was read from or is written as.
Hash128 ChecksumOf(const Trial& trial, const TrialTexts& texts);
// Checksum of everything but id and recorded_at.
Hash128 ChecksumOf(const StoredFront& front);
Hash128 ChecksumOf(const KernelVersion& kernels, const OperatorTiming& timing);
// Checksum of an operator profile as it is stored; `content` are its calls.
Hash128 ChecksumOf(const KernelVersion& kernels, std::string_view op, int threads,
                   std::string_view content);
// Checksum of all of a calibration.
Hash128 ChecksumOf(const BankCalibration& calibration);
// Checksum of a sensitivity as it is stored.
Hash128 ChecksumOf(const Hash128& decisions, std::string_view content);
// Checksum of everything, including the name, which KeyOf() leaves out.
Hash128 ChecksumOf(const Workload& workload);

// The stored checksum: covers the content, as above, and the time of the record, which decides
// which measurement of a plan counts.
Hash128 RowChecksum(const Hash128& content, std::string_view recorded_at);

}  // namespace halftone
