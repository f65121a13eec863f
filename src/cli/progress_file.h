// Progress of a run in a file, for the program that started the run (--progress_file). The file is
// replaced about once a second (docs/reference/output.md).
//
// If the file cannot be written after work has begun, one warning says so and the work goes on.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "src/api/halftone.h"
#include "src/api/progress_record.h"
#include "src/cli/parser_classes.h"

namespace halftone {

void AddProgressFileFlag(CLI::App& app, std::string& path);

class ProgressFile {
 public:
  static constexpr double kPeriod_s = 1;

  struct Surroundings {
    std::function<double()> now_s;  // seconds of a clock that never goes back
    std::function<void(const std::string& sentence)> warn;
  };

  static Surroundings OfProgram();

  // Never writes if the path is empty.
  explicit ProgressFile(std::filesystem::path path, Surroundings surroundings = OfProgram());

  // Writes the first record, before work. Error kIo.
  void Begin();

  // Extends on_progress, on_operators and on_probes, and sets on_bounds, so that they update the
  // file. The object must outlive the callbacks.
  void Watch(TuneCallbacks& callbacks);

  // Write a record if the last one is a second old, or the phase is new.
  void Show(const TunerProgress& progress);
  void Show(const OperatorTunerProgress& progress);
  void Show(const ProbeProgress& progress);

  // Sets the bounds by which plans are judged from now on.
  void Judge(const Constraints& constraints, std::optional<double> reference_top1);

  // Sets the counts of the whole run, and chooses its best plans among `trials`. If `trials` is
  // empty, the best plans so far stay.
  void Take(std::uint64_t measured, std::uint64_t known, std::span<const Trial> trials);

  // Writes the last record.
  void Finish(RunOutcome outcome);

  // Calls Finish() with the outcome that `body` returns, and returns its exit code. If `body`
  // throws, calls Finish() with the outcome "failed" or "interrupted", and throws the exception on.
  template <typename Body>
  int Finishing(Body&& body) {
    RunOutcome outcome;
    try {
      outcome = std::forward<Body>(body)();
    } catch (const std::exception& error) {
      Fail(error);
      throw;
    }
    const int exit_code = outcome.exit_code;
    Finish(std::move(outcome));
    return exit_code;
  }

 private:
  // True if a record of `phase` is to be written now.
  [[nodiscard]] bool IsTime(RunPhase phase);
  void Show(RunPhase phase, const PhaseSteps& steps);
  void Fail(const std::exception& error) noexcept;
  void Write(double reader_wait_s);
  void WriteOrWarn();

  std::filesystem::path path_;
  Surroundings surroundings_;
  ProgressRecord record_;
  Constraints constraints_;
  std::optional<double> reference_top1_;
  std::set<RunPhase> phases_;  // phases that have been written
  double start_s_;
  double written_s_ = 0;
  bool warned_ = false;
};

}  // namespace halftone
