#include "src/fleet/slurm_engine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <map>
#include <random>
#include <thread>
#include <utility>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/fleet/sbatch_words.h"
#include "src/fleet/slurm_commands.h"
#include "src/fleet/slurm_text.h"

namespace halftone {
namespace {

constexpr std::size_t kMostJobsAsked = 500;  // by one command
// Number of queries in which a job must be missing before it is submitted again. A busy controller
// may answer a later request before it has read an earlier one.
constexpr int kLooks = 2;

using Words = std::vector<std::string>;
using NamesById = std::map<std::string, std::string>;

class SlurmEngine final : public FleetEngine {
 public:
  SlurmEngine(OptionList options, SlurmHooks hooks)
      : options_(std::move(options)),
        cluster_(ValueOf(options_, "clusters")),
        token_(std::move(hooks.token)),
        commands_(std::move(hooks.sleep)) {
    CheckSbatchOptions(options_);
  }

  std::size_t MostElements() override;
  std::string Submit(const EngineJob& job) override;
  std::vector<EngineTask> Active(std::span<const std::string> jobs) override;

  void AskOnce() override { commands_.AskOnce(); }

  void Withdraw(const EngineTask& task) override;
  bool RequeueThis() override;

 private:
  // A command about a cluster.
  static Words About(const std::string& cluster, Words words) {
    if (!cluster.empty()) {
      words.insert(words.begin() + 1, "--clusters=" + cluster);
    }
    return words;
  }

  ProgramResult SubmitOrFind(const Words& sbatch, const std::string& token);
  [[noreturn]] void ThrowRefused(const EngineJob& job, const ProgramResult& result);
  std::string FeaturesOfNodes();
  std::string AskQueue(const std::string& cluster, std::span<const std::string> ids);
  void AddActive(const std::string& cluster, const NamesById& names,
                 std::vector<EngineTask>& active);

  OptionList options_;
  std::string cluster_;  // empty: the default one
  std::function<std::string()> token_;
  SlurmCommands commands_;
};

[[noreturn]] void ThrowFailed(std::string_view command, const ProgramResult& result) {
  throw Error(ErrorKind::kIo, fmt::format("`{}` fails: {}", command, WhyFailed(result)));
}

std::size_t SlurmEngine::MostElements() {
  const ProgramResult result = commands_.Run(About(cluster_, {"scontrol", "show", "config"}));
  if (result.exit_code != 0) {
    ThrowFailed("scontrol show config", result);
  }
  const auto number = [&](std::string_view name) {
    const std::optional<std::size_t> value = ConfigNumber(result.out, name);
    if (!value) {
      throw Error(
          ErrorKind::kIo,
          fmt::format("`scontrol show config` says nothing of {}; expected a number", name));
    }
    return *value;
  };
  const std::size_t most = number("MaxArraySize");
  if (most == 0) {
    throw Error(ErrorKind::kIo,
                "the cluster takes no job arrays (MaxArraySize is 0); ask who runs it to raise it");
  }
  // Each element is a job of its own once it starts; others want some, too.
  return std::max<std::size_t>(1, std::min(most, number("MaxJobCount") / 2));
}

// Submits, or finds what an earlier try has submitted whose answer was lost. The result's `out` is
// as of sbatch.
ProgramResult SlurmEngine::SubmitOrFind(const Words& sbatch, const std::string& token) {
  ProgramResult submitted;
  int looks_left = 0;
  return commands_.UntilAnswered([&] {
    if (looks_left > 0) {
      const ProgramResult known =
          SlurmCommands::RunOnce(About(cluster_, {"squeue", "-h", "-a", "--states=all", "-o",
                                                  "%F|%k", fmt::format("--user={}", getuid())}));
      if (known.exit_code != 0) {
        return HasNoAnswer(known) ? known : submitted;
      }
      if (const std::optional<std::string> id = FindByComment(known.out, token)) {
        return ProgramResult{.out = ToText({*id, cluster_})};
      }
      if (--looks_left > 0) {
        return submitted;
      }
    }
    submitted = SlurmCommands::RunOnce(sbatch);
    looks_left = MayHaveArrived(submitted) ? kLooks : 0;
    return submitted;
  });
}

std::string SlurmEngine::Submit(const EngineJob& job) {
  const std::string token = "halftone-" + token_();
  const ProgramResult result = SubmitOrFind(SbatchWords(options_, job, token), token);
  if (result.exit_code != 0) {
    ThrowRefused(job, result);
  }
  const std::optional<SlurmJobName> name = ParseSlurmJobName(Trim(Trim(result.out)));
  if (!name) {
    throw Error(ErrorKind::kIo, fmt::format("sbatch printed '{}'; expected the number of a job",
                                            Shown(result.out)));
  }
  return ToText(*name);
}

void SlurmEngine::ThrowRefused(const EngineJob& job, const ProgramResult& result) {
  if (FailureOf(result.err) == SlurmFailure::kNoSuchFeature) {
    throw Error(ErrorKind::kUsage,
                fmt::format("no node of the cluster has the constraint '{}' of job '{}': {}",
                            job.constraint, job.name, FeaturesOfNodes()));
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("Slurm refuses the job '{}': {}; the engine's options and the kind's "
                          "constraint and cpus decide what it is asked for",
                          job.name, WhyFailed(result)));
}

// Part of a message: what there is in place of a feature.
std::string SlurmEngine::FeaturesOfNodes() {
  const ProgramResult result =
      SlurmCommands::RunOnce(About(cluster_, {"sinfo", "-h", "-a", "-o", "%f"}));
  const std::vector<std::string> features = ParseFeatures(result.out);
  return features.empty() ? "`sinfo -o %f` names none; Features= of slurm.conf gives nodes some"
                          : "nodes have " + Join(features, ", ");
}

// Output of squeue; what it has forgotten has ended.
std::string SlurmEngine::AskQueue(const std::string& cluster, std::span<const std::string> ids) {
  const ProgramResult result =
      commands_.Run(About(cluster, {"squeue", "-h", "-a", "-r", "-o", std::string(kSqueueFormat),
                                    "--jobs=" + Join({ids.begin(), ids.end()}, ",")}));
  if (result.exit_code == 0) {
    return result.out;
  }
  if (FailureOf(result.err) != SlurmFailure::kForgotten) {
    ThrowFailed("squeue", result);
  }
  // Releases differ in whether one forgotten job of several is an error.
  std::string out;
  for (std::size_t i = 0; ids.size() > 1 && i < ids.size(); ++i) {
    out += AskQueue(cluster, ids.subspan(i, 1));
  }
  return out;
}

// Names of jobs as Submit() returned them, by cluster and id. Error kUsage: another text.
std::map<std::string, NamesById> ByCluster(std::span<const std::string> jobs) {
  std::map<std::string, NamesById> names;
  for (const std::string& name : jobs) {
    const std::optional<SlurmJobName> job = ParseSlurmJobName(name);
    if (!job) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}' is no job of Slurm; expected a number, as sbatch prints it",
                              Shown(name)));
    }
    names[job->cluster][job->id] = name;
  }
  return names;
}

