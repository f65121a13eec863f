// Engine of a fleet, which places tasks on machines. Each engine has a file of its own and a row in
// AllEngines().
//
// Only the folder of the fleet records what is done. An engine runs jobs, and knows which of them
// wait or run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/error.h"
#include "src/fleet/fleet_plan.h"

namespace halftone {

// Job: a command that runs once, or `elements` times, in any order on any machines that fit.
struct EngineJob {
  std::string name;                // name for people: "halftone-zen5"
  std::vector<std::string> words;  // full path of the program, and its arguments
  // 0: the command runs once. Otherwise run I, from 0, has --element=I after its words.
  std::size_t elements = 0;
  std::string constraint;          // FleetKind::constraint
  bool exclusive = false;          // FleetKind::exclusive
  int cpus = 0;                    // FleetKind::cpus
  std::vector<std::string> after;  // jobs that must end before, with any result
  std::filesystem::path log;       // prefix of the log files: "<log>.<job>_<element>"
  // Seconds before a time limit of the engine at which the command gets SIGUSR1.
  int notice_s = 60;
  // A true result ends a command that runs inside Submit(). Other engines do not call it.
  std::function<bool()> stop_requested = [] { return false; };
};

// Unfinished task of an engine: an element of a job, or a job without elements.
struct EngineTask {
  enum class State : std::uint8_t { kQueued, kRunning };
  std::string job;  // as Submit() returned it
  std::optional<std::size_t> element;
  State state = State::kQueued;
  std::string node;    // machine on which it runs
  std::string reason;  // why it waits, in the engine's words: "Resources"
  // True: the engine could not start it and will not try again by itself.
  bool is_held = false;
};

class FleetEngine {
 public:
  virtual ~FleetEngine() = default;

  // Largest number of elements of a job. Error kIo if the engine does not answer.
  virtual std::size_t MostElements() = 0;

  // Submits a job, and runs it if waits() is true. Returns the job's name for Active() and
  // EngineJob::after. Errors: kUsage for a constraint that no machine fits; kIo.
  virtual std::string Submit(const EngineJob& job) = 0;

  // Tasks of these jobs that wait or run. Error kIo if the engine does not answer.
  virtual std::vector<EngineTask> Active(std::span<const std::string> jobs) = 0;

  // Asks an engine that does not answer only once from now on, not several times. For callers who
  // wait for the answer.
  virtual void AskOnce() {}

  // Takes a held task out of the queue, so that jobs after its job do not wait for it. Has no
  // effect on a task that has started or ended meanwhile. Error kIo.
  virtual void Withdraw(const EngineTask& /*task*/) {}

  // Called inside a task: lets the engine run the same element again later. False: this engine, or
  // this machine, cannot do that.
  virtual bool RequeueThis() = 0;

  // True: Submit() runs the job and returns when it has ended.
  [[nodiscard]] virtual bool waits() const { return false; }

  // True: a command that ran inside Submit() ended with an exit code other than 0.
  [[nodiscard]] virtual bool failed() const { return false; }
};

// Thrown by Submit() if the user stopped a command that ran inside it.
class EngineInterrupted : public Error {
 public:
  EngineInterrupted() : Error(ErrorKind::kUsage, "interrupted") {}
};

struct EngineRow {
  std::string_view name;
  std::string_view meaning;  // text for the help
  // Opens the engine. `options`: FleetPlan::engine_options. Error kUsage for an option that the
  // engine does not have.
  std::unique_ptr<FleetEngine> (*open)(const OptionList& options);
};

std::span<const EngineRow> AllEngines();
// Opens the engine of this name. Errors: kUsage for another name, listing all; as EngineRow::open.
std::unique_ptr<FleetEngine> OpenEngine(std::string_view name, const OptionList& options);

// EngineRow::open of the rows.
std::unique_ptr<FleetEngine> OpenSlurmEngine(const OptionList& options);
std::unique_ptr<FleetEngine> OpenLocalEngine(const OptionList& options);

// Place of a task, read from the environment variables that the engine sets.
struct TaskPlace {
  std::string node;  // SLURMD_NODENAME, or else the name of the host
  std::string job;   // "17_3"; empty: not a job of Slurm
};

TaskPlace CurrentPlace();

}  // namespace halftone
