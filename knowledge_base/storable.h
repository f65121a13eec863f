// What both stores demand of what they are given, and how they treat it alike.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "knowledge_base/store.h"

namespace halftone {

// How far the latency of a trial was looked at, as the column `confirmed` has it.
enum class LatencyState : std::int64_t { kQuick = 0, kConfirmed = 1, kRaced = 2 };

LatencyState StateOf(const Measurement& measurement);

// The values by sample of a metric of this measurement that are stored: those of confirmed trials,
// which are what a later measurement is compared with, sample by sample. Empty: none.
std::span<const double> StoredValues(const Measurement& measurement, const MetricValue& metric);

// Error kInternal for numbers that are not finite, fewer samples on one side than on the other, and
// measured trials without a plan: such a trial is a bug of the caller.
void CheckStorable(const Trial& trial);
// `trials`: none, or one a member, each a measurement of its plan.
void CheckStorable(const StoredFront& front, std::span<const Trial> trials = {});
void CheckStorable(const OperatorTiming& timing);

// Two trials of a workload with equal identity are the same trial, the newer of which counts: the
// plan digest, and without a plan the candidate and the reason.
std::string IdentityOf(const Trial& trial);

// Whether `text` is a time as it is stored, UTC to the millisecond: "2026-01-31T12:00:00.123Z". The
// order of such texts is that of the times.
bool IsRecordTime(std::string_view text);

// The row as a front refers to it.
FrontMember MemberOf(const StoredTrial& row);

// Error kDatabase for a member of a front whose trial is not stored.
[[noreturn]] void ThrowUnknownMember(const FrontMember& member);
// Error kDatabase for a workload that was never added.
[[noreturn]] void ThrowUnknownWorkload(const Hash128& key);

}  // namespace halftone
