#include "src/fleet/sbatch_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "src/base/error.h"
#include "src/base/shell_words.h"
#include "src/base/text.h"
#include "src/fleet/slurm_text.h"

namespace halftone {
namespace {

struct ReservedRow {
  std::string_view name;
  std::string_view instead;
};

constexpr std::string_view kOfFleet = "the fleet sets it";
constexpr std::string_view kOneProcess = "a task is one process on one node";
constexpr std::string_view kNoSubmission = "nothing would be submitted, or nothing told of it";
constexpr std::string_view kMustRestart = "a lost node or an interrupted task would not run again";
constexpr std::string_view kNeverWaitsForever = "jobs of a fleet depend on the end of others only";

// Options that halftone gives, or that break what it counts on.
constexpr ReservedRow kReserved[] = {
    {"array", kOfFleet},
    {"job-name", kOfFleet},
    {"dependency", kOfFleet},
    {"kill-on-invalid-dep", kNeverWaitsForever},
    {"constraint", "it is `constraint` of a kind"},
    {"exclusive", "it is `exclusive` of a kind"},
    {"cpus-per-task", "it is `cpus` of a kind"},
    {"requeue", kMustRestart},
    {"no-requeue", kMustRestart},
    {"open-mode", kOfFleet},
    {"output", "logs are in the fleet's folder"},
    {"error", "logs are in the fleet's folder"},
    {"input", "a task reads nothing"},
    {"signal", kOfFleet},
    {"wrap", kOfFleet},
    {"parsable", kOfFleet},
    {"nodes", kOneProcess},
    {"ntasks", kOneProcess},
    {"ntasks-per-node", kOneProcess},
    {"wait", kNoSubmission},
    {"test-only", kNoSubmission},
    {"help", kNoSubmission},
    {"usage", kNoSubmission},
    {"version", kNoSubmission},
};

// sbatch takes the begin of a long option for all of it: "arr".
const ReservedRow* FindReserved(std::string_view name) {
  const auto* row = std::ranges::find_if(
      kReserved, [&](const ReservedRow& other) { return other.name.starts_with(name); });
  return row != std::end(kReserved) ? row : nullptr;
}

bool IsOptionName(std::string_view name) {
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

[[noreturn]] void ThrowOption(std::string_view name, std::string_view text) {
  throw Error(ErrorKind::kUsage, fmt::format("engine slurm: option '{}': {}", Shown(name), text));
}

// Control characters: a name or a path of several lines forges lines in lists of jobs.
bool IsOneLine(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return c == '\n' || c == '\r' || c == '\0'; });
}

void CheckOption(std::string_view name, std::string_view value) {
  if (!IsOptionName(name)) {
    ThrowOption(name, "expected a long option of sbatch without its dashes, as 'partition'");
  }
  if (const ReservedRow* row = FindReserved(name)) {
    ThrowOption(name, fmt::format("'--{}' of sbatch is not the user's here: {}; leave it out",
                                  row->name, row->instead));
  }
  if (value.empty()) {
    ThrowOption(name, "expected a value, found none; a flag has the value true");
  }
  if (!IsOneLine(value)) {
    ThrowOption(name, fmt::format("expected a value of one line, found '{}'", Shown(value)));
  }
  if (name == "clusters" && !ParseSlurmJobName(fmt::format("1;{}", value))) {
    ThrowOption(name, fmt::format("expected the name of one cluster, found '{}'", Shown(value)));
  }
}

// What a pattern of --output stands for itself.
std::string EscapedLog(const std::filesystem::path& log) {
  std::string escaped;
  for (const char c : log.string()) {
    escaped += c == '%' ? "%%" : std::string(1, c);
  }
  // Slurm takes a backslash for "replace nothing in this path" and drops it.
  if (escaped.find('\\') != std::string::npos) {
    throw Error(ErrorKind::kUsage,
                fmt::format("'{}': Slurm writes no log to a path with a backslash; put the fleet "
                            "in another folder",
                            Printable(log.string())));
  }
  return escaped;
}

std::string Script(const EngineJob& job) {
  std::string line = "exec";
  for (const std::string& word : job.words) {
    line += " " + ShellWord(word);
  }
  return job.elements > 0 ? line + " --element=\"$SLURM_ARRAY_TASK_ID\"" : line;
}

// The jobs by id: dependencies do not cross clusters.
std::string Dependency(const std::vector<std::string>& after) {
  std::string text = "--dependency=afterany";
  for (const std::string& name : after) {
    const std::optional<SlurmJobName> job = ParseSlurmJobName(name);
    if (!job) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}' is no job of Slurm; expected a number", Shown(name)));
    }
    text += ":" + job->id;
  }
  return text;
}

// What the job's kind and the fleet ask for, behind the user's options: the last one counts.
std::vector<std::string> JobWords(const EngineJob& job) {
  std::vector<std::string> words = {"--job-name=" + job.name};
  if (job.elements > 0) {
    words.push_back(fmt::format("--array=0-{}", job.elements - 1));
  }
  if (!job.constraint.empty()) {
    words.push_back("--constraint=" + job.constraint);
  }
  if (job.exclusive) {
    words.emplace_back("--exclusive");
  } else if (job.cpus > 0) {
    words.push_back(fmt::format("--cpus-per-task={}", job.cpus));
  }
  words.insert(words.end(), {"--requeue", "--open-mode=append"});
  words.push_back("--output=" + EscapedLog(job.log) + (job.elements > 0 ? ".%A_%a" : ".%j"));
  if (job.notice_s > 0) {
    words.push_back(fmt::format("--signal=B:USR1@{}", job.notice_s));
  }
  if (!job.after.empty()) {
    words.push_back(Dependency(job.after));
  }
  return words;
}

}  // namespace

void CheckSbatchOptions(const OptionList& options) {
  for (const auto& [name, value] : options) {
    CheckOption(name, value);
  }
}

std::string ValueOf(const OptionList& options, std::string_view name) {
  const auto option =
      std::ranges::find_if(options, [&](const auto& other) { return other.first == name; });
  return option != options.end() ? option->second : "";
}

std::vector<std::string> SbatchWords(const OptionList& options, const EngineJob& job,
                                     const std::string& token) {
  Check(!job.words.empty(), "a job without a command");
  std::vector<std::string> words = {"sbatch", "--parsable"};
  for (const auto& option : options) {
    if (option.first != "comment") {
      words.push_back(CommandWord(option));
    }
  }
  const std::string comment = ValueOf(options, "comment");
  words.push_back(fmt::format("--comment={}{}{}", comment, comment.empty() ? "" : " ", token));
  const std::vector<std::string> own = JobWords(job);
  words.insert(words.end(), own.begin(), own.end());
  if (const auto bad = std::ranges::find_if_not(words, IsOneLine); bad != words.end()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("'{}': expected one line; names and paths of a fleet with the engine "
                            "slurm have no line breaks",
                            Shown(*bad)));
  }
  words.push_back("--wrap=" + Script(job));
  return words;
}

}  // namespace halftone
