#include "src/fleet/task.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <optional>
#include <system_error>

#include "src/api/bank/bank_upkeep.h"
#include "src/api/bank/workload.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/path_error.h"
#include "src/base/remove_below.h"
#include "src/base/run_program.h"
#include "src/base/shell_words.h"
#include "src/fleet/checkpoint.h"
#include "src/fleet/merge.h"
#include "src/fleet/scratch_folder.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kMostAttempts = 3;
constexpr double kGrace_s = 25;  // for a search to end and write; Slurm kills 30 s after SIGTERM
constexpr double kNoTimeout_s = 1e9;

class Task {
 public:
  Task(const FleetFolder& folder, const FleetPlan& plan, const FleetItem& item,
       const TaskPlace& place, const WorkSettings& settings, ScratchFolder& scratch)
      : folder_(folder),
        plan_(plan),
        item_(item),
        place_(place),
        settings_(settings),
        scratch_(scratch),
        network_(*plan.FindNetwork(item.network)),
        options_(OptionsOf(plan, item)),
        checkpoint_(folder, plan, item, place, scratch, settings.say) {}

  // False: interrupted.
  bool Run() {
    begin_ = Clock::now();
    result_.network = item_.network;
    result_.kind = item_.kind;
    result_.node = place_.node;
    result_.job = place_.job;
    result_.begin = UtcNow();
    checkpoint_.Restore();
    const std::optional<fs::path> shipped = Shipped();
    const bool finished = shipped ? Retune(*shipped) : Tune();
    if (finished) {
      result_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
      WriteFileAtomically(scratch_.result(), ResultToJson(result_));
    }
    return finished;
  }

 private:
  // The newest front of an earlier round, for a round that asks whether it still holds.
  [[nodiscard]] std::optional<fs::path> Shipped() const {
    if (plan_.task != RoundTask::kRetune) {
      return std::nullopt;
    }
    for (int round = folder_.round() - 1; round > 0; --round) {
      fs::path shipped = folder_.OfRound(round).ResultFolder(item_);
      if (fs::exists(shipped / "front.json")) {
        return shipped;
      }
    }
    return std::nullopt;
  }

  // What is done again is measured again: the bank would answer it with what was taken away.
  [[nodiscard]] OptionList OptionsNow() const {
    OptionList options = options_;
    if (folder_.Generation(item_) > 0) {
      SetOptions({{"search_again", "true"}}, options);
    }
    return options;
  }

  [[nodiscard]] TaskPaths Paths() const {
    return {.program = settings_.program,
            .bank = scratch_.bank(),
            .seed = folder_.MergedBank(item_.kind),
            .output = scratch_.output(),
            .progress = scratch_.progress()};
  }

  bool Tune() {
    if (!RunCommand([this] {
          return TuneWords(network_, WithRemainingBudget(OptionsNow(), checkpoint_.spent_s()),
                           Paths());
        })) {
      return false;
    }
    if (result_.end != TaskEnd::kFailed && result_.end != TaskEnd::kDied) {
      // Else it would be of a run that was interrupted.
      AddFront(scratch_.output() / "front.json", result_);
    }
    return true;
  }

  bool Retune(const fs::path& shipped) {
    if (!RunCommand(
            [&] { return RetuneWords(network_, options_, Paths(), shipped, settings_.takes); })) {
      return false;
    }
    // What cannot be told to be worse is not searched again: on this machine now, no search could
    // tell either.
    if (result_.end == TaskEnd::kDone || result_.end == TaskEnd::kGateFailed ||
        result_.end == TaskEnd::kInconclusive) {
      result_.end = result_.end == TaskEnd::kDone ? TaskEnd::kHolds : result_.end;
      KeepShipped(shipped);
      return true;
    }
    const bool measured = result_.end == TaskEnd::kBoundsNotMet;
    const std::string why = measured ? RetuneVerdict(shipped) : result_.reason;
    settings_.say(
        fmt::format("{}: what was shipped does not hold: {}; searching again", item_.network, why));
    if (!Tune()) {
      return false;
    }
    result_.end = result_.end == TaskEnd::kDone ? TaskEnd::kSearchedAgain : result_.end;
    result_.retune_verdict = why;
    return true;
  }

  [[nodiscard]] std::string RetuneVerdict(const fs::path& shipped) const {
    FleetResult found;
    AddFront(shipped / "front.json", found);
    AddRetune(scratch_.output() / "retune.json", found);
    return found.retune_verdict;
  }

  // The front goes on as what is shipped, with the figures of now.
  void KeepShipped(const fs::path& shipped) {
    AddFront(shipped / "front.json", result_);
    AddRetune(scratch_.output() / "retune.json", result_);
    result_.reason = result_.retune_verdict;
    CopyFolder(shipped, scratch_.output(),
               {"result.json", "bank", "log", "retune.json", "retune.md"});
  }

