// Record of how far a run of `tune` or `retune` is: what --progress_file holds
// (docs/reference/output.md), for programs that start many runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "src/report/best_so_far.h"

namespace halftone {

// "format" of the file. New fields come without a new number.
inline constexpr int kProgressFormat = 1;

enum class RunPhase : std::uint8_t {
  kPrepare,    // the network, the samples, the knowledge base
  kOperators,  // the kernels of operators are timed
  kProbes,     // calibration, and the sensitivities of operators
  kSearch,     // plans are measured
  kConfirm,    // the front is measured again
  kDone,       // the run has ended: `outcome` says how
};

// "prepare", "operators", "probes", "search", "confirm", "done".
std::string_view NameOf(RunPhase phase);

// Steps of a phase: operators decided, groups probed, plans known or measured, points confirmed.
struct PhaseSteps {
  std::uint64_t done = 0;
  std::optional<std::uint64_t> planned;  // at most; empty: no limit

  friend bool operator==(const PhaseSteps&, const PhaseSteps&) = default;
};

struct RunOutcome {
  // NameOf(RunEnd); "does_not_hold" of retune; "failed": an error ended it.
  std::string end;
  int exit_code = 0;    // that the command leaves with
  std::string message;  // of the error; empty: none

  friend bool operator==(const RunOutcome&, const RunOutcome&) = default;
};

struct ProgressRecord {
  RunPhase phase = RunPhase::kPrepare;
  std::optional<PhaseSteps> steps;             // empty: not counted
  std::uint64_t plans_measured = 0;            // in this run
  std::uint64_t plans_known = 0;               // taken from the knowledge base
  std::optional<std::uint64_t> plans_planned;  // both together at most; empty: not known, no limit
  double elapsed_s = 0;                        // since the command began its work
  BestSoFar best;
  std::optional<RunOutcome> outcome;  // empty before kDone

  friend bool operator==(const ProgressRecord&, const ProgressRecord&) = default;
};

// One line of JSON with a line break.
std::string FormatProgress(const ProgressRecord& record);

// Passes over fields that it does not know. Error kUsage: not such a text, or of another format.
// `where` is the file's name.
ProgressRecord ParseProgress(std::string_view text, std::string_view where);

// The record of a file. Empty: there is none, it cannot be read, or it is damaged or no such file,
// as before a run has begun.
std::optional<ProgressRecord> ReadProgressFile(const std::filesystem::path& path);

}  // namespace halftone
