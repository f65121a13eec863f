#include "src/training/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/training/parameter_table.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TrainingScript Parse(const std::string& text) {
  return ParseTrainingScript(text, "s.yaml");
}

// The least that a session needs around its parameters.
std::string Session(const std::string& parameters) {
  return "{rewrite_options: {remapping: OFF}, parameter_map: {use_off_line: {b: true}" +
         (parameters.empty() ? "" : ", " + parameters) + "}}";
}

TEST(TrainingScriptTest, TheThreeForms) {
  for (const std::string& text :
       {std::string("NPURunConfig: {precision_mode: allow_mix_precision, modify_mixlist: m.json}"),
        Session("precision_mode: {s: allow_mix_precision}, modify_mixlist: {s: m.json}"),
        Session("precision_mode: allow_mix_precision, modify_mixlist: 'm.json'"),
        std::string("global_options: {precision_mode: allow_mix_precision, modify_mixlist: "
                    "m.json}")}) {
    const TrainingScript script = Parse(text);
    EXPECT_EQ(script.arguments.precision_mode, "allow_mix_precision");
    EXPECT_EQ(script.arguments.modify_mixlist, "m.json");
    EXPECT_EQ(script.arguments.graph_run_mode, "1") << "a training script trains";
    EXPECT_THAT(script.warnings, IsEmpty());
    EXPECT_FALSE(script.loss_scaling.has_value());
  }
}

TEST(TrainingScriptTest, EmptyFormsAndNoneAreDefaults) {
  EXPECT_EQ(Parse("NPURunConfig:").arguments.precision_mode, "");
  EXPECT_EQ(Parse("NPURunConfig: {precision_mode: None, jit_compile: null}").notes.size(), 0U);
}

TEST(TrainingScriptTest, RunModeOfTheScriptCounts) {
  EXPECT_EQ(Parse("NPURunConfig: {graph_run_mode: 0}").arguments.graph_run_mode, "0");
  EXPECT_EQ(Parse(Session("graph_run_mode: {i: 1}")).arguments.graph_run_mode, "1");
}

std::string GoodValue(const ParameterRow& row) {
  switch (row.kind) {
    case ParameterKind::kInteger:
      return "1";
    case ParameterKind::kBoolean:
      return "true";
    case ParameterKind::kText:
      return row.choices.empty() ? "text" : std::string(Split(row.choices, ',').front());
  }
  return "";
}

class ParameterTest : public ::testing::TestWithParam<ParameterRow> {
 protected:
  static std::string In(std::uint8_t form, const std::string& name, const std::string& value) {
    if (form == kInParameterMap) {
      return name == "use_off_line" ? "{rewrite_options: {remapping: OFF}, parameter_map: {" +
                                          name + ": " + value + "}}"
                                    : Session(name + ": " + value);
    }
    return std::string(form == kInRunConfig ? "NPURunConfig" : "global_options") + ": {" + name +
           ": " + value + "}";
  }
};

TEST_P(ParameterTest, IsReadInItsFormsAndRefusedInOthers) {
  const ParameterRow& row = GetParam();
  const std::string name(row.name);
  for (const std::uint8_t form : {kInRunConfig, kInParameterMap, kInGlobalOptions}) {
    if ((row.forms & form) == 0) {
      try {
        Parse(In(form, name, GoodValue(row)));
        ADD_FAILURE() << "accepted";
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("has no parameter " + name));
      }
      continue;
    }
    const TrainingScript script = Parse(In(form, name, GoodValue(row)));
    EXPECT_THAT(script.warnings, IsEmpty());
    if (row.argument != nullptr) {
      EXPECT_EQ(script.arguments.*row.argument, GoodValue(row));
    }
    EXPECT_EQ(script.notes.size(), row.note.empty() ? 0U : 1U);
  }
}