// Appends what waits or runs in a cluster.
void SlurmEngine::AddActive(const std::string& cluster, const NamesById& names,
                            std::vector<EngineTask>& active) {
  Words ids;
  std::ranges::transform(names, std::back_inserter(ids),
                         [](const auto& name) { return name.first; });
  for (std::size_t i = 0; i < ids.size(); i += kMostJobsAsked) {
    const auto asked = std::span(ids).subspan(i, std::min(kMostJobsAsked, ids.size() - i));
    for (EngineTask& task : ParseSqueue(AskQueue(cluster, asked))) {
      if (const auto name = names.find(task.job); name != names.end()) {
        task.job = name->second;
        active.push_back(std::move(task));
      }
    }
  }
}

std::vector<EngineTask> SlurmEngine::Active(std::span<const std::string> jobs) {
  std::vector<EngineTask> active;
  for (const auto& [cluster, names] : ByCluster(jobs)) {
    AddActive(cluster, names, active);
  }
  return active;
}

void SlurmEngine::Withdraw(const EngineTask& task) {
  const std::optional<SlurmJobName> job = ParseSlurmJobName(task.job);
  Check(job.has_value(), "a task of Active() has a job of Slurm");
  const std::string id = task.element ? fmt::format("{}_{}", job->id, *task.element) : job->id;
  const ProgramResult result =
      commands_.Run(About(job->cluster, {"scancel", "--state=PENDING", id}));
  if (result.exit_code != 0 && FailureOf(result.err) != SlurmFailure::kForgotten) {
    ThrowFailed("scancel " + id, result);
  }
}

bool SlurmEngine::RequeueThis() {
  const std::string job = CurrentPlace().job;
  if (job.empty()) {
    return false;
  }
  const ProgramResult result = commands_.Run({"scontrol", "requeue", job});
  // Slurm ends what runs in the job, which may be the command before it has read the answer.
  if (result.exit_code != 0 && result.signal != SIGTERM &&
      FailureOf(result.err) != SlurmFailure::kQueuedAlready) {
    ThrowFailed("scontrol requeue " + job, result);
  }
  return true;
}

std::string RandomToken() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

}  // namespace

std::unique_ptr<FleetEngine> MakeSlurmEngine(const OptionList& options, SlurmHooks hooks) {
  return std::make_unique<SlurmEngine>(options, std::move(hooks));
}

std::unique_ptr<FleetEngine> OpenSlurmEngine(const OptionList& options) {
  return MakeSlurmEngine(options,
                         {.sleep =
                              [](double seconds) {
                                std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
                              },
                          .token = RandomToken});
}

}  // namespace halftone
