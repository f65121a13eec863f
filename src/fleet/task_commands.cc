#include "src/fleet/task_commands.h"

#include <fmt/format.h>

#include <algorithm>

#include "halftone/goal.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kErrorMark = "error: ";
// ONNX files of every point are 40 times the size of the rest; a fleet writes them on demand only.
constexpr std::string_view kExport = "export";
constexpr std::string_view kOfRetuneAlone[] = {"max_slowdown"};

struct ExitRow {
  int exit_code;
  CommandMeaning meaning;
};

// Of `halftone --help`.
constexpr ExitRow kExits[] = {
    {0, {CommandEnd::kAnswered, TaskEnd::kDone}},
    {1, {CommandEnd::kAnswered, TaskEnd::kFailed}},
    {2, {CommandEnd::kAnswered, TaskEnd::kFailed}},
    {3, {CommandEnd::kAnswered, TaskEnd::kBoundsNotMet}},
    {4, {CommandEnd::kAnswered, TaskEnd::kGateFailed}},
    {5, {CommandEnd::kAnswered, TaskEnd::kInconclusive}},
    {130, {CommandEnd::kInterrupted, TaskEnd::kDied}},
};

std::string Word(std::string_view name, std::string_view value) {
  return fmt::format("--{}={}", name, value);
}

void AddPaths(const TaskPaths& paths, std::vector<std::string>& words) {
  words.push_back(Word("op_bank_path", paths.bank.string()));
  if (!paths.seed.empty()) {
    words.push_back(Word("seed_bank", paths.seed.string()));
  }
  words.push_back(Word("output", paths.output.string()));
  words.push_back(Word("progress_file", paths.progress.string()));
}

std::vector<std::string> Words(std::string_view command, const FleetNetwork& network,
                               const OptionList& options, const TaskPaths& paths) {
  std::vector<std::string> words = {paths.program.string(), std::string(command),
                                    Word("model", network.model.string())};
  OptionList all = {{std::string(kExport), "none"}};
  SetOptions(options, all);
  for (const auto& option : all) {
    words.push_back(CommandWord(option));
  }
  AddPaths(paths, words);
  return words;
}

// Half of the budget at least, so that what the earlier runs found is used; less where they took
// longer than the budget, so that a task of many interruptions ends.
double RemainingSeconds(double budget_s, double spent_s) {
  const double least_s = budget_s * std::clamp(0.5 * budget_s / spent_s, 0.1, 0.5);
  return std::max(budget_s - spent_s, least_s);
}

}  // namespace

bool IsOfRetuneAlone(std::string_view option) {
  return std::ranges::find(kOfRetuneAlone, option) != std::end(kOfRetuneAlone);
}

std::vector<std::string> TuneWords(const FleetNetwork& network, const OptionList& options,
                                   const TaskPaths& paths) {
  OptionList taken = options;
  std::erase_if(taken, [](const auto& option) { return IsOfRetuneAlone(option.first); });
  return Words("tune", network, taken, paths);
}

std::vector<std::string> RetuneWords(const FleetNetwork& network, const OptionList& options,
                                     const TaskPaths& paths, const std::filesystem::path& shipped,
                                     const TakesOption& takes) {
  OptionList taken;
  std::ranges::copy_if(options, std::back_inserter(taken),
                       [&](const auto& option) { return takes("retune", option.first); });
  std::vector<std::string> words = Words("retune", network, taken, paths);
  words.push_back(Word("front", shipped.string()));
  words.emplace_back("--no_search");
  return words;
}

OptionList WithRemainingBudget(OptionList options, double spent_s) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(options, name, &OptionList::value_type::first) != options.end();
  };
  if (spent_s <= 0) {
    return options;
  }
  if (!has("budget") && !has("max_trials") && !has("time_limit")) {
    options.emplace_back("budget", kDefaultBudget);
  }
  for (auto& [name, value] : options) {
    if (name != "budget") {
      continue;
    }
    if (const std::optional<std::chrono::duration<double>> time = ParseBudget(value).time) {
      value = fmt::format("{:.1f}s", RemainingSeconds(time->count(), spent_s));
    }
  }
  return options;
}

CommandMeaning MeaningOf(int exit_code) {
  const auto* const row = std::ranges::find(kExits, exit_code, &ExitRow::exit_code);
  return row == std::end(kExits) ? CommandMeaning{} : row->meaning;
}

std::string LastError(std::string_view text) {
  std::string_view last;
  std::string_view error;
  for (const std::string_view line : Split(text, '\n')) {
    if (line.starts_with(kErrorMark)) {
      error = line.substr(kErrorMark.size());
    }
    if (!Trim(line).empty()) {
      last = Trim(line);
    }
  }
  return std::string(error.empty() ? last : error);
}

}  // namespace halftone
