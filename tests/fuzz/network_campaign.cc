#include "tests/fuzz/network_campaign.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <new>

#include "src/ir/op_table.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate_network.h"

namespace halftone::testing {
namespace {

// Networks a child process tries before the next takes over: starting one costs milliseconds, and
// memory that is not given back is found when it ends.
constexpr std::uint64_t kBatch = 2000;

// Processor time of one network; the slowest legal ones take some 100 ms under sanitizers.
constexpr int kMostSeconds = 20;
constexpr long kMostMemoryKb = 3L << 20;

constexpr int kMostShrinkTries = 80;

// What a child tells its parent, in a page that both have.
struct Progress {
  std::uint64_t index;
  RunCounts counts;
};

Progress& SharedProgress() {
  static void* page =
      ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Require(page != MAP_FAILED, "no shared memory");
  static auto* progress = new (page) Progress{};
  return *progress;
}

// Ends the process by SIGPROF when the network takes longer than this.
void LimitTime(int seconds) {
  const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
  Require(::setitimer(ITIMER_PROF, &limit, nullptr) == 0, "no timer");
}

void RequireModestMemory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  Require(usage.ru_maxrss < kMostMemoryKb, "a network took more than 3 GiB of memory");
}

// Runs `body` in a child process; what it throws ends the child. Its wait status.
template <typename Body>
int InChild(const Body& body) noexcept {
  std::fflush(stdout);
  const pid_t child = ::fork();
  Require(child >= 0, "no child process");
  if (child == 0) {
    body();
    std::fflush(stdout);
    std::exit(0);  // not _exit: the leak check runs at exit
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
  }
  return status;
}

void TryCase(const NetworkCase& one, RunCounts& counts) {
  LimitTime(kMostSeconds);
  try {
    if (const auto network = ValueOrError([&] { return BuildNetwork(one); })) {
      RunNetwork(*network, one.run_seed, counts);
    }
  } catch (const std::exception& error) {  // an Error would have been looked at
    Require(false, fmt::format("an exception that is no Error: {}", error.what()));
  }
  LimitTime(0);
  RequireModestMemory();
}

std::string EndOf(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return number == SIGPROF ? fmt::format("took more than {} s of processor time", kMostSeconds)
                             : fmt::format("ended by signal {} ({})", number, strsignal(number));
  }
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

bool Fails(const NetworkCase& one) {
  RunCounts ignored;
  return InChild([&] {
           if (std::freopen("/dev/null", "w", stderr) == nullptr) {
             std::abort();
           }
           TryCase(one, ignored);
         }) != 0;
}

// Leaves out mutations and operators one by one as long as it still fails.
NetworkCase Shrunk(NetworkCase one) {
  int tries = 0;
  const auto shrink = [&](auto& items, const auto& keep_at_least) {
    for (std::size_t i = items.size(); i-- > 0 && items.size() > keep_at_least;) {
      const auto item = items[i];
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
      if (++tries > kMostShrinkTries || !Fails(one)) {
        items.insert(items.begin() + static_cast<std::ptrdiff_t>(i), item);
      }
    }
  };
  shrink(one.mutations, std::size_t{0});
  shrink(one.ops, std::size_t{1});
  shrink(one.mutations, std::size_t{0});
  return one;
}

void Report(const CampaignOptions& options, std::uint64_t index, int status) {
  std::printf("finding: network %llu of seed %llu %s\n", static_cast<unsigned long long>(index),
              static_cast<unsigned long long>(options.seed), EndOf(status).c_str());
  const NetworkCase one = CaseOf(options, index);
  const bool slow = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;
  const bool fails = slow || Fails(one);
  if (!fails) {
    std::printf("  it does not fail alone: look at the networks before it, too\n");
  }
  const NetworkCase small = slow || !fails ? one : Shrunk(one);
  if (!small.model.empty()) {
    std::printf("  model: %s\n", small.model.c_str());
  }
  std::vector<std::string> applied;
  const Network network = BuildNetwork(small, &applied);
  std::printf("  again: network_fuzz --seed=%llu --first=%llu --networks=1\n  mutations:",
              static_cast<unsigned long long>(options.seed),
              static_cast<unsigned long long>(index));
  for (const std::string& name : applied) {
    std::printf(" %s", name.c_str());
  }
  std::printf("\n%s", TextOf(network).c_str());
  if (!options.save.empty()) {
    const auto folder = options.save / fmt::format("network_{}_{}", options.seed, index);
    SaveNetwork(network, folder);
    std::printf("  saved in %s\n", folder.c_str());
  }
  std::fflush(stdout);
}

}  // namespace