  // Runs a command until it answers; `words_now` gives its words for each attempt. False:
  // interrupted.
  bool RunCommand(const std::function<std::vector<std::string>()>& words_now) {
    while (true) {
      result_.attempts = checkpoint_.CountAttempt();
      if (result_.attempts > kMostAttempts) {  // this process died each time too
        result_.attempts = kMostAttempts;
        result_.end = TaskEnd::kDied;
        result_.reason = fmt::format("begun {} times, and ended each time with its machine or job",
                                     kMostAttempts);
        return true;
      }
      const std::vector<std::string> words = words_now();
      BeginLog(words);
      RemoveOneBelow(scratch_.path(), scratch_.progress());  // of a command before
      const ProgramResult ran = RunProgram(words, Options());
      const CommandMeaning meaning =
          ran.stopped ? CommandMeaning{CommandEnd::kInterrupted} : MeaningOf(ran.exit_code);
      if (meaning.what == CommandEnd::kInterrupted) {
        checkpoint_.Save(true);
        return false;
      }
      if (meaning.end == TaskEnd::kFailed) {
        RequireRoom();
      }
      result_.end = meaning.end;
      result_.exit_code = ran.exit_code;
      if (meaning.what == CommandEnd::kAnswered) {
        checkpoint_.Answered();
        result_.reason =
            meaning.end == TaskEnd::kFailed ? LastError(ran.err) : std::string(NameOf(meaning.end));
        return true;
      }
      result_.reason = DeathOf(ran);
      settings_.say(fmt::format("{}: {}", item_.network, result_.reason));
      if (result_.attempts >= kMostAttempts) {
        return true;
      }
    }
  }

  // Error kIo: it is the machine that failed, for lack of disk, and not the network.
  void RequireRoom() const {
    constexpr std::uintmax_t kLeastBytes = std::uintmax_t{1} << 20;
    std::error_code code;
    const fs::space_info space = fs::space(scratch_.output(), code);
    if (!code && space.available < kLeastBytes) {
      throw Error(ErrorKind::kIo,
                  fmt::format("the disk below '{}' is full: free space there, or name another "
                              "folder with --scratch; the task goes on from what it measured",
                              settings_.scratch.string()));
    }
  }

  [[nodiscard]] ProgramOptions Options() {
    return {.timeout_s = kNoTimeout_s,
            .grace_s = kGrace_s,
            // An empty variable is none: the environment would win over the task's own bank.
            .environment = {"TUNE_BANK_PATH="},
            .folder = plan_.start_folder,
            .log = scratch_.output() / "log",
            .keep_end = true,
            .stop_requested = [this] {
              checkpoint_.Look();
              return settings_.stop_requested();
            }};
  }

  static std::string DeathOf(const ProgramResult& ran) {
    const std::string last = LastError(ran.err);
    const std::string end = ran.signal != 0 ? fmt::format("ended by signal {}", ran.signal)
                                            : fmt::format("ended with exit code {}", ran.exit_code);
    return last.empty() ? end : fmt::format("{}: {}", end, last);
  }

  // The command as it is typed, in front of what it prints.
  void BeginLog(const std::vector<std::string>& words) const {
    const fs::path log = scratch_.output() / "log";
    std::string text = fs::exists(log) ? ReadFile(log) : "";
    text += "$";
    for (const std::string& word : words) {
      text += " " + ShellArgument(word);
    }
    WriteFileAtomically(log, text + "\n");
  }

  const FleetFolder& folder_;
  const FleetPlan& plan_;
  const FleetItem& item_;
  const TaskPlace& place_;
  const WorkSettings& settings_;
  ScratchFolder& scratch_;
  const FleetNetwork& network_;
  OptionList options_;
  Checkpoint checkpoint_;
  Clock::time_point begin_;
  FleetResult result_;
};

// "net: done: Chosen: point 1, ...": the end, and the first sentence of the reason.
void SayResult(const FleetFolder& folder, const FleetItem& item, const WorkSettings& settings) {
  const std::optional<FleetResult> result = folder.Result(item);
  if (!result) {
    return;  // taken away meanwhile
  }
  const std::string_view end = NameOf(result->end);
  const std::string reason = result->reason.substr(0, result->reason.find(". "));
  settings.say(reason == end ? fmt::format("{}: {}", item.network, end)
                             : fmt::format("{}: {}: {}", item.network, end, reason));
}

