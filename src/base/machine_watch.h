// What else a machine does while something is measured on it, and how fast it is allowed to be: a
// timing means little without. Reads /proc and /sys; what a system does not say is left empty.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace halftone {

struct MachineFacts {
  int cores = 0;         // that the system uses; 0: unknown
  std::string governor;  // of the first core's frequency: "performance", "powersave", ...
  std::optional<double> mhz;
  std::optional<double> most_mhz;
  std::optional<double> load_average;  // runnable threads, mean of the last minute

  friend bool operator==(const MachineFacts&, const MachineFacts&) = default;
};

class MachineWatch {
 public:
  // Begins to count. `root`: the folder above proc and sys; tests have their own.
  explicit MachineWatch(std::filesystem::path root = "/");

  // As it began.
  [[nodiscard]] const MachineFacts& facts() const { return facts_; }

  // Cores that other programs (and other virtual machines, where the host says so) kept busy on
  // average since it began; empty: unknown, or fewer than 20 ticks of the system's clock (0.2 s)
  // have passed.
  [[nodiscard]] std::optional<double> OtherCores() const;

  // A sentence when that is enough to make timings doubtful; else empty.
  [[nodiscard]] std::string Warning() const;

 private:
  // Since the start of the system, in ticks.
  struct Ticks {
    double all = 0;   // of all cores, idle included
    double busy = 0;  // of all cores
    double own = 0;   // of this process and the children it has waited for
  };

  [[nodiscard]] std::optional<Ticks> ReadTicks() const;

  std::filesystem::path root_;
  MachineFacts facts_;
  std::optional<Ticks> begin_;
};

// Whether as many busy cores of so many are enough to make timings doubtful.
bool IsLoaded(double other_cores, int cores);

// "2 cores, governor performance, 2400 of 3700 MHz, load average 0.10 before; other programs used
// 0.05 cores": what is known of it.
std::string Describe(const MachineFacts& facts, std::optional<double> other_cores);

}  // namespace halftone
