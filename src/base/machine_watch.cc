#include "src/base/machine_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "src/base/text.h"

namespace halftone {
namespace {

// Programs that use a quarter of a core may disturb up to a quarter of the rounds. The median is
// robust against that, but its interval does not show it. On many cores the limit is a twentieth of
// them, which daemons do not reach.
constexpr double kOtherCores = 0.25;
constexpr double kOtherShare = 0.05;

// The counters step by ticks, and a core's may be one ahead at either end: of 20 that is 0.1.
constexpr double kLeastTicks = 20;

std::optional<double> FirstNumber(const std::filesystem::path& path) {
  std::ifstream file(path);
  double value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

std::optional<double> KiloToMega(std::optional<double> kilo) {
  return kilo ? std::optional(*kilo / 1000) : std::nullopt;
}

// The number behind "cpu MHz : " of the first core.
std::optional<double> MhzOfCpuInfo(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    const auto colon = line.find(':');
    if (line.starts_with("cpu MHz") && colon != std::string::npos) {
      std::istringstream number(line.substr(colon + 1));
      double mhz = 0;
      return number >> mhz ? std::optional(mhz) : std::nullopt;
    }
  }
  return std::nullopt;
}

int CoresOfStat(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  int cores = 0;
  while (std::getline(file, line)) {
    cores += line.starts_with("cpu") && line.size() > 3 && line[3] != ' ' ? 1 : 0;
  }
  return cores;
}

MachineFacts ReadFacts(const std::filesystem::path& root) {
  const std::filesystem::path frequency = root / "sys/devices/system/cpu/cpu0/cpufreq";
  MachineFacts facts;
  facts.cores = CoresOfStat(root / "proc/stat");
  std::getline(std::ifstream(frequency / "scaling_governor"), facts.governor);
  facts.mhz = KiloToMega(FirstNumber(frequency / "scaling_cur_freq"));
  if (!facts.mhz) {
    facts.mhz = MhzOfCpuInfo(root / "proc/cpuinfo");
  }
  facts.most_mhz = KiloToMega(FirstNumber(frequency / "cpuinfo_max_freq"));
  facts.load_average = FirstNumber(root / "proc/loadavg");
  return facts;
}

}  // namespace

MachineWatch::MachineWatch(std::filesystem::path root)
    : root_(std::move(root)), facts_(ReadFacts(root_)), begin_(ReadTicks()) {}

// proc(5): "cpu user nice system idle iowait irq softirq steal guest guest_nice", where user holds
// guest and nice guest_nice; and fields 14 to 17 of self/stat, counted behind the name in brackets.
std::optional<MachineWatch::Ticks> MachineWatch::ReadTicks() const {
  std::ifstream machine(root_ / "proc/stat");
  std::string label;
  double fields[8] = {};
  machine >> label;
  for (double& field : fields) {
    machine >> field;
  }
  std::ifstream process(root_ / "proc/self/stat");
  std::string line;
  std::getline(process, line);
  const auto bracket = line.rfind(')');
  if (!machine || label != "cpu" || bracket == std::string::npos) {
    return std::nullopt;
  }
  std::istringstream rest(line.substr(bracket + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) {
    rest >> skipped;
  }
  Ticks ticks;
  for (int field = 14; field <= 17; ++field) {
    double own = 0;
    rest >> own;
    ticks.own += own;
  }
  if (!rest) {
    return std::nullopt;
  }
  for (int i = 0; i < 8; ++i) {
    const bool idle = i == 3 || i == 4;
    ticks.all += fields[i];
    ticks.busy += idle ? 0 : fields[i];
  }
  return ticks;
}

std::optional<double> MachineWatch::OtherCores() const {
  const std::optional<Ticks> now = ReadTicks();
  if (!begin_ || !now || facts_.cores == 0) {
    return std::nullopt;
  }
  const double passed = (now->all - begin_->all) / facts_.cores;
  if (passed < kLeastTicks) {
    return std::nullopt;
  }
  const double others = (now->busy - begin_->busy) - (now->own - begin_->own);
  return std::clamp(others / passed, 0.0, static_cast<double>(facts_.cores));
}

std::string MachineWatch::Warning() const {
  const std::optional<double> others = OtherCores();
  if (!others || !IsLoaded(*others, facts_.cores)) {
    return "";
  }
  return fmt::format(
      "timings may be off: other programs used {:.1f} of {} while this ran; measure again on an "
      "idle "
      "machine",
      *others, Counted(facts_.cores, "core"));
}

bool IsLoaded(double other_cores, int cores) {
  return other_cores >= std::max(kOtherCores, kOtherShare * cores);
}

std::string Describe(const MachineFacts& facts, std::optional<double> other_cores) {
  std::vector<std::string> parts;
  if (facts.cores > 0) {
    parts.push_back(Counted(facts.cores, "core"));
  }
  if (!facts.governor.empty()) {
    parts.push_back("governor " + Printable(facts.governor));
  }
  if (facts.mhz) {
    parts.push_back(facts.most_mhz
                        ? fmt::format("{:.0f} of {:.0f} MHz", *facts.mhz, *facts.most_mhz)
                        : fmt::format("{:.0f} MHz", *facts.mhz));
  }
  if (facts.load_average) {
    parts.push_back(fmt::format("load average {:.2f} before", *facts.load_average));
  }
  std::string text = Join(parts, ", ");
  if (other_cores) {
    text +=
        fmt::format("{}other programs used {:.2f} cores", text.empty() ? "" : "; ", *other_cores);
  }
  return text;
}

}  // namespace halftone
