#include "src/fleet/engine.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/error.h"

namespace halftone {
namespace {

TEST(EngineTest, EveryRowOpens) {
  for (const EngineRow& row : AllEngines()) {
    EXPECT_NE(OpenEngine(row.name, {}), nullptr) << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
  }
}

TEST(EngineTest, AnUnknownOneNamesAll) {
  try {
    OpenEngine("pbs", {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    const std::string_view message = error.what();
    EXPECT_TRUE(message.starts_with("no engine 'pbs'; expected one of slurm")) << message;
    for (const EngineRow& row : AllEngines()) {
      EXPECT_NE(message.find(row.name), std::string_view::npos) << message;
    }
  }
}

// The variables of a task, those given and no others; none after each test.
class TaskPlaceTest : public ::testing::Test {
 public:
  ~TaskPlaceTest() override { Set({}); }

 protected:
  static void Set(const std::vector<std::pair<std::string, std::string>>& values) {
    for (const char* name :
         {"SLURMD_NODENAME", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_JOB_ID"}) {
      ::unsetenv(name);
    }
    for (const auto& [name, value] : values) {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
  }
};

TEST_F(TaskPlaceTest, AnElementIsNamedByItsArray) {
  Set({{"SLURMD_NODENAME", "n3"},
       {"SLURM_ARRAY_JOB_ID", "17"},
       {"SLURM_ARRAY_TASK_ID", "4"},
       {"SLURM_JOB_ID", "17"}});
  const TaskPlace place = CurrentPlace();
  EXPECT_EQ(place.node, "n3");
  EXPECT_EQ(place.job, "17_4");
}

TEST_F(TaskPlaceTest, AJobWithoutElements) {
  Set({{"SLURMD_NODENAME", "n3"}, {"SLURM_JOB_ID", "18"}});
  EXPECT_EQ(CurrentPlace().job, "18");
}

TEST_F(TaskPlaceTest, OutsideOfAnEngineTheHostIsTheNode) {
  char host[256] = {};
  ASSERT_EQ(::gethostname(host, sizeof(host) - 1), 0);
  const TaskPlace place = CurrentPlace();
  EXPECT_EQ(place.node, host);
  EXPECT_EQ(place.job, "");
}

}  // namespace
}  // namespace halftone
