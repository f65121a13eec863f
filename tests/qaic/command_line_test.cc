#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/base/shell_words.h"
#include "src/base/text.h"
#include "src/qaic/combinations.h"
#include "src/qaic/compile_options.h"
#include "src/qaic/option_table.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

ToolCommandLine Parse(const std::vector<std::string>& words) {
  return ParseQaicCommandLine(words);
}

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : Split(text, ' ')) {
    words.emplace_back(word);
  }
  return words;
}

std::string MessageOf(const std::vector<std::string>& words) {
  try {
    ParseQaicOptions(words);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage) << error.what();
    return error.what();
  }
  return "";
}

TEST(QaicCommandLineTest, ValuesFollowAnEqualsSignOrABlank) {
  const auto values =
      UnorderedElementsAre(Pair("model", ElementsAre("a.onnx")), Pair("seed", ElementsAre("5")),
                           Pair("convert-to-fp16", ElementsAre("true")));
  EXPECT_THAT(Parse({"-m=a.onnx", "-seed=5", "-convert-to-fp16"}).values, values);
  EXPECT_THAT(Parse({"-m", "a.onnx", "-seed", "5", "-convert-to-fp16"}).values, values);
  EXPECT_THAT(Parse({"--model=a.onnx", "--seed", "5", "--convert-to-fp16=true"}).values, values);
}

TEST(QaicCommandLineTest, AnEmptyValueAndAFlagThatIsFalseAreNotGiven) {
  const ToolCommandLine line = Parse({"-m=", "-convert-to-fp16=false", "-enable-rowwise=0"});
  EXPECT_THAT(line.values, IsEmpty());
  EXPECT_EQ(line.Get("num-histogram-bins"), "512");
}

TEST(QaicCommandLineTest, HelpWinsOverErrors) {
  for (const char* word : {"-h", "-help", "--help", "-u", "-usage", "--usage"}) {
    EXPECT_TRUE(Parse({"-nonsense", word}).help) << word;
  }
  EXPECT_FALSE(Parse({}).help);
  for (const ToolOption& option : QaicTable().options) {
    EXPECT_THAT(QaicHelp(), HasSubstr("\n  -" + std::string(option.name))) << option.name;
  }
}

TEST(QaicCommandLineTest, RepeatedOptionsCollectAndOthersDoNot) {
  EXPECT_THAT(
      Parse({"-onnx-define-symbol=a,1", "-onnx-define-symbol=b,2"}).All("onnx-define-symbol"),
      ElementsAre("a,1", "b,2"));
  EXPECT_EQ(MessageOf({"-m=a", "-model=b"}), "-model is given twice; give it once");
}

// A value that an option of this kind accepts.
std::string GoodValue(const ToolOption& option) {
  switch (option.kind) {
    case ToolValueKind::kChoice:
      return std::string(Split(option.choices, ',').front());
    case ToolValueKind::kInteger:
    case ToolValueKind::kNumber:
      return std::to_string(static_cast<long>(option.most));
    case ToolValueKind::kFlag:
      return "true";
    default:
      return "text";
  }
}

class OptionTest : public ::testing::TestWithParam<ToolOption> {};

TEST_P(OptionTest, DoesWhatItsRowSays) {
  const ToolOption& option = GetParam();
  const std::string name(option.name);
  EXPECT_EQ(QaicTable().Find(name)->name, option.name);
  EXPECT_FALSE(option.note.empty());
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-" + name + "=" + GoodValue(option)},
        option.kind == ToolValueKind::kFlag
            ? std::vector<std::string>{"-" + name}
            : std::vector<std::string>{"-" + name, GoodValue(option)}}) {
    if (option.use == ToolOptionUse::kRefused) {
      EXPECT_EQ(MessageOf(words), "-" + name + " is not supported: " + std::string(option.note));
      continue;
    }
    const ToolCommandLine line = Parse(words);
    EXPECT_TRUE(line.Has(name));
    if (option.use == ToolOptionUse::kNoEffect) {
      EXPECT_THAT(line.notes,
                  ElementsAre("-" + name + " has no effect here: " + std::string(option.note)));
    } else {
      EXPECT_THAT(line.notes, IsEmpty());
    }
  }
  if (!option.default_value.empty()) {
    EXPECT_NO_THROW(Parse({"-" + name + "=" + std::string(option.default_value)}));
  }
}

