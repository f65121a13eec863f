// Random sequences of everything that writes a knowledge base, cut at random points: after each
// step the bank verifies, every front loads and reproduces its plans, and a search that was cut is
// a prefix of the same search that goes on.
//
// Each step runs in a process of its own, which a kill ends like a power cut; the test itself only
// waits, so that processes are forked from one thread. HALFTONE_SEQUENCES and HALFTONE_FIRST_SEED
// choose others than the ones that always run.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "knowledge_base/front_trials.h"
#include "knowledge_base/sqlite_store.h"
#include "knowledge_base/verify_bank.h"
#include "src/api/bank/bank_upkeep.h"
#include "src/api/retune/retune.h"
#include "src/base/file.h"
#include "src/base/rng.h"
#include "src/base/text.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using testing::SourceDir;

constexpr int kDefaultSequences = 80;
constexpr int kStepsOfSequence = 5;

// How a step ends that is cut: by the user, by kill -9, by its time limit, or not at all.
enum class Cut { kNone, kInterrupt, kKill, kTime };

// What a step works on; each process has its own copy.
struct World {
  fs::path folder;
  std::string strategy;
  std::uint64_t seed = 0;
  Rng rng;
  const Model& model;

  [[nodiscard]] fs::path bank() const { return folder / "bank"; }

  [[nodiscard]] fs::path database() const { return DatabasePath(bank(), "host"); }

  // Plans that the last search took, in order, a line each; kept while no step comes between.
  [[nodiscard]] fs::path course() const { return folder / "course"; }

  int Below(int limit) { return static_cast<int>(rng.Below(static_cast<std::uint64_t>(limit))); }

  [[nodiscard]] TuneOptions Options() const {
    TuneOptions options;
    options.strategy = strategy;
    options.seed = seed;
    options.max_trials = 6;
    options.operator_tuning = OperatorTuningMode::kOff;
    options.modes = {"force_fp16", "allow_mix_precision"};  // few enough to be enumerated
    options.data = {.inputs = SourceDir() / "examples/digits/search_inputs.npy", .max_samples = 4};
    options.measure = {.threads = 1, .quick_budget_s = 1e-4, .full_budget_s = 1e-4};
    options.bank = bank();
    return options;
  }
};

std::vector<std::string> LinesOf(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

// A search, cut after `after` of the moments at which it asks or tells something.
TuneSummary CutSearch(const World& world, TuneOptions options, Cut cut, int after) {
  int moments = 0;
  const auto moment = [&] {
    if (cut == Cut::kKill && moments == after) {
      ::kill(::getpid(), SIGKILL);
    }
    return ++moments > after;
  };
  if (cut == Cut::kTime) {
    options.time_limit = std::chrono::duration<double>(0.004 * after);
  }
  std::ofstream course(world.course());
  TuneCallbacks callbacks;
  callbacks.on_progress = [&](const TunerProgress& now) {
    if (now.phase == TunerProgress::Phase::kSearch) {
      course << now.last->plan_digest.ToHex() << std::endl;  // before a kill
    }
    moment();
  };
  callbacks.on_probes = [&](const ProbeProgress&) { moment(); };
  callbacks.stop_requested = [&] { return moment() && cut == Cut::kInterrupt; };
  return Tune(world.model, options, callbacks);
}

void Tuned(World& world, Cut cut) {
  TuneOptions options = world.Options();
  options.search_again = world.Below(4) == 0;
  if (world.Below(4) == 0) {
    options.budget.evaluations = 3 + static_cast<std::size_t>(world.Below(5));
  }
  CutSearch(world, options, cut, world.Below(30));
}

void CutToGoOn(World& world, Cut cut) {
  TuneOptions options = world.Options();
  options.search_again = true;
  CutSearch(world, options, cut, world.Below(30));
}

// Behind CutToGoOn(): the plans that it took come first when the search goes on.
void GoOn(World& world) {
  const std::vector<std::string> cut = LinesOf(world.course());
  TuneOptions options = world.Options();
  options.search_again = true;
  CutSearch(world, options, Cut::kNone, 0);
  const std::vector<std::string> whole = LinesOf(world.course());
  if (whole.size() < cut.size() || !std::equal(cut.begin(), cut.end(), whole.begin())) {
    throw Error(ErrorKind::kInternal,
                fmt::format("the search that was cut took plans {}, going on it took {}",
                            Join(cut, " "), Join(whole, " ")));
  }
}

void AskOtherGoal(World& world) {
  TuneOptions options = world.Options();
  if (world.Below(2) == 0) {
    options.constraints.min_sqnr_db = 10.0 * world.Below(8);
  } else {
    options.constraints.max_latency_ratio = 0.5 + 0.1 * world.Below(6);
  }
  options.verify = world.Below(3) == 0;
  CutSearch(world, options, Cut::kNone, 0);
}

void RetuneFront(World& world) {
  RetuneOptions options;
  options.data = world.Options().data;
  options.measure = world.Options().measure;
  options.operator_tuning = OperatorTuningMode::kOff;
  options.bank = world.bank();
  options.max_trials = 4;
  options.search = world.Below(2) == 0;
  const int after = world.Below(8);
  int moments = 0;
  const bool interrupted = world.Below(2) == 0;
  try {
    Retune(world.model, options,
           {.stop_requested = [&] { return interrupted && ++moments > after; }});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kDatabase) {  // there is no front, or no bank, to tune again
      throw;
    }
  }
}