// A bank that cannot be read is left out: a result without it is better than none.
void PublishBank(const FleetItem& item, const fs::path& bank, const fs::path& result,
                 const WorkSettings& settings) {
  try {
    if (fs::exists(bank)) {
      CopyBank(bank, {}, result / "bank");
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kDatabase) {
      throw;
    }
    settings.say(fmt::format("{}: published without its bank: {}", item.network, error.what()));
  }
}

bool PublishResult(const FleetFolder& folder, const FleetItem& item, ScratchFolder& scratch,
                   const WorkSettings& settings) {
  try {
    const bool first = folder.Publish(item, [&](const fs::path& result) {
      CopyFolder(scratch.output(), result, {});
      PublishBank(item, scratch.bank(), result, settings);
    });
    scratch.Remove();
    RemoveCheckpoint(folder, item);
    return first;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::kIo,
                fmt::format("the result of '{}' could not be published: {}; it stays in '{}' and "
                            "is published by the next run of this task on this machine",
                            item.network, SentenceOf(error), scratch.output().string()));
  }
}

// Networks of an element that have no result by an error of the machine or the folder. The next
// ones are tried; several in a row are none of the networks.
struct ElementErrors {
  static constexpr int kMostInARow = 3;
  int count = 0;
  int in_a_row = 0;
  std::string last;
  std::exception_ptr last_error;

  // Called while `error` is handled.
  void Add(const std::string& network, std::string_view error, const WorkSettings& settings) {
    settings.say(fmt::format("{}: no result: {}", network, error));
    ++count;
    last = error;
    last_error = std::current_exception();
    if (++in_a_row == kMostInARow) {
      ThrowAny();
    }
  }

  void ThrowAny() const {
    if (count == 1) {
      std::rethrow_exception(last_error);
    }
    if (count > 1) {
      throw Error(ErrorKind::kIo,
                  fmt::format("{} networks have no result; the last: {}", count, last));
    }
  }
};

}  // namespace

TaskOutcome RunTask(const FleetFolder& folder, const FleetPlan& plan, const FleetItem& item,
                    const TaskPlace& place, const WorkSettings& settings) {
  folder.RequireInside(item);
  const auto is_over = [&] { return folder.HasResult(item) || settings.stop_requested(); };
  ScratchFolder scratch(settings.scratch, folder, item, is_over);
  if (folder.HasResult(item)) {
    scratch.Remove();
    return TaskOutcome::kThereAlready;
  }
  if (!scratch.held()) {
    return TaskOutcome::kInterrupted;
  }
  try {
    if (!fs::exists(scratch.result()) &&
        !Task(folder, plan, item, place, settings, scratch).Run()) {
      return TaskOutcome::kInterrupted;
    }
  } catch (const std::exception&) {
    // Another copy that has published removes what this one needs.
    if (folder.HasResult(item)) {
      return TaskOutcome::kThereAlready;
    }
    throw;
  }
  return PublishResult(folder, item, scratch, settings) ? TaskOutcome::kPublished
                                                        : TaskOutcome::kThereAlready;
}

bool RunElement(const FleetFolder& folder, const std::string& kind, const fs::path& list,
                std::size_t element, std::size_t stride, const WorkSettings& settings) {
  const FleetPlan plan = folder.Plan();
  const TaskPlace place = CurrentPlace();
  if (!plan.start_folder.empty() && !fs::is_directory(plan.start_folder)) {
    throw Error(ErrorKind::kIo,
                fmt::format("no folder '{}' on {}: it held the file that was submitted, and "
                            "commands start in it; every machine needs it",
                            plan.start_folder.string(), place.node));
  }
  const std::vector<std::string> networks = FleetFolder::ReadList(list);
  ElementErrors errors;
  for (std::size_t i = element; i < networks.size(); i += stride) {
    const FleetItem item = {kind, networks[i]};
    if (plan.FindNetwork(item.network) == nullptr || plan.FindKind(kind) == nullptr) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}' names network '{}' of kind '{}', which the "
                              "plan of round {} does not have",
                              list.string(), item.network, kind, folder.round()));
    }
    if (folder.HasResult(item)) {
      continue;
    }
    settings.say(fmt::format("{}: begins on {}", item.network, place.node));
    try {
      if (RunTask(folder, plan, item, place, settings) == TaskOutcome::kInterrupted) {
        settings.say(fmt::format("{}: interrupted; its measurements are kept", item.network));
        return false;
      }
      SayResult(folder, item, settings);
      errors.in_a_row = 0;
    } catch (const std::exception& error) {
      errors.Add(item.network, SentenceOf(error), settings);
      continue;
    }
    MergeBetweenTasks(folder, kind, settings.say);
  }
  errors.ThrowAny();
  return true;
}

}  // namespace halftone
