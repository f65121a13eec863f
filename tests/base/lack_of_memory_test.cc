// The sentence about too little memory, and how much there is at all.
#include "src/base/lack_of_memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "src/base/file.h"
#include "src/base/machine_memory.h"
#include "src/base/output_file.h"

namespace halftone {
namespace {

std::string Sentence(std::size_t chars = kLackOfMemoryChars) {
  std::string buffer(chars, '?');
  return std::string(LackOfMemory(buffer));
}

// In one test: what was noted last is the process's.
TEST(LackOfMemory, TheSentenceHasTheBytesThatWereAskedForWhereTheyAreKnown) {
  EXPECT_EQ(Sentence().find("expected more memory, the system refused it: make the input"), 0U);
  NoteRefusedBytes(4'294'967'296);
  EXPECT_EQ(Sentence(), "expected 4294967296 more bytes of memory, the system refused them: " +
                            std::string(kMoreMemory));
  EXPECT_EQ(Sentence(8), "expected");  // a buffer that is too small cuts it
  EXPECT_LT(Sentence().size() + 20, kLackOfMemoryChars);
}

std::filesystem::path Root(const std::string& name) {
  return std::filesystem::path(::testing::TempDir()) / ("halftone_machine_memory_" + name);
}

TEST(MachineMemory, TheLeastOfMachineAndControlGroupCounts) {
  const auto root = Root("both");
  std::filesystem::remove_all(root);
  WriteFileAtomically(root / "proc/meminfo",
                      "MemTotal:       1024 kB\nMemFree: 12 kB\nHugePages_Total:       0\n"
                      "SwapTotal:      1024 kB\n");
  EXPECT_EQ(MachineMemoryBytes(root), 2 << 20);
  WriteFileAtomically(root / "sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(MachineMemoryBytes(root), 2 << 20);
  WriteFileAtomically(root / "sys/fs/cgroup/memory.max", "65536\n");
  EXPECT_EQ(MachineMemoryBytes(root), 65536);
}

TEST(MachineMemory, ASystemThatDoesNotSayIsUnknown) {
  EXPECT_EQ(MachineMemoryBytes(Root("nothing")), 0);
}

}  // namespace
}  // namespace halftone