TEST_P(ParameterTest, OtherKindsAreErrors) {
  const ParameterRow& row = GetParam();
  const std::string name(row.name);
  if ((row.forms & kInParameterMap) != 0) {
    const char right = static_cast<char>(row.kind);
    const char wrong = right == 's' ? 'i' : 's';
    EXPECT_NO_THROW(Parse(
        In(kInParameterMap, name, "{" + std::string(1, right) + ": " + GoodValue(row) + "}")));
    EXPECT_THROW(
        Parse(In(kInParameterMap, name, "{" + std::string(1, wrong) + ": " + GoodValue(row) + "}")),
        Error);
  }
  const std::uint8_t form = (row.forms & kInRunConfig) != 0 ? kInRunConfig : kInParameterMap;
  EXPECT_THROW(Parse(In(form, name, "[1]")), Error);
  if (row.kind != ParameterKind::kText) {
    EXPECT_THROW(Parse(In(form, name, "'1'")), Error);
    EXPECT_THROW(Parse(In(form, name, "many")), Error);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, ParameterTest, ::testing::ValuesIn(AllParameters()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(TrainingScriptTest, LossScaling) {
  const TrainingScript script = Parse(
      "NPURunConfig: {}\nloss_scale_manager: {type: Fixed, loss_scale: 8}\n"
      "NPULossScaleOptimizer: {is_distributed: True}\ndistributed: true\n");
  ASSERT_TRUE(script.loss_scaling.has_value());
  EXPECT_EQ(script.loss_scaling->scale, 8);
}

struct WarningCase {
  const char* text;
  const char* warning;
};

TEST(TrainingScriptTest, Warnings) {
  const WarningCase cases[] = {
      {"NPURunConfig: {presicion_mode: x}",
       "s.yaml:1: the parameter 'presicion_mode' is not known here and has no effect; did you mean "
       "precision_mode?"},
      {"NPURunConfig: {session_config: x}",
       "s.yaml:1: the parameter 'session_config' is not known here and has no effect"},
      {"NPURunConfig: {keep_dtype: x}",
       "s.yaml:1: training has no keep_dtype file and it has no effect: use keep_dtype_scope() "
       "around the operators"},
      {"NPURunConfig: {}\nloss_scale_maneger: {type: Fixed}\n",
       "s.yaml:2: the section 'loss_scale_maneger' is not known here and has no effect; did you "
       "mean loss_scale_manager?"},
      {"parameter_map: {use_off_line: true}\n"
       "rewrite_options: {remapping: RewriterConfig.OFF, memory_optimization: ON}",
       "s.yaml:2: newer releases expect rewrite_options: {memory_optimization: OFF} too"},
      {"NPURunConfig: {}\nloss_scale_manager: {type: Fixed, loss_scale: 1, enable_overflow_check: "
       "false}",
       "s.yaml:2: enable_overflow_check=false: steps whose gradients overflowed are applied too, "
       "not skipped"},
  };
  for (const WarningCase& row : cases) {
    EXPECT_THAT(Parse(row.text).warnings, ElementsAre(row.warning));
  }
}

TEST(TrainingScriptTest, NotesSayWhyAParameterDecidesNothing) {
  EXPECT_THAT(Parse("NPURunConfig:\n  deterministic: 1\n").notes,
              ElementsAre("s.yaml:2: deterministic decides nothing about precision: it fixes the "
                          "order of sums, not their dtypes"));
}

struct BadCase {
  const char* name;
  std::string text;
  const char* message;
};

class BadScriptTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadScriptTest, SaysWhere) {
  try {
    Parse(GetParam().text);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

const BadCase kBad[] = {
    {"Empty", "", "s.yaml:1: expected settings in YAML or JSON, found an empty file"},
    {"List", "[1]",
     "s.yaml:1: expected a map with one of NPURunConfig, parameter_map, global_options, found a "
     "list"},
    {"Prose", "hello",
     "s.yaml:1: expected a map with one of NPURunConfig, parameter_map, global_options, found a "
     "scalar"},
    {"NoForm", "precision_mode: origin",
     "s.yaml:1: expected one of NPURunConfig, parameter_map, global_options, found none of them"},
    {"TwoForms", "NPURunConfig: {}\nglobal_options: {}\n",
     "s.yaml:2: NPURunConfig and global_options are different kinds of script; keep one of them"},
    {"FormIsList", "NPURunConfig: [1]",
     "s.yaml:1: NPURunConfig: expected a map of parameters, found a list"},
    {"WrongForm", "global_options: {graph_run_mode: 1}",
     "s.yaml:1: global_options has no parameter graph_run_mode"},
    {"BothModes", "NPURunConfig:\n  precision_mode: a\n  precision_mode_v2: b\n",
     "s.yaml:3: E10056: precision_mode and precision_mode_v2 exclude each other; keep one of them"},
    {"RunModeLarge", "NPURunConfig: {graph_run_mode: 2}",
     "s.yaml:1: E10001: graph_run_mode=2: expected an integer from 0 to 1"},
    {"RunModeNegative", "NPURunConfig: {graph_run_mode: -1}",
     "s.yaml:1: E10001: graph_run_mode=-1: expected an integer from 0 to 1"},
    {"RunModeText", "NPURunConfig: {graph_run_mode: train}",
     "s.yaml:1: graph_run_mode: expected an integer (i), found 'train'"},
    {"RunModeFraction", "NPURunConfig: {graph_run_mode: 1.0}",
     "s.yaml:1: graph_run_mode: expected an integer (i), found '1.0'"},
    {"AoeMode", "NPURunConfig: {aoe_mode: '3'}",
     "s.yaml:1: E10001: aoe_mode=3: expected one of 1,2,4"},
    {"WrongField", Session("precision_mode: {i: 1}"),
     "s.yaml:1: precision_mode: expected a text (s), found the field 'i'"},
    {"FieldHoldsList", Session("precision_mode: {s: [1]}"),
     "s.yaml:1: precision_mode: expected a text (s), found a list"},
    {"MapInRunConfig", "NPURunConfig: {precision_mode: {s: origin}}",
     "s.yaml:1: precision_mode: expected a text (s), found a map"},
    {"NotABoolean", "NPURunConfig: {enable_reduce_precision: 1}",
     "s.yaml:1: enable_reduce_precision: expected true or false (b), found '1'"},
    {"OfflineMissing", "parameter_map: {precision_mode: origin}\nrewrite_options: {remapping: OFF}",
     "s.yaml:1: the session does not run on the device: expected use_off_line to be true in "
     "parameter_map"},
    {"OfflineFalse",
     "rewrite_options: {remapping: OFF}\nparameter_map: {use_off_line: {b: False}}\n",
     "s.yaml:2: the session does not run on the device: expected use_off_line to be true in "
     "parameter_map"},
    {"RemappingMissing", "parameter_map: {use_off_line: true}",
     "s.yaml:1: the session's remapping is not switched off: expected rewrite_options: "
     "{remapping: OFF}"},
    {"RemappingOn", "parameter_map: {use_off_line: true}\nrewrite_options: {remapping: ON}\n",
     "s.yaml:2: the session's remapping is not switched off: expected rewrite_options: "
     "{remapping: OFF}"},
    {"Distributed",
     "NPURunConfig: {}\nloss_scale_manager: {type: Fixed, loss_scale: 8}\ndistributed: true\n",
     "s.yaml:2: devices would diverge: loss scaling on several devices needs "
     "NPULossScaleOptimizer: {is_distributed: true}"},
    {"DistributedFalse",
     "NPURunConfig: {}\ndistributed: true\nloss_scale_manager: {type: Keras}\n"
     "NPULossScaleOptimizer: {is_distributed: false}\n",
     "s.yaml:4: devices would diverge: loss scaling on several devices needs "
     "NPULossScaleOptimizer: {is_distributed: true}"},
    {"OptimizerIsText", "NPURunConfig: {}\nNPULossScaleOptimizer: x\n",
     "s.yaml:2: NPULossScaleOptimizer: expected a map, found a scalar"},
    {"DistributedIsNumber", "NPURunConfig: {}\ndistributed: 8\n",
     "s.yaml:2: distributed: expected true or false"},
};

INSTANTIATE_TEST_SUITE_P(Files, BadScriptTest, ::testing::ValuesIn(kBad),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
