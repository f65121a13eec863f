// kill -9 of `halftone fleet work` in the middle of a search: another machine goes on from the
// checkpoint, and nothing is measured again that it had.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/api/bank/bank_upkeep.h"
#include "src/base/text.h"
#include "tests/fleet/fleet_fixture.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::SmallPlan;
using ::halftone::testing::SourceDir;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::size_t kTrialsOfCheckpoint = 3;

std::size_t TrialsIn(const fs::path& bank) {
  std::size_t count = 0;
  ExportBank(bank, "host", [&](std::string_view lines) {
    for (const std::string_view line : Split(lines, '\n')) {
      count += line.find("\"row\":\"trial\"") == std::string_view::npos ? 0 : 1;
    }
  });
  return count;
}

// Whether a complete copy of the bank in the folder `context` has enough trials.
bool HasCheckpoint(const void* context) {
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(*static_cast<const fs::path*>(context), code)) {
    try {
      if (entry.path().filename().string().starts_with("bank.") &&
          TrialsIn(entry.path()) >= kTrialsOfCheckpoint) {
        return true;
      }
    } catch (const Error&) {
      // Replaced by the next copy meanwhile.
    }
  }
  return false;
}

class WorkKillTest : public halftone::testing::FleetFixture {};

TEST_F(WorkKillTest, AnotherMachineGoesOnFromTheCheckpoint) {
  const fs::path digits = SourceDir() / "examples/digits";
  FleetPlan plan = SmallPlan({"k"}, {"a"});
  plan.checkpoint_s = 0;
  plan.networks[0].model = digits / "model.onnx";
  plan.networks[0].options = {{"inputs", (digits / "search_inputs.npy").string()},
                              {"max_samples", "20"},
                              {"max_trials", "9"},
                              {"threads", "1"},
                              {"operator_tuning", "off"}};
  const FleetFolder fleet = NewFleet(plan);
  const FleetItem item = {"k", "a"};
  const auto words = [&](const std::string& scratch) -> std::vector<std::string> {
    return {HALFTONE_BINARY,
            "fleet",
            "work",
            fleet.path().string(),
            "--kind=k",
            "--list=" + fleet.WriteList("k", {"a"}).string(),
            "--scratch=" + (folder_.path() / scratch).string()};
  };
  const fs::path partial = fleet.PartialFolder(item);
  // Searches of the default length: two trials would be over before the next look.
  ASSERT_TRUE(halftone::testing::KillProcessWhen(words("one"), {{"HALFTONE_LATENCY_BUDGET", "1"}},
                                                 HasCheckpoint, &partial));
  ASSERT_FALSE(fleet.HasResult(item));
  const halftone::testing::ProcessResult again = halftone::testing::RunProcess(words("two"));
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  const FleetResult result = fleet.Result(item).value();
  EXPECT_EQ(result.end, TaskEnd::kDone) << result.reason;
  EXPECT_EQ(result.attempts, 2);
  EXPECT_GE(result.known, static_cast<std::int64_t>(kTrialsOfCheckpoint));
  EXPECT_EQ(result.known + result.measured, 9);
  EXPECT_THAT(result.points, Not(IsEmpty()));
  EXPECT_FALSE(fs::exists(partial));
  EXPECT_GE(TrialsIn(fleet.ResultFolder(item) / "bank"), 9U);
}

}  // namespace
}  // namespace halftone
