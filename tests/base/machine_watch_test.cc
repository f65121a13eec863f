// The readings are planted files; nothing is read of the machine that runs the test.
#include "src/base/machine_watch.h"

#include <gtest/gtest.h>

#include "src/base/file.h"

namespace halftone {
namespace {

class MachineWatchTest : public ::testing::Test {
 protected:
  MachineWatchTest() : root_(std::filesystem::path(::testing::TempDir()) / TestName()) {
    std::filesystem::remove_all(root_);
  }

  ~MachineWatchTest() override { std::filesystem::remove_all(root_); }

  static std::string TestName() {
    return std::string("machine_watch_") +
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  // Ticks of two cores: busy ones are spread over user, nice, system, irq, softirq and steal.
  void Plant(int busy, int idle, int own) {
    const int part = busy / 6;
    Write("proc/stat", "cpu  " + std::to_string(busy - 5 * part) + " " + std::to_string(part) +
                           " " + std::to_string(part) + " " + std::to_string(idle - idle / 2) +
                           " " + std::to_string(idle / 2) + " " + std::to_string(part) + " " +
                           std::to_string(part) + " " + std::to_string(part) +
                           " 77 78\ncpu0 1 2 3 4\ncpu1 1 2 3 4\nintr 5\n");
    Write("proc/self/stat", "12 (half) tone) R 1 1 1 0 -1 4194304 101 0 0 0 " +
                                std::to_string(own - 3) + " 1 1 1 20 0 1 0 4943297\n");
  }

  void Write(const char* path, const std::string& text) { WriteFileAtomically(root_ / path, text); }

  std::filesystem::path root_;
};

TEST_F(MachineWatchTest, OthersAreWhatIsBusyAndNotOwn) {
  Plant(1000, 5000, 100);
  const MachineWatch watch(root_);
  Plant(1000 + 900, 5000 + 1100, 100 + 600);  // 1000 ticks of two cores
  ASSERT_TRUE(watch.OtherCores().has_value());
  EXPECT_NEAR(*watch.OtherCores(), 0.3, 1e-12);
  EXPECT_EQ(
      watch.Warning(),
      "timings may be off: other programs used 0.3 of 2 cores while this ran; measure again on "
      "an idle machine");
}

TEST_F(MachineWatchTest, OwnWorkIsNoReasonToWarn) {
  Plant(1000, 5000, 100);
  const MachineWatch watch(root_);
  EXPECT_EQ(watch.OtherCores(), std::nullopt) << "no tick has passed";
  Plant(1000 + 30, 5000 + 8, 100);
  EXPECT_EQ(watch.OtherCores(), std::nullopt) << "19 ticks of two cores are too few";
  Plant(1000 + 1900, 5000 + 100, 100 + 1800);
  EXPECT_NEAR(*watch.OtherCores(), 0.1, 1e-12);
  EXPECT_EQ(watch.Warning(), "");
  Plant(1000 + 1900, 5000 + 100, 100 + 1950);  // the counters are read one after the other
  EXPECT_EQ(watch.OtherCores(), 0);
}

TEST_F(MachineWatchTest, FactsOfAMachineThatSaysAll) {
  Plant(1, 1, 3);
  Write("proc/loadavg", "1.25 0.50 0.10 1/100 4242\n");
  Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2400000\n");
  Write("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3700000\n");
  const MachineFacts facts = MachineWatch(root_).facts();
  EXPECT_EQ(facts, (MachineFacts{.cores = 2,
                                 .governor = "powersave",
                                 .mhz = 2400,
                                 .most_mhz = 3700,
                                 .load_average = 1.25}));
  EXPECT_EQ(
      Describe(facts, 0.5),
      "2 cores, governor powersave, 2400 of 3700 MHz, load average 1.25 before; other programs "
      "used 0.50 cores");
}

TEST_F(MachineWatchTest, FrequencyOfCpuInfo) {
  Write("proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2649.994\n\ncpu MHz\t\t: 1\n");
  const MachineFacts facts = MachineWatch(root_).facts();
  EXPECT_EQ(facts.mhz, 2649.994);
  EXPECT_EQ(Describe(facts, {}), "2650 MHz");
}

TEST_F(MachineWatchTest, WhatIsNotThereOrBrokenIsUnknown) {
  const MachineWatch nothing(root_);
  EXPECT_EQ(nothing.facts(), MachineFacts{});
  EXPECT_EQ(nothing.OtherCores(), std::nullopt);
  EXPECT_EQ(nothing.Warning(), "");
  EXPECT_EQ(Describe(nothing.facts(), nothing.OtherCores()), "");
  Plant(1, 1, 3);
  Write("proc/self/stat", "12 (halftone) R 1\n");
  EXPECT_EQ(MachineWatch(root_).OtherCores(), std::nullopt);
  Write("proc/stat", "cpu 1 2 x\n");
  EXPECT_EQ(MachineWatch(root_).OtherCores(), std::nullopt);
}

}  // namespace
}  // namespace halftone
