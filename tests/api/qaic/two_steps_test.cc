// The two steps of the Cloud AI guide on real networks, where they are there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "src/api/qaic/session.h"
#include "src/base/temporary_folder.h"
#include "src/qaic/compile_options.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Said(const std::vector<std::string>& words) {
  std::string said;
  const auto add = [&](std::string_view text) { said += fmt::format("{}\n", text); };
  RunQaicCompile(ParseQaicOptions(words), {.print = add, .note = add, .warn = add, .columns = 200});
  return said;
}

std::string PlanOf(const std::string& said) {
  const auto at = said.find("\nplan ");
  return at == said.npos ? "none" : said.substr(at + 6, 32);
}

class TwoStepsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(TwoStepsTest, GiveThePlanThatOneStepGives) {
  const auto shared = testing::SharedDir();
  if (!shared || !std::filesystem::exists(*shared / "models" / GetParam())) {
    GTEST_SKIP() << "no real networks here";
  }
  const TemporaryFolder folder("a profile");
  const std::string model = "-m=" + (*shared / "models" / GetParam()).string();
  const std::string profile = (folder.path() / "profile.yaml").string();
  EXPECT_THAT(Said({model, "-dump-profile=" + profile}),
              HasSubstr("Quantization profile is dumped at " + profile));
  const std::string two = Said({model, "-load-profile=" + profile, "-enable-channelwise"});
  const std::string one = Said({model, "-convert-to-quantize", "-enable-channelwise"});
  EXPECT_EQ(PlanOf(two), PlanOf(one)) << "ranges are written with all their digits";
  EXPECT_THAT(two, HasSubstr("in Int8\n"));
  EXPECT_THAT(PlanOf(one), Not("none"));
  EXPECT_NE(PlanOf(Said({model, "-load-profile=" + profile})), PlanOf(one))
      << "without channelwise weights have other scales";
}

INSTANTIATE_TEST_SUITE_P(Networks, TwoStepsTest,
                         ::testing::Values("mnist", "micro-kws", "squeezenet"),
                         [](const auto& network) {
                           std::string name = network.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace halftone
