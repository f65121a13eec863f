// Engine of a fleet: places tasks on machines. Rows of AllEngines(); each has a file of its own.
//
// The folder of the fleet is the record of what is done; an engine is asked only where to run and
// what it still has in its queue.
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

// A command that runs `elements` times, on any machines that fit, in any order.
struct EngineJob {
  std::string name;                // "halftone-zen5": for people
  std::vector<std::string> words;  // the program by its full path, and its arguments
  // 0: the command runs once. Else each run gets --element=I, I from 0, behind its words.
  std::size_t elements = 0;
  std::string constraint;          // FleetKind
  bool exclusive = false;          // FleetKind::exclusive
  int cpus = 0;                    // FleetKind::cpus
  std::vector<std::string> after;  // jobs that end first, however they end
  std::filesystem::path log;       // file prefix of what it prints: "<log>.<job>_<element>"
  // Seconds before a time limit of the engine at which the command gets SIGUSR1.
  int notice_s = 60;
  // True: what runs inside Submit() ends early. Engines that return at once do not ask.
  std::function<bool()> stop_requested = [] { return false; };
};

// An element of a job, or a job without elements, that is not finished.
struct EngineTask {
  enum class State : std::uint8_t { kQueued, kRunning };
  std::string job;  // as Submit() returned it
  std::optional<std::size_t> element;
  State state = State::kQueued;
  std::string node;    // where it runs
  std::string reason;  // why it waits, in the engine's word: "Resources"
  // The engine could not start it and will not try again by itself.
  bool is_held = false;
};

class FleetEngine {
 public:
  virtual ~FleetEngine() = default;

  // The most elements that one job may have. Error kIo: the engine does not answer.
  virtual std::size_t MostElements() = 0;

  // Returns the job's name, which Active() and `after` understand. The engine may run it before it
  // returns. Errors: kUsage for a constraint that no machine fits, kIo.
  virtual std::string Submit(const EngineJob& job) = 0;

  // The tasks of these jobs that wait or run. Error kIo: the engine does not answer.
  virtual std::vector<EngineTask> Active(std::span<const std::string> jobs) = 0;

  // From now on, an engine that does not answer is asked once instead of several times, for callers
  // who wait for the answer.
  virtual void AskOnce() {}

  // Takes a held task out of the queue, so that what comes after its job does not wait for it. One
  // that has started or ended meanwhile stays as it is. Error kIo.
  virtual void Withdraw(const EngineTask& /*task*/) {}

  // Called inside a task: the element runs again later, as a new start of the same element. False:
  // this engine, or this place, cannot do that.
  virtual bool RequeueThis() = 0;

  // True: Submit() returns after the job has run.
  [[nodiscard]] virtual bool waits() const { return false; }

  // True: a command that has run inside Submit() ended with another exit code than 0.
  [[nodiscard]] virtual bool failed() const { return false; }
};

// Error that Submit() throws where the user stopped a command that ran inside it.
class EngineInterrupted : public Error {
 public:
  EngineInterrupted() : Error(ErrorKind::kUsage, "interrupted") {}
};

struct EngineRow {
  std::string_view name;
  std::string_view meaning;  // for the help
  // `options` are FleetPlan::engine_options. Error kUsage for one that it does not take.
  std::unique_ptr<FleetEngine> (*open)(const OptionList& options);
};

std::span<const EngineRow> AllEngines();
// Error kUsage naming all.
std::unique_ptr<FleetEngine> OpenEngine(std::string_view name, const OptionList& options);

// Rows.
std::unique_ptr<FleetEngine> OpenSlurmEngine(const OptionList& options);
std::unique_ptr<FleetEngine> OpenLocalEngine(const OptionList& options);

// Place of a task, from the environment that the engine gives it.
struct TaskPlace {
  std::string node;  // SLURMD_NODENAME, else the host's name
  std::string job;   // "17_3"; empty: no engine
};

TaskPlace CurrentPlace();

}  // namespace halftone
