// Every statement of the Cloud AI mixed-precision guide that the specification lists is a row here:
// a command line, or two, on a small network, and what the program must say.
#include "tests/api/qaic/statements.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "src/base/file.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::PlanOf;
using testing::Statements;

struct Row {
  const char* statement;
  const char* first;  // words of a command that is run before; empty: none
  const char* words;  // "-m=@/model.onnx -onnx-define-symbol=batch,1" precede them, unless they
                      // begin with a model
  const char* says;   // what its output must contain
  const char* never = "";  // what it must not contain; empty: nothing
};

const Row kOptions[] = {
    {"-m and -model name the model", "", "-model=@/model.onnx -onnx-define-symbol=batch,1",
     "6 nodes: 6 in FP32"},
    {"-m is required", "", "-model=", "error: -m is missing"},
    {"the older name takes the same: one parser", "", "-m=@/numbers.onnx", "1 node: 1 in FP32"},
    {"-model-input gives a dynamic model its shape", "",
     "-m=@/model.onnx -model-input=x,float,[1,4,4,4]", "6 nodes"},
    {"-onnx-define-symbol gives symbols their extent", "", "", "6 nodes"},
    {"... and is repeatable, once for each symbol", "", "-onnx-define-symbol=batch,2",
     "'batch' is defined twice"},
    {"-batchsize is the batch", "", "-m=@/model.onnx -batchsize=2 -input-list-file=@/list2.txt",
     "on 1 sample:"},
    {"without a list inputs are random", "", "", "of random data"},
    {"-use-random-input-data=gaussian", "", "-use-random-input-data=gaussian", "(gaussian["},
    {"default of random data: uniform", "", "", "(random["},
    {"-convert-to-fp16: all floating compute in FP16", "", "-convert-to-fp16",
     "6 nodes: 6 in FP16"},
    {"-convert-to-fp16: no quantization", "", "-convert-to-fp16 -convert-to-quantize",
     "6 nodes: 6 in FP16", "Int8"},
    {"-convert-to-quantize quantizes with generated inputs", "", "-convert-to-quantize",
     "1 in FP32, 5 in Int8"},
    {"... or with those of the list", "", "-convert-to-quantize -input-list-file=@/list.txt",
     "Model is compiled with Int8 precision using PGQ."},
    {"-quantization-schema takes four values", "",
     "-convert-to-quantize -quantization-schema=symmetric_with_power2_scale", "5 in Int8"},
    {"... asymmetric among them", "", "-convert-to-quantize -quantization-schema=asymmetric",
     "5 in Int8"},
    {"-quantization-precision=Int8", "", "-convert-to-quantize -quantization-precision=Int8",
     "5 in Int8"},
    {"-quantization-precision=Int16", "",
     "-convert-to-quantize -quantization-precision=Int16 -input-list-file=@/list.txt",
     "1 in FP32, 5 in Int16"},
    {"... says what it is", "",
     "-convert-to-quantize -quantization-precision=Int16 -input-list-file=@/list.txt",
     "Model is compiled with Int16 precision using PGQ."},
    {"... which the compiler may not support", "",
     "-convert-to-quantize -quantization-precision=Int16 -input-list-file=@/list.txt",
     "warning: -quantization-precision=Int16: the compiler's package page says"},
    {"... has a bias of Int32", "",
     "-convert-to-quantize -quantization-precision=Int16 -quantization-precision-bias=Int8",
     "error: -quantization-precision=Int16 and -quantization-precision-bias=Int8 exclude"},
    {"-quantization-precision-bias takes Int8", "",
     "-convert-to-quantize -quantization-precision-bias=Int8", "5 in Int8"},
    {"-quantization-calibration: KLMinimization", "",
     "-convert-to-quantize -quantization-calibration=KLMinimization", "5 in Int8"},
    {"-quantization-calibration: KLMinimizationV2", "",
     "-convert-to-quantize -quantization-calibration=KLMinimizationV2", "5 in Int8"},
    {"-quantization-calibration: MSE", "", "-convert-to-quantize -quantization-calibration=MSE",
     "5 in Int8"},
    {"-quantization-calibration: SQNR", "", "-convert-to-quantize -quantization-calibration=SQNR",
     "5 in Int8"},
    {"-quantization-calibration: Percentile with its value", "",
     "-convert-to-quantize -quantization-calibration=Percentile -percentile-calibration-value=99.9",
     "5 in Int8"},
    {"-percentile-calibration-value is from 90 to 100", "", "-percentile-calibration-value=101",
     "error: -percentile-calibration-value=101: expected a number from 90 to 100"},
    {"-num-histogram-bins is 512", "", "-dump-profile=@/bins.yaml", ", 512 bins\n"},
    {"... or as given", "", "-dump-profile=@/bins.yaml -num-histogram-bins=300", ", 300 bins\n"},
    {"-profiling-threads", "", "-dump-profile=@/threads.yaml -profiling-threads=1",
     "Quantization profile is dumped at @/threads.yaml\n"},
    {"-enable-channelwise", "", "-convert-to-quantize -enable-channelwise", "5 in Int8"},
    {"-enable-rowwise", "", "-convert-to-quantize -enable-rowwise", "5 in Int8"},
    {"-execute-nodes-in-fp16: all instances of the kinds", "", "-execute-nodes-in-fp16=Mul,Softmax",
     "4 in FP32", "FP16 no"},
    {"-keep-original-precision-for-nodes: unconverted", "",
     "-convert-to-fp16 -keep-original-precision-for-nodes=Mul", "5 in FP16, 1 in FP32"},
    {"... and unquantized", "", "-convert-to-quantize -keep-original-precision-for-nodes=Mul",
     "2 in FP32, 4 in Int8"},
    {"-node-precision-info: single instances", "", "-node-precision-info=@/fp16.yaml",
     "2 in FP16, 4 in FP32"},
    {"-output-node-name", "", "-output-node-name=y", "error: -output-node-name is not supported"},
    {"-aic-... have no influence on numerics", "",
     "-aic-hw -aic-hw-version=2.0 -aic-num-cores=16 -mos=1 -ols=1 -compile-only "
     "-aic-binary-dir=@/bin",
     "note: -ols has no effect here"},
    {"of the configurator: -no-quant", "", "-no-quant", "belongs to the model configurator"},
};

