#include "src/runtimes/command/command_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <system_error>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/runtimes/command/command_plan.h"

namespace halftone {
namespace {

// Plans whose files stay; the measurer asks for one again soon or never.
constexpr std::size_t kMostRecent = 4;
// Runs of a call, of a network for which more would take longer than the budget: enough for an
// interval of their median.
constexpr int kFewestRuns = 10;
constexpr std::uintmax_t kMostProgram = 1
                                        << 20;  // bytes of a script that counts for stored results

// Digest of the scripts and small programs among the words: their results are others when they
// change. Empty: there are none.
std::string DigestOfPrograms(const std::vector<std::string>& words) {
  Hasher hasher;
  bool found = false;
  for (const std::string& word : words) {
    std::error_code code;
    const std::filesystem::path path = word;
    if (word.find('{') == std::string::npos && path.has_parent_path() &&
        std::filesystem::is_regular_file(path, code) &&
        std::filesystem::file_size(path, code) <= kMostProgram && !code) {
      hasher.Add(ReadFile(path));
      found = true;
    }
  }
  return found ? hasher.Finish().ToHex().substr(0, 8) : std::string();
}

// The folder of "outputs" in an answer: below {outputs}, else below {work}.
std::filesystem::path OutputsOf(const CommandAnswer& answer, const CommandCall& call) {
  const std::filesystem::path below_outputs =
      std::filesystem::path(call[Placeholder::kOutputs]) / *answer.outputs;
  std::error_code code;
  return std::filesystem::exists(below_outputs, code)
             ? below_outputs
             : std::filesystem::path(call[Placeholder::kWork]) / *answer.outputs;
}

// Whether OutputFolder says that outputs cannot be used; other errors are of this machine.
bool IsOfOutputs(const Error& error) {
  return error.kind() == ErrorKind::kUnsupported || error.kind() == ErrorKind::kUsage;
}

CommandPlan& AsCommandPlan(BuiltPlan& plan) {
  auto* const own = dynamic_cast<CommandPlan*>(&plan);
  Check(own != nullptr, "a plan that another runtime built");
  return *own;
}

}  // namespace

CommandRuntime::CommandRuntime(const Graph& network, PlanFilesWriter writer, const Dataset& samples,
                               CommandOptions options)
    : network_(network),
      writer_(std::move(writer)),
      samples_(samples),
      options_(std::move(options)),
      programs_(DigestOfPrograms(options_.words)),
      folder_("the files of --measure=command"),
      root_(std::filesystem::absolute(folder_.path())),
      network_hash_(HashOf(network)),
      gives_outputs_(options_.format.row == ResultFormats().data()) {
  if (!samples.state.empty() || samples.steps_each > 0) {
    throw Error(ErrorKind::kUnsupported,
                "--measure=command: sequences (--state) cannot be handed to a command; give single "
                "samples");
  }
  Check(!samples.empty(), "a runtime without samples");
  Describe({});
  reference_ = NewPlan(options_.anchor ? options_.anchor->plan : ReferencePlan(network));
}

CommandRuntime::~CommandRuntime() = default;

void CommandRuntime::ThrowReferenceFails(const std::string& reason) const {
  throw Error(ErrorKind::kUnsupported, fmt::format("--measure=command: {} cannot be measured: {}",
                                                   reference_words(), reason));
}

void CommandRuntime::Describe(const CommandAnswer& answer) {
  std::vector<std::string> parts = {fmt::format("command '{}'", Printable(options_.text))};
  if (options_.format.row != ResultFormats().data()) {
    parts.push_back(fmt::format("format {}", Printable(options_.format_text)));
  }
  if (!programs_.empty()) {
    parts.push_back(fmt::format("programs {}", programs_));
  }
  if (options_.anchor) {
    parts.push_back("against " + options_.anchor->name);
  }
  for (const std::string& part : {answer.runtime, answer.device}) {
    if (!part.empty()) {
      parts.push_back(Printable(part));
    }
  }
  description_ = Join(parts, ", ");
}

std::unique_ptr<CommandPlan> CommandRuntime::NewPlan(const PrecisionPlan& plan) const {
  const std::filesystem::path folder = root_ / "plans" / std::to_string(plans_++);
  CreateFolder(folder / "files");
  // Scripts see option files by the environment alone.
  const bool all = options_.format.row->tells_invalid ||
                   std::ranges::any_of(options_.words, [](const std::string& word) {
                     return HasPlaceholder(word, Placeholder::kFiles, "--measure=command");
                   });
  PlanFiles files = writer_(plan, folder / "files", all);
  auto built = std::make_unique<CommandPlan>(folder, std::move(files), plan, description_);
  const std::string digest = built->Digest(network_hash_, options_.text + programs_).ToHex();
  built->home =
      options_.cache.empty() ? folder / "home" : std::filesystem::absolute(options_.cache) / digest;
  return built;
}

std::variant<std::shared_ptr<BuiltPlan>, Rejection> CommandRuntime::Build(
    const PrecisionPlan& plan) {
  if (plan == reference_->plan()) {
    return reference_;
  }
  const auto found = std::ranges::find_if(
      recent_, [&](const std::shared_ptr<CommandPlan>& built) { return built->plan() == plan; });
  if (found != recent_.end()) {
    return *found;
  }
  try {
    recent_.push_back(NewPlan(plan));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) {
      throw;
    }
    return Rejection{error.what()};
  }
  if (recent_.size() > kMostRecent) {
    recent_.pop_front();
  }
  return recent_.back();
}

