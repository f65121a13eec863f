// Checks and rules that both stores share.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "knowledge_base/store.h"

namespace halftone {

// Way in which the latency of a trial was measured, as the column `confirmed` stores it.
enum class LatencyState : std::int64_t { kQuick = 0, kConfirmed = 1, kRaced = 2 };

LatencyState StateOf(const Measurement& measurement);

// Values per sample of a metric that are stored: those of confirmed trials, with which a later
// measurement is compared sample by sample. Empty: none.
std::span<const double> StoredValues(const Measurement& measurement, const MetricValue& metric);

// The first flaw of what is to be stored, a clause: numbers that are not finite, sides with
// different numbers of samples, measured trials without a plan, a chosen member that is not there,
// a timing without names, a profile without an operator, threads or sound calls. Empty: none.
std::string FlawOf(const Trial& trial);
std::string FlawOf(const StoredFront& front);
std::string FlawOf(const OperatorTiming& timing);
std::string FlawOf(const OperatorProfile& profile);

// Error kInternal, a bug of the caller, for what has a FlawOf().
void CheckStorable(const Trial& trial);
// `trials`: empty, or one per member, each a measurement of its plan.
void CheckStorable(const StoredFront& front, std::span<const Trial> trials = {});
void CheckStorable(const OperatorTiming& timing);
void CheckStorable(const OperatorProfile& profile);

void CheckStorable(const BankCalibration& calibration);

// The first flaw of a calibration, a clause with what was expected and found: no scales, texts of
// more than kMostCalibrationBytes, seconds that are no number of 0 or more. Empty: none.
std::string FlawOf(const BankCalibration& calibration);

// The first flaw of a profile's calls, a clause with what was expected and found: a call without
// family or kernels, numbers that are not finite, seconds that are not above 0, another number of
// sizes than the first call of the family has. Empty: none.
std::string FlawOf(std::span<const ProfiledCall> calls);

// Identity of a trial within a workload; of two trials with the same, the newer counts: the plan
// digest, and without a plan the candidate and the reason.
std::string IdentityOf(const Trial& trial);

// True if `text` is a stored time, UTC to the millisecond: "2026-01-31T12:00:00.123Z". Such texts
// sort by time.
bool IsRecordTime(std::string_view text);

// The reference of a front to the row.
FrontMember MemberOf(const StoredTrial& row);

// Error kDatabase for a member of a front whose trial is not stored.
[[noreturn]] void ThrowUnknownMember(const FrontMember& member);
// Error kDatabase for a workload that was never added.
[[noreturn]] void ThrowUnknownWorkload(const Hash128& key);

}  // namespace halftone