void Prune(World& world) {
  PruneRequest request{.superseded = world.Below(2) == 0, .dominated = world.Below(2) == 0};
  if (world.Below(4) == 0) {
    request.older_than_days = 0;
  }
  if (world.Below(4) == 0) {
    request.keep_newest = 1;
  }
  const bool nothing =
      !request.superseded && !request.dominated && !request.older_than_days && !request.keep_newest;
  if (!nothing && fs::exists(world.database())) {
    PruneBank(world.bank(), "host", request);
  }
}

// A bank of another machine, so to speak: the same network, searched otherwise.
void Merge(World& world) {
  const fs::path other = world.folder / "other";
  TuneOptions options = world.Options();
  options.bank = other;
  options.seed = world.seed + 1;
  CutSearch(world, options, Cut::kInterrupt, world.Below(60));
  if (fs::exists(DatabasePath(other, "host"))) {
    MergeBanks({other}, world.bank(), "host");
  }
}

// What comes back from an export takes the place of the bank, or is added to it.
void ExportAndImport(World& world) {
  if (!fs::exists(world.database())) {
    return;
  }
  const fs::path file = world.folder / "export.jsonl";
  ExportBank(world.bank(), "host", file);
  if (world.Below(2) == 0) {
    fs::remove_all(world.bank());
  }
  ImportBank(file.string(), world.bank(), "host");
}

struct Step {
  const char* name;
  void (*run)(World&);
  bool may_die = false;
  void (*then)(World&) = nullptr;  // in another process
};

constexpr Step kSteps[] = {
    {"tune", [](World& world) { Tuned(world, Cut::kNone); }},
    {"tune, Ctrl-C", [](World& world) { Tuned(world, Cut::kInterrupt); }},
    {"tune, kill -9", [](World& world) { Tuned(world, Cut::kKill); }, true},
    {"tune, time limit", [](World& world) { Tuned(world, Cut::kTime); }},
    {"Ctrl-C and go on", [](World& world) { CutToGoOn(world, Cut::kInterrupt); }, false, GoOn},
    {"kill -9 and go on", [](World& world) { CutToGoOn(world, Cut::kKill); }, true, GoOn},
    {"time limit and go on", [](World& world) { CutToGoOn(world, Cut::kTime); }, false, GoOn},
    {"another goal", AskOtherGoal},
    {"retune", RetuneFront},
    {"prune", Prune},
    {"merge", Merge},
    {"export and import", ExportAndImport},
};

// What must hold of a bank at any time; throws a sentence.
void CheckBankOf(const World& world) {
  if (!fs::exists(world.database())) {
    return;
  }
  const BankCheck check = VerifyBank(world.database());
  if (!check.findings.empty()) {
    throw Error(ErrorKind::kInternal, "bank verify: " + Join(check.findings, "; "));
  }
  const auto store = OpenSqliteStore(world.database(), OpenMode::kReadOnly);
  const TargetSpec target = LoadTarget("host");
  bool has_front = false;
  for (const WorkloadSummary& workload : store->Workloads()) {
    const std::vector<StoredTrial> history = store->History(workload.key);
    for (const StoredTrial& stored : history) {
      const Measurement* measurement = stored.trial.measurement();
      if (measurement != nullptr && measurement->confirmed &&
          measurement->accuracy.Find("rel_l2")->values.empty()) {
        throw Error(ErrorKind::kInternal,
                    fmt::format("trial {} is confirmed and has no values by sample", stored.id));
      }
    }
    for (const StoredFront& front : store->Fronts(workload.key)) {
      has_front = true;
      const std::vector<const StoredTrial*> trials = TrialsOf(front, history, world.database());
      for (std::size_t i = 0; i < front.members.size(); ++i) {
        const PrecisionPlan plan =
            ResolvePrecision(world.model.graph, trials[i]->trial.candidate.options, target);
        if (plan.Digest() != front.members[i].plan_digest) {
          throw Error(ErrorKind::kInternal,
                      fmt::format("member {} of front {} resolves to another plan", i, front.id));
        }
      }
    }
  }
  if (has_front) {
    LoadStored(world.model, world.bank(), "host", "fastest");
  }
}