TEST_P(OptionTest, RefusesValuesOutsideItsRow) {
  const ToolOption& option = GetParam();
  const std::string name = "-" + std::string(option.name);
  switch (option.kind) {
    case ToolValueKind::kChoice:
      EXPECT_THAT(MessageOf({name + "=zzz"}),
                  name + "=zzz: expected one of " + std::string(option.choices));
      break;
    case ToolValueKind::kInteger:
      EXPECT_THAT(MessageOf({name + "=1.5"}), HasSubstr(": expected an integer from "));
      EXPECT_THAT(MessageOf({name + "=" + std::to_string(static_cast<long>(option.most) + 1)}),
                  HasSubstr(": expected an integer from "));
      EXPECT_THAT(MessageOf({name, std::to_string(static_cast<long>(option.least) - 1)}),
                  HasSubstr(": expected an integer from "));
      break;
    case ToolValueKind::kNumber:
      EXPECT_THAT(MessageOf({name + "=nan"}), HasSubstr(": expected a number from "));
      EXPECT_THAT(MessageOf({name + "=-1"}), HasSubstr(": expected a number from "));
      break;
    case ToolValueKind::kFlag:
      EXPECT_EQ(MessageOf({name + "=maybe"}),
                name + "=maybe: expected no value, true or false: it is a flag");
      break;
    case ToolValueKind::kList:
      EXPECT_EQ(MessageOf({name + "=Mul,,Add"}),
                name + "=Mul,,Add: expected names separated by commas, found an empty one");
      break;
    default:
      EXPECT_EQ(MessageOf({name}), name + ": expected a value after it, found the end");
      EXPECT_EQ(MessageOf({name, "-convert-to-fp16"}),
                name + ": expected a value after it, found '-convert-to-fp16'");
  }
}

