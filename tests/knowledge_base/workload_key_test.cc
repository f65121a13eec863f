// The key of a workload: fixed, and of everything that measurements depend on.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "knowledge_base/store.h"
#include "tests/knowledge_base/sample_trials.h"

namespace halftone {
namespace {

using testing::SampleWorkload;

// A change of this value is a change of the database format: every bank would lose its trials.
TEST(WorkloadKeyTest, Golden) {
  EXPECT_EQ(KeyOf(SampleWorkload()).ToHex(), "af004486ffaf177955ddab5ae4534e42");
  Workload on_unknown_cpu = SampleWorkload();  // as older exports have it
  on_unknown_cpu.cpu.clear();
  EXPECT_EQ(KeyOf(on_unknown_cpu).ToHex(), "d1def1e67799428ffaa0f6feb9d6e4e6");
}

TEST(WorkloadKeyTest, DependsOnEverythingButTheName) {
  const Hash128 key = KeyOf(SampleWorkload());
  std::vector<Workload> changed(11, SampleWorkload());
  changed[10].cpu = "AMD EPYC (AuthenticAMD 26.2)";
  changed[9].kernel_choices = {1, 1};
  changed[0].model_hash.low ^= 1;
  changed[1].input_shapes += "x";
  changed[2].data_hash.high ^= 1;
  changed[3].target = "Ascend310P3";
  changed[4].isa = "avx2";
  changed[5].kernel_table_hash.low ^= 1;
  changed[6].tool_version = "0.1.1";
  changed[7].threads = 2;
  std::swap(changed[8].target, changed[8].isa);
  for (const Workload& workload : changed) {
    EXPECT_NE(KeyOf(workload), key);
  }
  Workload renamed = SampleWorkload();
  renamed.model_name = "other";
  EXPECT_EQ(KeyOf(renamed), key);
}

}  // namespace
}  // namespace halftone
