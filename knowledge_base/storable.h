// Rules that the stores on the disk and in memory share: which values may be stored, and which
// trials count as the same.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "knowledge_base/store.h"

namespace halftone {

// Protocol by which the latency of a trial was measured; value of the column `confirmed`.
enum class LatencyState : std::int64_t { kQuick = 0, kConfirmed = 1, kRaced = 2 };

LatencyState StateOf(const Measurement& measurement);

// The values of a metric by sample that are stored. A confirmed trial keeps all of them, so that a
// later measurement can be compared with it sample by sample. Empty for other trials.
std::span<const double> StoredValues(const Measurement& measurement, const MetricValue& metric);

// The first reason not to store a value, a clause; empty if there is none. Flaws are: a number that
// is not finite; candidate and anchor with different numbers of samples; a measured trial without
// a plan; a chosen member that does not exist; a timing without a signature or kernel; a profile
// without an operator or threads, or whose calls have a flaw.
std::string FlawOf(const Trial& trial);
std::string FlawOf(const StoredFront& front);
std::string FlawOf(const OperatorTiming& timing);
std::string FlawOf(const OperatorProfile& profile);

// Throws Error kInternal, for a bug of the caller, if the value has a FlawOf().
void CheckStorable(const Trial& trial);
// `trials` must be empty, or have for each member a measured trial of its plan.
void CheckStorable(const StoredFront& front, std::span<const Trial> trials = {});
void CheckStorable(const OperatorTiming& timing);
void CheckStorable(const OperatorProfile& profile);

void CheckStorable(const BankCalibration& calibration);

// The first flaw of a calibration, a clause that says what was expected and found; empty if there
// is none. Flaws are: no scales, a text of more than kMostCalibrationBytes, and a had_s that is
// negative or not finite.
std::string FlawOf(const BankCalibration& calibration);

// The first flaw of a profile's calls, a clause that says what was expected and found; empty if
// there is none. Flaws are: a call without a family or without kernels, a number that is not
// finite, seconds that are not above 0, and another number of sizes than the first call of the
// family has.
std::string FlawOf(std::span<const ProfiledCall> calls);

// Identity of a trial within a workload: the plan digest, or for a trial without a plan a hash of
// candidate and reason. Of several trials with one identity the newest counts.
std::string IdentityOf(const Trial& trial);

// True if `text` has the digits and separators of a stored time, UTC to the millisecond:
// "2026-01-31T12:00:00.123Z". Such texts sort by time.
bool IsRecordTime(std::string_view text);

// The member of a front that refers to the trial in `row`.
FrontMember MemberOf(const StoredTrial& row);

// Throws Error kDatabase for a member of a front whose trial is not stored.
[[noreturn]] void ThrowUnknownMember(const FrontMember& member);
// Throws Error kDatabase for a workload that is not stored.
[[noreturn]] void ThrowUnknownWorkload(const Hash128& key);

}  // namespace halftone