INSTANTIATE_TEST_SUITE_P(Table, OptionTest, ::testing::ValuesIn(QaicTable().options),
                         [](const auto& option) {
                           std::string name(option.param.name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

struct MessageRow {
  const char* words;
  const char* message;
};

const MessageRow kMessages[] = {
    {"-m=a.onnx -convert-to-fp61",
     "unknown option -convert-to-fp61; did you mean -convert-to-fp16?; see halftone qaic-compile "
     "-h"},
    {"a.onnx", "'a.onnx' belongs to no option; see halftone qaic-compile -h"},
    {"-convert-to-fp16", "-m is missing: name an ONNX file"},
    {"-m=a.onnx -quantization-schema=asymetric",
     "-quantization-schema=asymetric: expected one of "
     "asymmetric,symmetric,symmetric_with_uint8,symmetric_with_power2_scale; did you mean "
     "asymmetric?"},
    {"-m=a.onnx -quantization-precision=Int17",
     "-quantization-precision=Int17: expected one of Int8,Int16; did you mean Int16?"},
    {"-m=a.onnx -percentile-calibration-value=89.9",
     "-percentile-calibration-value=89.9: expected a number from 90 to 100"},
    {"-m=a.onnx -onnx-define-symbol=batch",
     "-onnx-define-symbol=batch: expected a symbol and its extent: batch,1"},
    {"-m=a.onnx -onnx-define-symbol=n,1 -onnx-define-symbol=n,2",
     "-onnx-define-symbol=n,2: 'n' is defined twice; define it once"},
    {"-m=a.onnx -model-input=x,float",
     "-model-input=x,float: expected a name, a type and a shape: x,float,[1,3,224,224]"},
    {"-m=a.onnx -model-input=x,float,[1,-1]",
     "-model-input=x,float,[1,-1]: expected a name, a type and a shape: x,float,[1,3,224,224]"},
};

TEST(QaicCommandLineTest, Messages) {
  for (const MessageRow& row : kMessages) {
    EXPECT_EQ(MessageOf(Words(row.words)), row.message) << row.words;
  }
}

// Each row holds for its example, and for no example of a row that is listed before it (an error
// hides what follows).
TEST(QaicCombinationsTest, EachRowSpeaksForItsExample) {
  for (const QaicCombination& row : QaicCombinations()) {
    const std::vector<std::string> words = Words("-m=a.onnx " + std::string(row.example));
    if (row.is_error) {
      EXPECT_EQ(MessageOf(words), row.text);
    } else {
      EXPECT_THAT(ParseQaicOptions(words).warnings, ElementsAre(row.text)) << row.example;
    }
  }
}

TEST(QaicCombinationsTest, WhatIsAllowedSaysNothing) {
  for (const char* words :
       {"-m=a -convert-to-fp16", "-m=a -dump-profile=p -input-list-file=l",
        "-m=a -load-profile=p -enable-channelwise -quantization-schema=asymmetric",
        "-m=a -convert-to-quantize -input-list-file=l -num-histogram-bins=255 "
        "-quantization-calibration=KLMinimizationV2",
        "-m=a -keep-original-precision-for-nodes=Mul -node-precision-info=n.yaml",
        "-m=a -execute-nodes-in-fp16=Mul -node-precision-info=n.yaml",
        "-m=a -quantization-calibration=Percentile -percentile-calibration-value=99.99 "
        "-load-profile=p"}) {
    EXPECT_THAT(ParseQaicOptions(Words(words)).warnings, IsEmpty()) << words;
  }
}

TEST(QaicCompileOptionsTest, ReadsEveryValue) {
  const QaicCompileOptions options = ParseQaicOptions(Words(
      "-m=a.onnx -model-input=x,float,[1,3] -model-input=y:0,int64,2,4 -onnx-define-symbol=n,7 "
      "-batchsize=8 -input-list-file=l.txt -load-profile=p.yaml -quantization-schema=symmetric "
      "-quantization-schema-constants=asymmetric -quantization-precision-bias=Int8 "
      "-quantization-calibration=Percentile -percentile-calibration-value=99.5 "
      "-enable-channelwise -enable-rowwise -execute-nodes-in-fp16=Mul,Sqrt "
      "-keep-original-precision-for-nodes=Softmax -node-precision-info=n.yaml "
      "-custom-IO-list-file=io.yaml -ranges-from=r.yaml -threads=2 -seed=9"));
  EXPECT_EQ(options.model, "a.onnx");
  EXPECT_THAT(options.model_inputs, ElementsAre(QaicModelInput{"x", "float", {1, 3}},
                                                QaicModelInput{"y:0", "int64", {2, 4}}));
  EXPECT_THAT(options.symbols, ElementsAre(Pair("n", 7)));
  EXPECT_EQ(options.batch_size, 8);
  EXPECT_EQ(options.input_list, "l.txt");
  EXPECT_TRUE(options.quantizes);
  EXPECT_FALSE(options.profiles);
  EXPECT_EQ(options.activation_schema, "symmetric");
  EXPECT_EQ(options.constant_schema, "asymmetric") << "the narrower option wins";
  EXPECT_EQ(options.bias_precision, "Int8");
  EXPECT_EQ(options.calibration, "Percentile");
  EXPECT_EQ(options.percentile, 99.5);
  EXPECT_TRUE(options.channelwise);
  EXPECT_TRUE(options.rowwise);
  EXPECT_THAT(options.fp16_kinds, ElementsAre("Mul", "Sqrt"));
  EXPECT_THAT(options.kept_kinds, ElementsAre("Softmax"));
  EXPECT_EQ(options.node_precision, "n.yaml");
  EXPECT_EQ(options.custom_io, "io.yaml");
  EXPECT_EQ(options.ranges_from, "r.yaml");
  EXPECT_EQ(options.tool, QaicTool::kCompile);
  EXPECT_EQ(options.profiling_threads, 2);
  EXPECT_EQ(options.seed, 9U);
}

TEST(QaicCompileOptionsTest, DefaultsAreThoseOfTheDocumentation) {
  const QaicCompileOptions options = ParseQaicOptions(Words("-m=a.onnx"));
  EXPECT_EQ(options.activation_schema, "symmetric_with_uint8");
  EXPECT_EQ(options.constant_schema, "symmetric_with_uint8");
  EXPECT_EQ(options.integers, QaicPrecision::kInt8);
  EXPECT_EQ(options.bias_precision, "Int32");
  EXPECT_EQ(options.calibration, "None");
  EXPECT_EQ(options.percentile, 100);
  EXPECT_EQ(options.histogram_bins, 512);
  EXPECT_FALSE(options.to_fp16 || options.quantizes || options.profiles || options.channelwise ||
               options.rowwise || options.gaussian);
}

TEST(QaicCompileOptionsTest, Fp16WinsOverQuantization) {
  const QaicCompileOptions options =
      ParseQaicOptions(Words("-m=a.onnx -convert-to-fp16 -load-profile=p.yaml"));
  EXPECT_TRUE(options.to_fp16);
  EXPECT_FALSE(options.quantizes);
  EXPECT_EQ(options.load_profile, "");
}

}  // namespace
}  // namespace halftone