const Row kCombinations[] = {
    {"-convert-to-fp16 with a loaded profile: FP16 wins", "",
     "-convert-to-fp16 -load-profile=@/none.yaml", "warning: -convert-to-fp16 wins"},
    {"dump and load are two steps", "", "-dump-profile=@/p.yaml -load-profile=@/p.yaml",
     "error: -dump-profile and -load-profile are two steps"},
    {"a percentile without Percentile is ignored", "",
     "-convert-to-quantize -percentile-calibration-value=95",
     "warning: -percentile-calibration-value is ignored"},
    {"a profile without a list is of random data", "", "-dump-profile=@/random.yaml",
     "warning: -dump-profile without -input-list-file"},
    {"node precision on load but not on dump",
     "-dump-profile=@/plain.yaml -input-list-file=@/list.txt",
     "-load-profile=@/plain.yaml -node-precision-info=@/fp16.yaml -input-list-file=@/list.txt",
     "it was made without -node-precision-info"},
    {"... on dump but not on load",
     "-dump-profile=@/with.yaml -node-precision-info=@/fp16.yaml -input-list-file=@/list.txt",
     "-load-profile=@/with.yaml -input-list-file=@/list.txt", "error: -load-profile="},
    {"... different files",
     "-dump-profile=@/with2.yaml -node-precision-info=@/fp16.yaml -input-list-file=@/list.txt",
     "-load-profile=@/with2.yaml -node-precision-info=@/fp32.yaml -input-list-file=@/list.txt",
     "with another -node-precision-info"},
    {"... the same names in another file are the same",
     "-dump-profile=@/with3.yaml -node-precision-info=@/fp16.yaml -input-list-file=@/list.txt",
     "-load-profile=@/with3.yaml -node-precision-info=@/block.yaml -input-list-file=@/list.txt",
     "Model is compiled with Int8 precision using PGQ."},
    {"a profile of another batch size",
     "-m=@/model.onnx -batchsize=2 -dump-profile=@/two.yaml -input-list-file=@/list2.txt",
     "-load-profile=@/two.yaml", "another network, other input shapes or another batch size"},
    {"a profile of another graph", "", "-load-profile=@/other.yaml",
     "no record means a tensor of the network"},
    {"kept kinds with instances are allowed", "",
     "-keep-original-precision-for-nodes=Mul -node-precision-info=@/fp16.yaml",
     "2 in FP16, 4 in FP32", "warning: -keep"},
    {"a kind and an instance that overlap: FP16", "",
     "-execute-nodes-in-fp16=Conv,BatchNormalization -node-precision-info=@/fp16.yaml",
     "2 in FP16, 4 in FP32"},
    {"an unknown enum value", "", "-quantization-schema=sym", "error: -quantization-schema=sym:"},
};

