// --progress_file: how far a run is, in a file that is replaced about once a second
// (docs/reference/output.md), for a program that started it.
//
// The file is a help, not a result: what cannot be written once work has begun is one warning, and
// the work goes on.
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

namespace CLI {
class App;
}  // namespace CLI

namespace halftone {

void AddProgressFileFlag(CLI::App& app, std::string& path);

class ProgressFile {
 public:
  static constexpr double kPeriod_s = 1;

  struct Surroundings {
    std::function<double()> now_s;  // of a clock that never goes back
    std::function<void(const std::string& sentence)> warn;
  };

  static Surroundings OfProgram();

  // An empty path: nothing is ever written.
  explicit ProgressFile(std::filesystem::path path, Surroundings surroundings = OfProgram());

  // Before work: writes the first record. Error kIo, after which nothing more is written.
  void Begin();

  // Adds to callbacks that are set what keeps the file up to date; must outlive them.
  void Watch(TuneCallbacks& callbacks);

  // Write, when the last record is a second old or the phase is a new one.
  void Show(const TunerProgress& progress);
  void Show(const OperatorTunerProgress& progress);
  void Show(const ProbeProgress& progress);

  // What plans are judged by from now on.
  void Judge(const Constraints& constraints, std::optional<double> reference_top1);

  // Counts of the whole run, and the plans that it ended with; none: the best are as they were.
  void Take(std::uint64_t measured, std::uint64_t known, std::span<const Trial> trials);

  // Writes the last record.
  void Finish(RunOutcome outcome);

  // Finish() with the outcome of `body`, or with the exception that leaves it, "failed". The exit
  // code.
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
  // True when a record of `phase` is to be written now.
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
  std::set<RunPhase> phases_;  // that have been written
  double start_s_;
  double written_s_ = 0;
  bool warned_ = false;
};

}  // namespace halftone
