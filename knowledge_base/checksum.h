// Checksums of rows: SQLite notices broken pages, but not a flipped bit in a number.
//
// Members that were introduced later are part of a checksum only if they have a value. The
// checksums in exports of older programs (knowledge_base/record_json.h) therefore still match.
#pragma once

#include <string>
#include <string_view>

#include "knowledge_base/store.h"
#include "src/base/hash.h"

namespace halftone {

// Hash of plan digest and measurement; zero for a rejected trial. The candidate does not count:
// all candidates that resolve to one plan share its measurement.
Hash128 MeasurementHashOf(const Trial& trial);

// Parts of a trial that are stored as JSON text.
struct TrialTexts {
  std::string candidate;
  std::string low_precision_nodes;
  std::string kept_nodes;
};

TrialTexts TextsOf(const Trial& trial);

// Checksum of a whole trial.
Hash128 ChecksumOf(const Trial& trial);
// Checksum of a whole trial whose JSON texts are known: `texts` are those of TextsOf(), or those
// that the trial was read from.
Hash128 ChecksumOf(const Trial& trial, const TrialTexts& texts);
// Checksum of everything but id, recorded_at and the trial_id of the members.
Hash128 ChecksumOf(const StoredFront& front);
Hash128 ChecksumOf(const KernelVersion& kernels, const OperatorTiming& timing);
// Checksum of an operator profile; `content` is the JSON text of its calls (profile_json.h).
Hash128 ChecksumOf(const KernelVersion& kernels, std::string_view op, int threads,
                   std::string_view content);
Hash128 ChecksumOf(const BankCalibration& calibration);
// Checksum of a sensitivity; `content` is its JSON text (sensitivity_json.h).
Hash128 ChecksumOf(const Hash128& decisions, std::string_view content);
// Checksum of everything, including model_name and operators, which KeyOf() leaves out.
Hash128 ChecksumOf(const Workload& workload);

// Checksum that a row stores. It covers `content`, one of the checksums above, and the time of the
// record, because the time decides which measurement of a plan counts.
Hash128 RowChecksum(const Hash128& content, std::string_view recorded_at);

}  // namespace halftone