const Row kPrecisions[] = {
    {"no flag: FP32 list is FP32", "", "-node-precision-info=@/fp32.yaml", "6 nodes: 6 in FP32"},
    {"FP16 run: FP32 list is FP32", "", "-convert-to-fp16 -node-precision-info=@/fp32.yaml",
     "5 in FP16, 1 in FP32"},
    {"quantized: FP32 list is FP32", "", "-convert-to-quantize -node-precision-info=@/fp32.yaml",
     "2 in FP32, 4 in Int8"},
    {"quantized: FP16 list is FP16", "", "-convert-to-quantize -node-precision-info=@/fp16.yaml",
     "2 in FP16, 1 in FP32, 3 in Int8"},
    {"quantized: kinds in FP16", "", "-convert-to-quantize -execute-nodes-in-fp16=Softmax",
     "1 in FP16, 5 in Int8"},
    {"the FP32 list comes before a kind in FP16", "",
     "-execute-nodes-in-fp16=Mul -node-precision-info=@/fp32.yaml", "6 nodes: 6 in FP32"},
    {"the FP16 list comes before a kept kind", "",
     "-keep-original-precision-for-nodes=Conv -node-precision-info=@/fp16.yaml",
     "2 in FP16, 4 in FP32"},
    {"a kept kind comes before a kind in FP16", "",
     "-keep-original-precision-for-nodes=Mul -execute-nodes-in-fp16=Mul", "6 nodes: 6 in FP32"},
};

const Row kLists[] = {
    {"one sample a line, blank lines skipped", "", "-input-list-file=@/list.txt", "on 2 samples:"},
    {"a raw file for each input", "", "-input-list-file=@/two.txt",
     "expected a raw file for each of the 1 inputs of the model, separated by commas, found 2"},
    {"a wrong byte count is an error", "", "-input-list-file=@/short.txt",
     "has 4 bytes, expected 256 for input 'x' (float32 1x4x4x4)"},
    {"one list serves one batch size", "", "-input-list-file=@/list2.txt", "check -batchsize"},
    {"a missing raw file", "", "-input-list-file=@/none.txt", "none.raw' cannot be read"},
    {"a missing list", "", "-input-list-file=@/nowhere.txt", "error: -input-list-file"},
};

const Row kNodeFiles[] = {
    {"flow list", "", "-node-precision-info=@/fp16.yaml", "2 in FP16"},
    {"block list", "", "-node-precision-info=@/block.yaml", "2 in FP16"},
    {"the FP32 key, quoted names, duplicates", "",
     "-convert-to-fp16 -node-precision-info=@/fp32.yaml", "1 in FP32"},
    {"another key is an error", "", "-node-precision-info=@/key.yaml", "BF16NodeInstanceNames"},
    {"numbers are names", "", "-m=@/numbers.onnx -node-precision-info=@/numbers.yaml",
     "1 node: 1 in FP16"},
    {"... and equal to their text", "", "-m=@/numbers.onnx -node-precision-info=@/text.yaml",
     "1 node: 1 in FP16"},
    {"a scalar is an error", "", "-node-precision-info=@/scalar.yaml", "error: "},
    {"null is an error", "", "-node-precision-info=@/null.yaml", "error: "},
    {"the top level is a mapping", "", "-node-precision-info=@/list.yaml", "error: "},
    {"entries are first outputs, not node names", "", "-node-precision-info=@/node.yaml",
     "'conv' is the name of a node; nodes are named by their first output: 'conv_out'"},
    {"a second output is an error", "", "-node-precision-info=@/second.yaml",
     "'half2_out' is output 2 of node 'half' (Split)"},
    {"an absent name is an error", "", "-node-precision-info=@/absent.yaml",
     "did you mean 'mul_out'?"},
    {"in both lists is an error", "", "-node-precision-info=@/both.yaml", "error: "},
    {"a convolution without its BatchNorm", "", "-node-precision-info=@/conv.yaml",
     "so they cannot be fused; select both together"},
    {"FP32 islands: producer and consumers up to the Clip", "", "-m=@/big.onnx -convert-to-fp16",
     "FP32NodeInstanceNames: [second_out, clip_out]"},
};