// The network of all worlds; processes have it from the one that forks them.
const Model& Digits() {
  static const fs::path kDigits = SourceDir() / "examples/digits";
  static const Model kModel =
      LoadModel({.path = kDigits / "model.onnx", .inputs = kDigits / "search_inputs.npy"});
  return kModel;
}

World MakeWorld(const fs::path& folder, std::uint64_t sequence, int step) {
  const auto strategies = AllStrategies();
  return {.folder = folder,
          .strategy = std::string(strategies[sequence % strategies.size()].name),
          .seed = sequence,
          .rng = Rng(sequence * 1000 + static_cast<std::uint64_t>(step)),
          .model = Digits()};
}

// Runs `body` in a process; empty: it ended well. A process that kills itself is as good.
template <typename Body>
std::string InAProcess(bool may_die, Body&& body) {
  int ends[2];
  if (::pipe(ends) != 0) {
    return "no pipe";
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    std::string text;
    try {
      body();
    } catch (const std::exception& error) {
      text = error.what();
    }
    if (::write(ends[1], text.data(), text.size()) < 0) {
      ::_exit(2);
    }
    ::_exit(text.empty() ? 0 : 1);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t size = 0; (size = ::read(ends[0], buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<std::size_t>(size));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if ((WIFEXITED(status) && WEXITSTATUS(status) == 0) || (may_die && killed)) {
    return "";
  }
  return text.empty() ? fmt::format("the process ended with status {}", status) : text;
}

int NumberIn(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  if (text == nullptr) {
    return otherwise;
  }
  int number = otherwise;
  std::from_chars(text, text + std::char_traits<char>::length(text), number);
  return number;
}

// Empty, or what went wrong behind which steps.
std::string RunSequence(std::uint64_t sequence, const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  Rng rng(sequence);
  std::string steps;
  for (int i = 0; i < kStepsOfSequence; ++i) {
    const Step& step = kSteps[rng.Below(std::size(kSteps))];
    steps += fmt::format("{}{}", i == 0 ? "" : ", ", step.name);
    std::string failure = InAProcess(step.may_die, [&] {
      World world = MakeWorld(folder, sequence, i);
      step.run(world);
    });
    if (failure.empty() && step.then != nullptr) {
      failure = InAProcess(false, [&] {
        World world = MakeWorld(folder, sequence, i);
        step.then(world);
      });
    }
    if (failure.empty()) {
      failure = InAProcess(false, [&] { CheckBankOf(MakeWorld(folder, sequence, i)); });
    }
    if (!failure.empty()) {
      return fmt::format("seed {} ({}): {}: {}", sequence,
                         AllStrategies()[sequence % AllStrategies().size()].name, steps, failure);
    }
  }
  fs::remove_all(folder);
  return "";
}

TEST(BankSequencesTest, ABankSurvivesAnySequenceOfCutSearches) {
  const int count = NumberIn("HALFTONE_SEQUENCES", kDefaultSequences);
  const int first = NumberIn("HALFTONE_FIRST_SEED", 1);
  Digits();
  ASSERT_EQ(std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator()), 1)
      << "threads: processes would be forked amid whatever they hold";
  // In memory where the system has such a folder: what is written is flushed to the disk.
  const fs::path memory = "/dev/shm";
  const fs::path folder = (fs::is_directory(memory) ? memory : fs::path(::testing::TempDir())) /
                          fmt::format("halftone_sequences_{}", ::getpid());
  std::printf("%d sequences of %d steps from seed %d on\n", count, kStepsOfSequence, first);
  for (int i = 0; i < count; ++i) {
    const std::string failure =
        RunSequence(static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(i), folder);
    EXPECT_EQ(failure, "");
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace halftone
