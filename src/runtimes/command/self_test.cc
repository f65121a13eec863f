// Whether a command can be trusted: CommandRuntime::SelfTest().
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <variant>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/runtimes/command/command_plan.h"
#include "src/runtimes/command/command_runtime.h"
#include "src/runtimes/command/damaged_model.h"

namespace halftone {
namespace {

// A candidate that equals float32 may seem so much faster or slower before six pairs decide.
constexpr double kSameLatency = 0.05;
constexpr int kPairsOfTie = 6;

bool SameValues(const Tensor& a, const Tensor& b) {
  for (std::int64_t i = 0; i < a.ElementCount(); ++i) {
    const double first = DoubleAt(a.dtype(), a.data(), i);
    const double second = DoubleAt(b.dtype(), b.data(), i);
    if (first != second && !(std::isnan(first) && std::isnan(second))) {
      return false;
    }
  }
  return true;
}

}  // namespace

void CommandRuntime::CheckTie() {
  const auto is_tie = [](const Latency& latency) {
    return std::abs(std::log(latency.ratio)) < kSameLatency ||
           (latency.ratio_interval.low <= 1 && latency.ratio_interval.high >= 1);
  };
  const auto time = [&](const InvocationPairsOptions& options) {
    const auto timed = TimePairs(*reference_, {}, options);
    if (const auto* const rejection = std::get_if<Rejection>(&timed)) {
      ThrowReferenceFails(rejection->reason);
    }
    return std::get<Latency>(timed);
  };
  // Two pairs: float32 twice.
  if (is_tie(time({.budget_s = 0}))) {
    return;
  }
  const Latency latency = time({.budget_s = std::numeric_limits<double>::infinity(),
                                .target_half_width = 0,
                                .most_pairs = kPairsOfTie});
  if (!is_tie(latency)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("--measure=command: float32 as a candidate takes {:.3g} times as long as "
                    "float32 as the reference, [{:.3g}, {:.3g}] over {} pairs of calls; the "
                    "command must measure {{model}} alike for either {{role}}",
                    latency.ratio, latency.ratio_interval.low, latency.ratio_interval.high,
                    kPairsOfTie));
  }
}

std::string CommandRuntime::CheckDamaged() {
  const std::filesystem::path folder = root_ / "plans" / std::to_string(plans_++);
  CreateFolder(folder / "files");
  const auto model = WriteDamagedModel(reference_->files().model, network_, folder / "files");
  if (!model) {
    return CheckBroken("No output of the model is a signed number or bool, which could be negated");
  }
  CommandPlan damaged(folder, {.model = *model, .notes = {}}, reference_->plan(), description_);
  damaged.home = folder / "home";
  const auto outcome = Call(
      damaged, {.data = &samples_, .samples = samples_.size(), .is_timed = false, .repeat = false});
  const auto* const run = std::get_if<CommandRun>(&outcome);
  if (run == nullptr || !run->answer.outputs) {
    return CheckBroken("A model with negated outputs does not run there");
  }
  return WithContext(
      [] { return "--measure=command"; },
      [&]() -> std::string {
        const OutputFolder right(reference_->outputs()->folder, network_);
        const OutputFolder wrong(*run->answer.outputs, network_);
        for (std::size_t i = 0; i < samples_.size(); ++i) {
          if (!std::ranges::equal(right.Read(i), wrong.Read(i), SameValues)) {
            return {};
          }
        }
        throw Error(ErrorKind::kUsage,
                    "a model with negated outputs gives the outputs of float32: the command does "
                    "not run {model} (HALFTONE_MODEL), or leaves outputs of an earlier call");
      });
}

std::string CommandRuntime::CheckBroken(const std::string& why) {
  const std::filesystem::path folder = root_ / "plans" / std::to_string(plans_++);
  CreateFolder(folder / "files");
  const std::filesystem::path model = folder / "files" / "broken.onnx";
  WriteFileAtomically(model, "no model\n");
  CommandPlan broken(folder, {.model = model, .notes = {}}, reference_->plan(), description_);
  broken.home = folder / "home";
  const auto outcome = Call(broken, {.data = &samples_, .is_timed = false, .repeat = false});
  if (std::holds_alternative<CommandRun>(outcome)) {
    throw Error(ErrorKind::kUsage,
                "--measure=command: a file that is no model is measured like any other: the "
                "command does not run {model} (HALFTONE_MODEL)");
  }
  return fmt::format(
      "{}: whether the command measures the model that it is given was tried only with a file that "
      "is no model, which fails, as it should.",
      why);
}

std::vector<std::string> CommandRuntime::SelfTest() {
  CheckTie();
  std::vector<std::string> notes;
  std::string note = gives_outputs_ && reference_->outputs()
                         ? CheckDamaged()
                         : CheckBroken("The command hands out no outputs");
  if (!note.empty()) {
    notes.push_back(std::move(note));
  }
  notes.push_back(fmt::format(
      "float32 takes {} there; calls of the command differ by {:.2g} %, so each plan is called {} "
      "or more.",
      FormatSeconds(last_reference_s_), 100 * spread_.sigma(),
      spread_.Repeats() == 1 ? "once" : fmt::format("{} times", spread_.Repeats())));
  return notes;
}

}  // namespace halftone