const Row kFlow[] = {
    {"step 1 says that a profile is generated, and where: the guide's two lines", "",
     "-input-list-file=@/list.txt -node-precision-info=@/fp16.yaml -dump-profile=@/pgq.yaml",
     "Quantization Profile is being generated.\nQuantization profile is dumped at @/pgq.yaml\n"},
    {"step 2 says that the model was compiled to Int8 with the profile",
     "-input-list-file=@/list.txt -node-precision-info=@/fp16.yaml -dump-profile=@/pgq2.yaml",
     "-input-list-file=@/list.txt -node-precision-info=@/fp16.yaml -load-profile=@/pgq2.yaml",
     "\nModel is compiled with Int8 precision using PGQ.\n"},
    {"... with those nodes in FP16",
     "-input-list-file=@/list.txt -node-precision-info=@/fp16.yaml -dump-profile=@/pgq3.yaml",
     "-input-list-file=@/list.txt -node-precision-info=@/fp16.yaml -load-profile=@/pgq3.yaml",
     "2 in FP16, 1 in FP32, 3 in Int8"},
};

const Row kProfiles[] = {
    {"a profile with GlowToolsVersion", "", "-load-profile=@/vendor.yaml", "5 in Int8"},
    {"an old one without", "", "-load-profile=@/old.yaml", "5 in Int8"},
    {"a vendor's profile does not say its node precision", "", "-load-profile=@/vendor.yaml",
     "warning: -load-profile=@/vendor.yaml: the profile does not say which -node-precision-info"},
    {"a missing file is fatal", "", "-load-profile=@/nowhere.yaml", "error: -load-profile"},
    {"a missing key is fatal", "", "-load-profile=@/broken.yaml", "error: "},
    {"a schema of constants and one of activations", "",
     "-load-profile=@/vendor.yaml -quantization-schema-constants=symmetric_with_uint8 "
     "-quantization-schema-activations=asymmetric -enable-channelwise",
     "5 in Int8"},
    {"a table of another tool", "", "-external-quantization=@/aimet.json", "1 in Int8"},
    {"... is no profile", "", "-external-quantization=@/aimet.json",
     "Model is compiled with Int8 precision using the ranges of @/aimet.json.", "PGQ"},
    {"... whose floats are floats", "", "-external-quantization=@/aimet.json",
     "float16 in the table of -external-quantization"},
    {"... and tensors without an entry stay", "", "-external-quantization=@/aimet.json",
     "warning: -external-quantization has no range for tensors of"},
};

const Row kInterface[] = {
    {"name, layout, precision, scale and offset", "", "-custom-IO-list-file=@/io.yaml",
     "note: -custom-IO-list-file fits the model"},
    {"accuracy is with what it does to values", "", "-custom-IO-list-file=@/io.yaml",
     ", with x as int8:"},
    {"float16 without a scale", "", "-custom-IO-list-file=@/io_f16.yaml", "fits the model"},
    {"an unknown IOName is an error", "", "-custom-IO-list-file=@/io_name.yaml", "error: "},
    {"int8 needs Scale and Offset", "", "-custom-IO-list-file=@/io_scale.yaml", "error: "},
    {"and only int8 has them", "", "-custom-IO-list-file=@/io_float.yaml", "error: "},
    {"a layout needs rank 4", "", "-custom-IO-list-file=@/io_rank.yaml", "error: "},
    {"layouts are NCHW and NHWC", "", "-custom-IO-list-file=@/io_layout.yaml", "error: "},
    {"the template fits the model", "-dump-custom-IO-config-template=@/template.yaml",
     "-custom-IO-list-file=@/template.yaml", "fits the model"},
};

class StatementsTest : public ::testing::Test {
 protected:
  void Check(std::span<const Row> rows) {
    const Statements statements;
    for (const Row& row : rows) {
      if (row.first[0] != '\0') {
        EXPECT_THAT(statements.Run(WithModel(row.first)), Not(HasSubstr("error: ")))
            << row.statement;
      }
      const std::string said = statements.Run(WithModel(row.words));
      EXPECT_THAT(said, HasSubstr(statements.Placed(row.says))) << row.statement;
      if (row.never[0] != '\0') {
        EXPECT_THAT(said, Not(HasSubstr(row.never))) << row.statement;
      }
    }
  }

 private:
  static std::string WithModel(std::string_view words) {
    const bool has_model = words.starts_with("-m");
    return has_model ? std::string(words)
                     : fmt::format("-m=@/model.onnx -onnx-define-symbol=batch,1 {}", words);
  }
};

