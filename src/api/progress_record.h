// Record of the progress of a run of `tune` or `retune`: the content of --progress_file
// (docs/reference/output.md), for programs that start many runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "src/report/best_so_far.h"

namespace halftone {

// Member "format" of the file. Adding a member to the file does not change it.
inline constexpr int kProgressFormat = 1;

enum class RunPhase : std::uint8_t {
  kPrepare,    // reads the network, the samples and the knowledge base
  kOperators,  // times the kernels of operators
  kProbes,     // calibrates, and measures the sensitivities of operators
  kSearch,     // measures plans
  kConfirm,    // measures the front again
  kDone,       // has ended, as `outcome` says
};

// "prepare", "operators", "probes", "search", "confirm", "done".
std::string_view NameOf(RunPhase phase);

// Steps of a phase. A step is a decided operator, a probed group, a known or measured plan, or a
// confirmed point.
struct PhaseSteps {
  std::uint64_t done = 0;
  std::optional<std::uint64_t> planned;  // upper bound; empty: no limit

  friend bool operator==(const PhaseSteps&, const PhaseSteps&) = default;
};

struct RunOutcome {
  // NameOf(RunEnd), "does_not_hold" (retune), or "failed" for an error.
  std::string end;
  int exit_code = 0;    // exit code of the command
  std::string message;  // message of the error; empty: no error

  friend bool operator==(const RunOutcome&, const RunOutcome&) = default;
};

struct ProgressRecord {
  RunPhase phase = RunPhase::kPrepare;
  std::optional<PhaseSteps> steps;   // empty: the phase does not count steps
  std::uint64_t plans_measured = 0;  // plans that this run measured
  std::uint64_t plans_known = 0;     // plans taken from the knowledge base
  // Upper bound of measured and known plans together; empty: unknown, or no limit.
  std::optional<std::uint64_t> plans_planned;
  double elapsed_s = 0;  // seconds since the command began its work
  BestSoFar best;
  std::optional<RunOutcome> outcome;  // empty before kDone

  friend bool operator==(const ProgressRecord&, const ProgressRecord&) = default;
};

// One line of JSON, with its line break.
std::string FormatProgress(const ProgressRecord& record);

// Inverse of FormatProgress(); ignores unknown members. `where`: name of the file. Error kUsage for
// another text or another format.
ProgressRecord ParseProgress(std::string_view text, std::string_view where);

// Reads the record from a file. Empty: the file is missing (the run has not begun), unreadable or
// damaged.
std::optional<ProgressRecord> ReadProgressFile(const std::filesystem::path& path);

}  // namespace halftone