const std::filesystem::path& CommandRuntime::InputsOf(const Dataset& data, std::size_t count) {
  const std::pair key(data.Hash(), count);
  const auto known = inputs_.find(key);
  if (known != inputs_.end()) {
    return known->second;
  }
  const std::filesystem::path folder = fmt::format("inputs/{}", inputs_.size());
  WriteSampleFiles(folder_, folder, network_, data, count, options_.form);
  return inputs_.emplace(key, folder).first->second;
}

CommandCall CommandRuntime::CallOf(const CommandPlan& plan, const Request& request) {
  CommandCall call;
  call[Placeholder::kModel] = std::filesystem::absolute(plan.files().model).string();
  call[Placeholder::kFiles] = plan.files_folder().string();
  call[Placeholder::kInputs] = (folder_.path() / InputsOf(*request.data, request.samples)).string();
  call[Placeholder::kOutputs] = plan.OutputsFolder().string();
  call[Placeholder::kResult] = (plan.folder() / "result").string();
  call[Placeholder::kWork] = (plan.home / "work").string();
  const int timed_runs = request.runs > 0 ? request.runs : options_.runs;
  call[Placeholder::kRuns] = std::to_string(request.is_timed ? timed_runs : 1);
  call[Placeholder::kWarmup] = std::to_string(request.is_timed ? options_.warmup : 0);
  call[Placeholder::kSeconds] = fmt::format("{:.0f}", std::max(1.0, std::ceil(request.seconds)));
  call[Placeholder::kPoint] = plan.plan().Digest().ToHex();
  call[Placeholder::kRole] = request.is_candidate ? "candidate" : "reference";
  call.log = plan.home / "output.txt";
  call.lock = plan.home / "lock";
  call.repeat = request.repeat;
  return call;
}

std::optional<CommandTrouble> CommandRuntime::KeepOutputs(CommandPlan& plan, const Request& request,
                                                          std::string& folder) const {
  if (request.samples != request.data->size()) {
    return std::nullopt;
  }
  try {
    folder = plan.Keep(request.data->Hash(), folder, request.samples, network_).string();
  } catch (const Error& error) {
    if (!IsOfOutputs(error)) {
      throw;
    }
    return CommandTrouble{.reason = error.what(), .of_files = true};
  }
  return std::nullopt;
}

std::variant<CommandRun, Rejection, CommandTrouble> CommandRuntime::Call(CommandPlan& plan,
                                                                         const Request& request) {
  const CommandCall call = CallOf(plan, request);
  auto outcome = RunCommand(options_, call);
  if (auto* const run = std::get_if<CommandRun>(&outcome)) {
    CommandAnswer& answer = run->answer;
    if (!request.is_candidate) {
      Describe(answer);
    }
    plan.TakeFacts(answer, run->wall_s, network_, description_);
    if (answer.outputs) {
      answer.outputs = OutputsOf(answer, call).string();
      if (auto trouble = KeepOutputs(plan, request, *answer.outputs)) {
        return std::move(*trouble);
      }
    }
    plan.mutable_facts().own_outputs = answer.outputs.has_value();
  }
  return outcome;
}

std::variant<CommandRun, Rejection> CommandRuntime::Invoke(CommandPlan& plan,
                                                           const Request& request) {
  auto outcome = Call(plan, request);
  if (auto* const run = std::get_if<CommandRun>(&outcome)) {
    return std::move(*run);
  }
  if (auto* const rejection = std::get_if<Rejection>(&outcome)) {
    return std::move(*rejection);
  }
  return Judged(std::get<CommandTrouble>(outcome), request.is_candidate);
}

Rejection CommandRuntime::Judged(const CommandTrouble& trouble, bool is_candidate) {
  // A tool has one exit status for a plan that it cannot build and for a device that is lost, and a
  // full disk spoils files as a plan may.
  if (is_candidate && (trouble.of_files || !options_.format.row->tells_invalid) &&
      std::holds_alternative<CommandRun>(
          Call(*reference_, {.is_candidate = false, .data = &samples_}))) {
    return Rejection{trouble.reason};
  }
  if (trouble.of_files && !is_candidate) {
    ThrowReferenceFails(trouble.reason);
  }
  throw Error(ErrorKind::kUnsupported,
              fmt::format("--measure=command: {} calls in a row failed, of {}: {}", kMostErrors,
                          is_candidate ? "a candidate" : reference_words(), trouble.reason));
}

