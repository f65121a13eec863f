#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/file.h"
#include "src/passes/passes.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

TEST(AllPasses, HaveDistinctNamesAndMeanings) {
  std::vector<std::string_view> names;
  for (const Pass& pass : AllPasses()) {
    EXPECT_THAT(names, ::testing::Not(::testing::Contains(pass.name)));
    EXPECT_FALSE(pass.meaning.empty());
    names.push_back(pass.name);
  }
}

TEST(AllPasses, StandInTheDocumentation) {
  const std::string page = ReadFile(testing::SourceDir() / "docs/internals/passes.md");
  std::size_t position = 0;
  for (const Pass& pass : AllPasses()) {
    const std::size_t found = page.find("| `" + std::string(pass.name) + "` |");
    EXPECT_NE(found, std::string::npos) << pass.name;
    EXPECT_GT(found, position) << pass.name << " is out of order";
    const std::string row = page.substr(found, page.find('\n', found) - found);
    const std::string group(NameIn(kFusionKinds, pass.fusion));
    const bool rules = pass.stage == PassStage::kLowering && pass.fusion != FusionKind::kNone &&
                       pass.name != "chain_elementwise";  // which fuses no nodes
    const std::string rule = rules ? " " + std::string(NameIn(kFusedValues, pass.rule.values)) +
                                         " | " + std::string(NameIn(kFusedModes, pass.rule.mode)) +
                                         " |"
                                   : " ";
    EXPECT_THAT(row, ::testing::HasSubstr((group.empty() ? "| |" : "| " + group + " |") + rule));
    const std::size_t lowering = page.find("**Lowering** passes");
    EXPECT_EQ(pass.stage == PassStage::kLowering, found > lowering) << pass.name;
    position = found;
  }
}

}  // namespace
}  // namespace halftone
