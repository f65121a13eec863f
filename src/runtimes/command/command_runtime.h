// Runtime behind a command of the user: each invocation builds a plan there, times it and may leave
// its outputs (docs/guide/measuring_elsewhere.md).
//
// A command is slow, so one invocation both times a plan and gives its outputs. The first
// invocation that times a plan gets the search samples, and its outputs are stored for Run(). Later
// invocations get one sample.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "search/measure/runtime.h"
#include "src/accuracy/dataset.h"
#include "src/base/temporary_folder.h"
#include "src/ir/graph.h"
#include "src/runtimes/command/command_options.h"
#include "src/runtimes/command/invocation_pairs.h"
#include "src/runtimes/command/run_command.h"
#include "src/runtimes/plan_files.h"

namespace halftone {

class CommandPlan;

class CommandRuntime : public Runtime {
 public:
  // `samples` are those of the search, not empty. `network` and `samples` must outlive the runtime.
  // Error kUnsupported: the samples are sequences, or the model of the float32 network cannot be
  // written; kIo.
  CommandRuntime(const Graph& network, PlanFilesWriter writer, const Dataset& samples,
                 CommandOptions options);
  ~CommandRuntime() override;

  // The command, its format, a digest of the scripts that it names, and the anchor. After a run of
  // float32 also what the command says of runtime and device, so read it after SelfTest().
  [[nodiscard]] const std::string& description() const override { return description_; }

  [[nodiscard]] std::string anchor() const override {
    return options_.anchor ? options_.anchor->name : kFloat32Anchor;
  }

  // Writes the files of the plan. The command builds the plan when it times or runs it. A Rejection
  // if no file can express the plan.
  std::variant<std::shared_ptr<BuiltPlan>, Rejection> Build(const PrecisionPlan& plan) override;

  // Times in pairs of invocations (src/runtimes/command/invocation_pairs.h). Error kUnsupported:
  // three calls in a row failed, or a stop was requested.
  std::variant<Latency, Rejection> Time(BuiltPlan& candidate, const RuntimeTiming& timing) override;

  // Errors as Time(). A Rejection also if outputs are missing, no files, or of another size or
  // type; for float32 this is an Error.
  std::variant<RuntimeOutputs, Rejection> Run(BuiltPlan& plan, const Dataset& data,
                                              const TakeOutputs& take) override;

  // Checks before a search that the command measures what it is given:
  // - float32 as a candidate ties with float32.
  // - A damaged model gives other outputs. If the command hands out no outputs, or no output can be
  //   damaged, a file that is no model must fail instead.
  //
  // Returns notes, full sentences. Error kUsage: the command cannot be trusted; kUnsupported:
  // float32 does not run.
  std::vector<std::string> SelfTest();

 private:
  struct Request {
    bool is_candidate = true;
    const Dataset* data = nullptr;
    std::size_t samples = 1;  // the first ones of `data`
    double seconds = 1;       // of timed runs
    bool is_timed = true;     // false: one run, for outputs alone
    int runs = 0;             // of a timed call; 0: CommandOptions::runs
    bool repeat = true;       // as CommandCall::repeat
  };

  [[nodiscard]] std::unique_ptr<CommandPlan> NewPlan(const PrecisionPlan& plan) const;
  // Folder with the first `count` samples, relative to folder_. The first call writes them.
  const std::filesystem::path& InputsOf(const Dataset& data, std::size_t count);
  [[nodiscard]] CommandCall CallOf(const CommandPlan& plan, const Request& request);
  // Lets the plan keep the outputs in `folder` if they are of all samples; sets `folder` to where
  // they are then. Returns why they cannot be used; empty: they can.
  [[nodiscard]] std::optional<CommandTrouble> KeepOutputs(CommandPlan& plan, const Request& request,
                                                          std::string& folder) const;
  // Calls the command, and stores what it says in the facts of the plan. Outputs that cannot be
  // used are a CommandTrouble.
  std::variant<CommandRun, Rejection, CommandTrouble> Call(CommandPlan& plan,
                                                           const Request& request);
  // Call(); a CommandTrouble becomes what Judged() makes of it.
  std::variant<CommandRun, Rejection> Invoke(CommandPlan& plan, const Request& request);
  void Describe(const CommandAnswer& answer);
  // Number of runs of a timed call that fill `seconds`, as far as the options allow.
  [[nodiscard]] int RunsFor(double seconds) const;

  [[nodiscard]] std::string reference_words() const {
    return options_.anchor ? options_.anchor->name : "float32";
  }

  [[noreturn]] void ThrowReferenceFails(const std::string& reason) const;
  // Returns a Rejection if a candidate may be to blame and float32 still runs. Otherwise throws an
  // Error.
  Rejection Judged(const CommandTrouble& trouble, bool is_candidate);
  std::variant<Latency, Rejection> TimePairs(CommandPlan& candidate, const RuntimeTiming& timing,
                                             const InvocationPairsOptions& options);
  // Parts of SelfTest() (self_test.cc). Texts are notes; an empty text says nothing.
  void CheckTie();
  [[nodiscard]] std::string CheckDamaged();
  [[nodiscard]] std::string CheckBroken(const std::string& why);

  const Graph& network_;
  PlanFilesWriter writer_;
  const Dataset& samples_;
  CommandOptions options_;
  std::string programs_;  // digest of the scripts among the words
  std::string description_;
  TemporaryFolder folder_;
  std::filesystem::path root_;  // absolute path of folder_: commands run in other folders
  Hash128 network_hash_;
  mutable int plans_ = 0;  // number of plans written, for names of folders
  std::map<std::pair<Hash128, std::size_t>, std::filesystem::path> inputs_;  // by data and count
  std::shared_ptr<CommandPlan> reference_;
  std::deque<std::shared_ptr<CommandPlan>> recent_;  // plans whose files stay, the latest last
  InvocationSpread spread_;
  double last_reference_s_ = 0;
  bool gives_outputs_ = true;  // until an answer says otherwise
};

// A CommandRuntime. Errors as its constructor.
std::unique_ptr<CommandRuntime> MakeCommandRuntime(const Graph& network, PlanFilesWriter writer,
                                                   const Dataset& samples, CommandOptions options);

}  // namespace halftone