int CommandRuntime::RunsFor(double seconds) const {
  const int fewest = std::min(kFewestRuns, options_.runs);
  return last_reference_s_ > 0 ? static_cast<int>(std::clamp(seconds / last_reference_s_,
                                                             1.0 * fewest, 1.0 * options_.runs))
                               : options_.runs;
}

std::variant<Latency, Rejection> CommandRuntime::TimePairs(CommandPlan& candidate,
                                                           const RuntimeTiming& timing,
                                                           const InvocationPairsOptions& options) {
  // Both sides of the first pair get all samples where outputs are wanted still.
  bool calls[2] = {false, false};
  const bool wants_outputs =
      gives_outputs_ && !(candidate.outputs() && candidate.outputs()->data == samples_.Hash());
  const int runs = RunsFor(timing.budget_s / 2);  // alike on both sides
  std::optional<Rejection> rejection;
  const InvokeSide invoke = [&](bool is_candidate) -> std::optional<Invocation> {
    const bool is_first = !std::exchange(calls[is_candidate ? 1 : 0], true);
    CommandPlan& plan = is_candidate ? candidate : *reference_;
    const auto outcome = Invoke(plan, {.is_candidate = is_candidate,
                                       .data = &samples_,
                                       .samples = is_first && wants_outputs ? samples_.size() : 1,
                                       .seconds = timing.budget_s / 2,
                                       .runs = runs});
    if (const auto* const run = std::get_if<CommandRun>(&outcome)) {
      gives_outputs_ = gives_outputs_ && run->answer.outputs.has_value();
      const double compile_s = run->answer.compile_s.value_or(0);
      return Invocation{.latencies_s = run->answer.latencies_s,
                        .wall_s = std::max(0.0, run->wall_s - compile_s)};
    }
    if (!is_candidate) {
      ThrowReferenceFails(std::get<Rejection>(outcome).reason);
    }
    rejection = std::get<Rejection>(outcome);
    return std::nullopt;
  };
  std::optional<Latency> latency =
      MeasureInvocationPairs(invoke, spread_, last_reference_s_, options);
  if (!latency) {
    return *rejection;
  }
  return std::move(*latency);
}

std::variant<Latency, Rejection> CommandRuntime::Time(BuiltPlan& candidate,
                                                      const RuntimeTiming& timing) {
  return TimePairs(
      AsCommandPlan(candidate), timing,
      {.budget_s = timing.budget_s, .give_up_above = timing.give_up_above, .seed = timing.seed});
}

std::variant<RuntimeOutputs, Rejection> CommandRuntime::Run(BuiltPlan& plan, const Dataset& data,
                                                            const TakeOutputs& take) {
  CommandPlan& own = AsCommandPlan(plan);
  if (!gives_outputs_) {
    own.mutable_facts().own_outputs = false;
    return RuntimeOutputs::kNone;
  }
  std::filesystem::path folder;
  if (own.outputs() && own.outputs()->data == data.Hash()) {
    folder = own.outputs()->folder;
  } else {
    auto outcome = Invoke(own, {.is_candidate = &own != reference_.get(),
                                .data = &data,
                                .samples = data.size(),
                                .is_timed = false});
    if (auto* const rejection = std::get_if<Rejection>(&outcome)) {
      return std::move(*rejection);
    }
    const CommandAnswer& answer = std::get<CommandRun>(outcome).answer;
    if (!answer.outputs) {
      return RuntimeOutputs::kNone;
    }
    folder = *answer.outputs;
  }
  const bool is_candidate = &own != reference_.get();
  std::optional<OutputFolder> outputs;
  for (std::size_t i = 0; i < data.size(); ++i) {
    std::vector<Tensor> tensors;
    try {
      if (!outputs) {
        outputs.emplace(folder, network_);
      }
      tensors = outputs->Read(i);
    } catch (const Error& error) {
      if (!IsOfOutputs(error)) {
        throw;
      }
      return Judged({.reason = error.what(), .of_files = true}, is_candidate);
    }
    if (!take(i, std::move(tensors))) {
      break;
    }
  }
  return RuntimeOutputs::kTaken;
}

std::unique_ptr<CommandRuntime> MakeCommandRuntime(const Graph& network, PlanFilesWriter writer,
                                                   const Dataset& samples, CommandOptions options) {
  return std::make_unique<CommandRuntime>(network, std::move(writer), samples, std::move(options));
}

}  // namespace halftone