TEST_F(StatementsTest, Options) {
  Check(kOptions);
}

TEST_F(StatementsTest, Combinations) {
  Check(kCombinations);
}

TEST_F(StatementsTest, PrecisionOfANode) {
  Check(kPrecisions);
}

TEST_F(StatementsTest, InputLists) {
  Check(kLists);
}

TEST_F(StatementsTest, NodePrecisionFiles) {
  Check(kNodeFiles);
}

TEST_F(StatementsTest, TwoSteps) {
  Check(kFlow);
}

TEST_F(StatementsTest, Profiles) {
  Check(kProfiles);
}

TEST_F(StatementsTest, Interface) {
  Check(kInterface);
}

// What a run writes as a point gives the same plan when it is run.
TEST_F(StatementsTest, PointsReadBackToTheirPlan) {
  const Statements statements;
  const std::string model =
      "-m=@/model.onnx -onnx-define-symbol=batch,1 -input-list-file=@/list.txt ";
  for (const std::string words :
       {"", "-convert-to-fp16", "-convert-to-fp16 -node-precision-info=@/fp32.yaml",
        "-node-precision-info=@/fp16.yaml", "-execute-nodes-in-fp16=Softmax,Mul",
        "-convert-to-quantize",
        // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one line of options
        "-convert-to-quantize -node-precision-info=@/fp16.yaml -quantization-calibration=MSE "
        "-enable-channelwise",
        "-convert-to-quantize -quantization-schema=asymmetric -quantization-precision-bias=Int8",
        "-convert-to-quantize -quantization-precision=Int16 -enable-channelwise",
        "-convert-to-quantize -quantization-precision=Int16 -quantization-calibration=Percentile "
        "-percentile-calibration-value=99 -node-precision-info=@/fp16.yaml"}) {
    const std::string said = statements.Run(model + words + " -point=@/point");
    ASSERT_THAT(said, HasSubstr("point written to ")) << said;
    EXPECT_EQ(PlanOf(statements.RunScript("@/point")), PlanOf(said)) << words;
    std::filesystem::remove_all(statements.Placed("@/point"));
  }
}

// The guide: "Setting node instances to FP32 is not supported"; the newer tool has it.
TEST_F(StatementsTest, TheOlderToolHasNoFp32Instances) {
  const Statements statements;
  const std::string model = "-m=@/model.onnx -onnx-define-symbol=batch,1 ";
  const std::string words = model + "-convert-to-fp16 -node-precision-info=@/fp32.yaml";
  EXPECT_THAT(statements.Run(words), HasSubstr("5 in FP16, 1 in FP32"));
  const std::string refused = statements.Run(words, QaicTool::kExec);
  EXPECT_EQ(refused, statements.Placed(
                         "error: @/fp32.yaml:2: FP32NodeInstanceNames: setting node instances "
                         "to FP32 is not supported with -node-precision-info of qaic-exec, the "
                         "older tool; keep their kinds with "
                         "-keep-original-precision-for-nodes, or use qaic-compile\n"));
  const std::string kept = statements.Run(
      model + "-convert-to-fp16 -keep-original-precision-for-nodes=Mul -point=@/older",
      QaicTool::kExec);
  EXPECT_THAT(kept, HasSubstr("5 in FP16, 1 in FP32"));
  EXPECT_THAT(ReadFile(statements.Placed("@/older/qaic_compile.sh")),
              HasSubstr("exec qaic-exec -m="));
  EXPECT_FALSE(std::filesystem::exists(statements.Placed("@/older/node_precision.yaml")));
}

// 16 bits instead of 8: about 48 dB, 20 log10(65535 / 255), where nothing but rounding errs.
TEST_F(StatementsTest, Int16IsMoreExactThanInt8) {
  const Statements statements;
  const auto sqnr = [&](const std::string& precision) {
    const std::string said = statements.Run(
        "-m=@/model.onnx -onnx-define-symbol=batch,1 -input-list-file=@/list.txt "
        "-convert-to-quantize -keep-original-precision-for-nodes=Softmax "
        "-quantization-precision=" +
        precision);
    const auto at = said.find("sqnr_db          mean ");
    return at == said.npos ? 0.0 : std::stod(said.substr(at + 22));
  };
  EXPECT_GT(sqnr("Int16"), sqnr("Int8") + 30);
}

}  // namespace
}  // namespace halftone
