// Load of the machine by other programs during a measurement, and its clock frequency: a timing
// means little without them. Reads /proc and /sys; a figure that the system does not give is left
// empty.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace halftone {

struct MachineFacts {
  int cores = 0;         // cores online; 0: unknown
  std::string governor;  // frequency governor of the first core: "performance", "powersave", ...
  std::optional<double> mhz;
  std::optional<double> most_mhz;
  std::optional<double> load_average;  // runnable threads, mean of the last minute

  friend bool operator==(const MachineFacts&, const MachineFacts&) = default;
};

class MachineWatch {
 public:
  // Begins to count. `root`: the folder above proc and sys; tests have their own.
  explicit MachineWatch(std::filesystem::path root = "/");

  // The facts at construction.
  [[nodiscard]] const MachineFacts& facts() const { return facts_; }

  // Cores that other programs (and other virtual machines, where the host says so) kept busy on
  // average since construction; empty: unknown, or fewer than 20 ticks of the system's clock (0.2
  // s) have passed.
  [[nodiscard]] std::optional<double> OtherCores() const;

  // A sentence when OtherCores() is high enough to make timings doubtful; else empty.
  [[nodiscard]] std::string Warning() const;

 private:
  // CPU time since the start of the system, in ticks.
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

// True if `other_cores` busy of `cores` are enough to make timings doubtful.
bool IsLoaded(double other_cores, int cores);

// One line with the known facts: "2 cores, governor performance, 2400 of 3700 MHz, load average
// 0.10 before; other programs used 0.05 cores".
std::string Describe(const MachineFacts& facts, std::optional<double> other_cores);

}  // namespace halftone
