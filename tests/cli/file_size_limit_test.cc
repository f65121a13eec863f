#include "src/cli/file_size_limit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "src/base/opened_file.h"

namespace halftone {
namespace {

constexpr std::int64_t kBytes = 1 << 16;

void TouchTruncatedRange() {
  const auto path = std::filesystem::path(::testing::TempDir()) /
                    ("halftone_file_size_limit_" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary) << std::string(kBytes, 'x');
  const auto bytes = OpenedFile(path).Map(0, kBytes);
  std::filesystem::resize_file(path, 10);
  std::filesystem::remove(path);
  HandleFileSizeSignals();
  _exit(static_cast<int>(bytes[kBytes - 1]));
}

TEST(FileSizeLimitDeathTest, TouchingWhatIsGoneIsOneSentence) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(TouchTruncatedRange(), ::testing::ExitedWithCode(1),
              "^error: a file that is mapped into memory became shorter while it was read: "
              "expected the model's external data to stay as they are, restore the file and run "
              "again\n$");
}

void RaiseBusError() {
  HandleFileSizeSignals();
  raise(SIGBUS);
  raise(SIGBUS);
}

TEST(FileSizeLimitDeathTest, OtherBusErrorsEndTheProcessAsEver) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(RaiseBusError(), ::testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace halftone
