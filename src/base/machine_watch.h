// Load of the machine by other programs during a measurement, and the clock frequency. They tell
// how far timings can be trusted. The figures come from /proc and /sys; a figure that these do not
// give is empty.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace halftone {

struct MachineFacts {
  int cores = 0;         // cores online; 0: unknown
  std::string governor;  // frequency governor of the first core: "performance", "powersave", ...
  std::optional<double> mhz;           // of the first core, at this moment
  std::optional<double> most_mhz;      // greatest frequency of the first core
  std::optional<double> load_average;  // runnable threads, mean over the last minute

  friend bool operator==(const MachineFacts&, const MachineFacts&) = default;
};

// Counts CPU time of other programs from construction on.
class MachineWatch {
 public:
  // `root`: the folder that holds proc and sys; tests pass their own.
  explicit MachineWatch(std::filesystem::path root = "/");

  // The facts at construction.
  [[nodiscard]] const MachineFacts& facts() const { return facts_; }

  // Mean number of cores that other programs kept busy since construction. Time that the host gave
  // to other virtual machines counts, if the host reports it. Empty: unknown, or fewer than 20
  // ticks of the system's clock (0.2 s) have passed.
  [[nodiscard]] std::optional<double> OtherCores() const;

  // A sentence if OtherCores() makes timings doubtful (IsLoaded()); else empty.
  [[nodiscard]] std::string Warning() const;

 private:
  // CPU time since the start of the system, in ticks.
  struct Ticks {
    double all = 0;   // of all cores, idle included
    double busy = 0;  // of all cores, without idle time
    double own = 0;   // of this process and of children that it has waited for
  };

  [[nodiscard]] std::optional<Ticks> ReadTicks() const;

  std::filesystem::path root_;
  MachineFacts facts_;
  std::optional<Ticks> begin_;
};

// True if other programs use so many of `cores` cores that timings are doubtful: at least 0.25
// cores, and at least 5 % of all cores.
bool IsLoaded(double other_cores, int cores);

// Returns the known facts on one line: "2 cores, governor performance, 2400 of 3700 MHz, load
// average 0.10 before; other programs used 0.05 cores".
std::string Describe(const MachineFacts& facts, std::optional<double> other_cores);

}  // namespace halftone
