// Words of the families of targets for configurations.
#include "src/precision/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "src/precision/resolve/modes.h"
#include "src/target/builtin_targets.h"

namespace halftone {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

// Every kind of option that Summary() says something of.
PrecisionOptions EveryOption(std::string_view mode) {
  PrecisionOptions options{.precision_mode = std::string(mode)};
  options.keep_dtype = {"OpType::MatMulV2", "conv1", "conv2"};
  options.modify_mixlist = Mixlist{.white = {{"Relu"}, {}}, .black = {}, .gray = {{"Add"}, {}}};
  options.customize_dtypes = {{.target = "fc", .is_type = false, .inputs = {}, .outputs = {}}};
  options.input_fp16_nodes = {"x"};
  options.node_formats = {{"a", "qint8"}, {"b", "qint8 to float32"}};
  return options;
}

TEST(VocabularyTest, EveryBuiltInTargetHasTheWordsOfItsFamily) {
  for (const std::string& name : SocVersions()) {
    const TargetSpec target = FindSocVersion(name)->ForSoc(name);
    const Vocabulary& words = VocabularyOf(target);
    EXPECT_TRUE(target.family.starts_with(words.family)) << name << ": " << words.family;
    EXPECT_EQ(&VocabularyOfTarget(name), &words) << name;
  }
  EXPECT_EQ(VocabularyOfTarget("host").family, "host");
  EXPECT_EQ(VocabularyOfTarget("a target of the user").family, "host");
}

TEST(VocabularyTest, ATargetOfTheUserHasTheWordsOfTheFamilyThatItInheritsFrom) {
  const TargetFile file =
      ParseOwnTargetFile("[target]\nname = my_card\ninherits = cloud_ai_100\n", "my.ini");
  EXPECT_EQ(VocabularyOf(file.spec).script, "qaic_compile.sh");
}

TEST(VocabularyTest, OfCloudAi) {
  const Vocabulary& words = VocabularyOfTarget("cloud_ai_100");
  EXPECT_EQ(Summary(EveryOption("allow_mix_precision"), words),
            "FP16 by kind, original precision for 1 kind and 2 nodes, 2 kind changes, 1 node "
            "precision, 1 FP16 input, Int8 for 1 node, Int8 to FP32 for 1 node");
  EXPECT_EQ(Summary({.precision_mode = "force_fp16", .keep_dtype = {"conv1"}}, words),
            "-convert-to-fp16, original precision for conv1");
}

TEST(VocabularyTest, OfAscendAndTheHost) {
  for (const char* target : {"Ascend310P3", "host"}) {
    EXPECT_EQ(Summary(EveryOption("allow_mix_precision"), VocabularyOfTarget(target)),
              "allow_mix_precision, keep 3 nodes, 2 mixlist changes, 1 customized dtype line, 1 "
              "float16 input, int8 for 1 node, int8 to float32 for 1 node");
  }
}

// Names of ATC have an underscore or are those of its lists; no other tool calls anything so.
TEST(VocabularyTest, AFamilyWithModesOfItsOwnHasAWordForEveryMode) {
  for (const Vocabulary& words : AllVocabularies()) {
    for (const PrecisionMode& mode : AllPrecisionModes()) {
      for (const std::string_view value : {mode.name, mode.alias, mode.v2_name}) {
        if (!value.empty() && !words.modes.empty()) {
          EXPECT_NE(words.ModeWord(value), value) << words.family;
          EXPECT_THAT(Summary(EveryOption(value), words),
                      Not(::testing::ContainsRegex("[a-z]_[a-z]|mixlist|OpType|int8|customized")))
              << words.family;
        }
      }
    }
  }
}

}  // namespace
}  // namespace halftone