NetworkCase CaseOf(const CampaignOptions& options, std::uint64_t index) {
  Rng rng(Rng(options.seed).Next() + index);
  std::vector<OpInfo> ops;
  std::copy_if(AllOps().begin(), AllOps().end(), std::back_inserter(ops), [&](const OpInfo& info) {
    return std::find(options.without.begin(), options.without.end(), info.name) ==
           options.without.end();
  });
  NetworkCase one{
      .model = {}, .ops = {}, .network_seed = rng.Next(), .mutations = {}, .run_seed = rng.Next()};
  for (std::size_t i = 0; i < 1 + rng.Below(4); ++i) {
    one.ops.push_back(ops[rng.Below(ops.size())].kind);
  }
  for (std::size_t count = rng.Below(8), i = 0; i < count; ++i) {
    one.mutations.push_back(rng.Next());
  }
  if (!options.models.empty() && rng.Below(2) == 0) {
    one.model = options.models[rng.Below(options.models.size())];
  }
  return one;
}

Network BuildNetwork(const NetworkCase& one, std::vector<std::string>* applied) {
  Network network = one.model.empty() ? SeedNetwork(one.ops, one.network_seed)
                                      : NetworkFrom(one.model, one.network_seed);
  for (const std::uint64_t seed : one.mutations) {
    const std::string_view name = Mutate(network, seed);
    if (applied != nullptr) {
      applied->emplace_back(name);
    }
  }
  return network;
}

CampaignResult RunCampaign(const CampaignOptions& options) {
  CampaignResult result;
  Progress& progress = SharedProgress();
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t end = options.networks > 0
                                ? options.first + static_cast<std::uint64_t>(options.networks)
                                : UINT64_MAX;
  std::uint64_t next = options.first;
  while (next < end && (options.runs == 0 || result.counts.runs < options.runs)) {
    const std::uint64_t last = std::min(end, next + kBatch);
    progress = {.index = next, .counts = {}};
    const int status = InChild([&] {
      for (std::uint64_t index = next; index < last; ++index) {
        progress.index = index;
        TryCase(CaseOf(options, index), progress.counts);
      }
      progress.index = last;
    });
    result.counts.Add(progress.counts);
    next = last;
    if (status != 0) {
      ++result.findings;
      if (progress.index == last) {
        std::printf("finding: networks up to %llu of seed %llu %s after the last of them\n",
                    static_cast<unsigned long long>(last),
                    static_cast<unsigned long long>(options.seed), EndOf(status).c_str());
      } else {
        next = progress.index + 1;
        Report(options, progress.index, status);
      }
    }
    const RunCounts& counts = result.counts;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf(
        "seed %llu up to %llu: %lld networks, %lld loaded (%lld large), %lld plans, "
        "%lld runs, %lld compared; %lld findings; %.0f s\n",
        static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(next),
        static_cast<long long>(counts.networks), static_cast<long long>(counts.loaded),
        static_cast<long long>(counts.large), static_cast<long long>(counts.plans),
        static_cast<long long>(counts.runs), static_cast<long long>(counts.compared),
        static_cast<long long>(result.findings), seconds.count());
    std::fflush(stdout);
  }
  return result;
}

}  // namespace halftone::testing
