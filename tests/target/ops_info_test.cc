#include "src/target/ops_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/target/builtin_targets.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::SourceDir;
using ::testing::ElementsAre;
using ::testing::Key;
using ::testing::UnorderedElementsAre;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;
constexpr DType kBF16 = DType::kBFloat16;
constexpr DType kF64 = DType::kFloat64;
constexpr DType kI8 = DType::kInt8;
constexpr DType kI32 = DType::kInt32;
constexpr DType kI64 = DType::kInt64;

const TargetFile& Family(std::string_view name = "ascend310p") {
  return *FindFamily(name);
}

std::string Fixture(const std::string& path) {
  return ReadFile(SourceDir() / "tests/data/ops_info/opp/built-in/op_impl" / path);
}

AiCoreLibrary MainFile() {
  return ParseOpsInfo(Fixture("ai_core/tbe/config/ascend310p/aic-ascend310p-ops-info.json"),
                      "ops.json", Family());
}

TEST(OpsInfo, ColumnsThatDifferInFormatOnlyAreOne) {
  const AiCoreLibrary library = MainFile();
  const LibraryOp& add = library.at("Add");
  EXPECT_THAT(add.inputs,
              ElementsAre(ElementsAre(kF16, kF32, kI32), ElementsAre(kF16, kF32, kI32)));
  EXPECT_THAT(add.outputs, ElementsAre(ElementsAre(kF16, kF32, kI32)));
}

TEST(OpsInfo, PolicyIsWhiteBlackOrGray) {
  const AiCoreLibrary library = MainFile();
  EXPECT_EQ(library.at("Conv2D").policy, MixPolicy::kWhite);
  EXPECT_EQ(library.at("SoftmaxV2").policy, MixPolicy::kBlack);
  EXPECT_EQ(library.at("Add").policy, MixPolicy::kGray);
  EXPECT_EQ(library.at("Tanh").policy, MixPolicy::kBlack);  // the older key
}

TEST(OpsInfo, KernelFileCubeAndImplementationModes) {
  const AiCoreLibrary library = MainFile();
  EXPECT_FALSE(library.at("Add").has_kernel_file);
  EXPECT_TRUE(library.at("Relu").has_kernel_file);
  EXPECT_TRUE(library.at("Conv2D").cube);
  EXPECT_TRUE(library.at("GEMM").cube);
  EXPECT_FALSE(library.at("Add").cube);
  EXPECT_THAT(library.at("Tanh").impl_modes, UnorderedElementsAre(Key(kF16)));
}

TEST(OpsInfo, TensorsAreInTheOrderOfTheOnnxOperands) {
  const AiCoreLibrary library = MainFile();
  // X, scale, B, mean, variance of IR inputs 0, 4, 5, 1, 2.
  EXPECT_THAT(library.at("BNInference").inputs,
              ElementsAre(ElementsAre(kF16, kF32), ElementsAre(kI8, kI8),
                          ElementsAre(DType::kUInt8, DType::kUInt8), ElementsAre(kF16, kF16),
                          ElementsAre(kF32, kF32)));
}

TEST(OpsInfo, TensorsWithoutAnOperandAndAttributesInPlaceOfOperands) {
  const AiCoreLibrary library = MainFile();
  // concat_dim is an attribute in ONNX: its two index types make no columns.
  const LibraryOp& concat = library.at("ConcatV2");
  EXPECT_THAT(concat.inputs, ElementsAre(ElementsAre(kF16, kF32)));
  EXPECT_TRUE(concat.inputs_repeat);
  // Resize: X, roi (none there), scales (none there), sizes; the complex column is left out.
  EXPECT_THAT(library.at("ResizeNearestNeighborV2").inputs,
              ElementsAre(ElementsAre(kF16, kF32), ElementsAre(kF32, kF32), ElementsAre(kF32, kF32),
                          ElementsAre(kI32, kI32)));
}

TEST(OpsInfo, InputsAreSortedByNumberAndOneDTypeStandsForAllColumns) {
  const AiCoreLibrary library = MainFile();
  const LibraryOp& op = library.at("ManyInputs");
  ASSERT_EQ(op.inputs.size(), 11U);
  EXPECT_THAT(op.inputs[2], ElementsAre(kI8, kI8));
  EXPECT_THAT(op.inputs[10], ElementsAre(kI64, kI64));
  EXPECT_THAT(op.outputs, ElementsAre(ElementsAre(kF16, kF32)));
}

TEST(OpsInfo, ATypeOfForeignDTypesOnlyIsNotThere) {
  EXPECT_FALSE(MainFile().contains("OnlyComplex"));
}

TEST(OpsInfo, AbsentDTypesComeFromTheFamily) {
  const AiCoreLibrary library = MainFile();
  EXPECT_EQ(library.at("Conv2D").inputs, Family().spec.ai_core.at("Conv2D").inputs);
  // Types that the family has no row for: its matrix list for cube types, else its float list.
  EXPECT_THAT(library.at("GEMM").inputs,
              ElementsAre(ElementsAre(kF16, kF16), ElementsAre(kF16, kF16)));
  EXPECT_THAT(library.at("GEMM").outputs, ElementsAre(ElementsAre(kF16, kF32)));
  EXPECT_THAT(library.at("L2Loss").inputs, ElementsAre(ElementsAre(kF16, kF32)));
  const std::string l2 =
      R"({"L2Loss": {"input0": {}, "output0": {}, "dynamicFormat": {"flag": "true"}}})";
  EXPECT_THAT(ParseOpsInfo(l2, "l2.json", Family("ascend910b")).at("L2Loss").inputs,
              ElementsAre(ElementsAre(kF16, kF32, kBF16)));
}

TEST(AiCpuKernels, AreIndependentSets) {
  const AiCpuLibrary library = ParseAiCpuKernels(
      Fixture("aicpu/aicpu_kernel/config/aicpu_kernel.json"), "cpu.json", "AICPUKernel");
  EXPECT_THAT(library, UnorderedElementsAre(Key("Add"), Key("ConcatV2")));  // one is switched off
  const AiCpuOp& add = library.at("Add");
  EXPECT_THAT(add.inputs, ElementsAre(DTypeSet(kF16, kF32, kF64), DTypeSet(kF32, kI64)));
  EXPECT_THAT(add.outputs, ElementsAre(DTypeSet(kBF16, kF64)));
  EXPECT_EQ(add.library, "AICPUKernel");
  EXPECT_FALSE(add.inputs_repeat);
  EXPECT_TRUE(library.at("ConcatV2").inputs_repeat);
  EXPECT_THAT(library.at("ConcatV2").inputs, ElementsAre(DTypeSet(kF32, kI64)));
}

TEST(AiCpuKernels, OfTensorFlowSayTheirLibrary) {
  const AiCpuLibrary library =
      ParseAiCpuKernels(Fixture("aicpu/tf_kernel/config/tf_kernel.json"), "tf.json", "TFKernel");
  EXPECT_EQ(library.at("Erf").library, "TFKernel");
}

struct BadRow {
  const char* name;
  std::string text;
  std::string message;
};

std::string Add(const std::string& items) {
  return "{\"Add\": {" + items + "}}";
}

const BadRow kBad[] = {
    {"empty", "", "x.json: expected JSON, found an empty file"},
    {"no object", "[]", "x.json: expected an object of operator types, found array"},
    {"type is no object", R"({"Add": "white"})",
     "x.json: type 'Add': expected an object, found string"},
    {"type twice", R"({"Add": {}, "Add": {}})",
     "x.json: the key 'Add' stands twice in one object; keep one of them"},
    {"tensor is no object", Add(R"("input0": "float16")"),
     "x.json: type 'Add': input0: expected an object, found string"},
    {"dtype is no string", Add(R"("input0": {"dtype": ["float16"]})"),
     "x.json: type 'Add': input0.dtype: expected a string, found array"},
    {"unknown dtype", Add(R"("input0": {"dtype": "float16,float61"})"),
     "x.json: type 'Add': input0.dtype: expected dtypes, found 'float61'"},
    {"empty dtype", Add(R"("input0": {"dtype": "float16,"})"),
     "x.json: type 'Add': input0.dtype: expected dtypes, found ''"},
    {"columns of several lengths",
     Add(R"("input0": {"dtype": "float16,float,int8"}, "output0": {"dtype": "float16,float"})"),
     "x.json: type 'Add': output0.dtype: op library corrupt: 2 dtypes, but input0.dtype has 3"},
    {"dtype missing", Add(R"("input0": {"dtype": "float16"}, "output0": {})"),
     "x.json: type 'Add': output0.dtype: op library corrupt: it is missing, and dynamicFormat.flag "
     "is not \"true\""},
    {"a number is left out",
     Add(R"("input0": {"dtype": "float16"}, "input2": {"dtype": "float16"})"),
     "x.json: type 'Add': input2: op library corrupt: 'input1' is missing"},
    {"an operand is left out",
     Add(R"("input0": {"dtype": "float"}, "output0": {"dtype": "float"})"),
     "x.json: type 'Add': input1: op library corrupt: it is missing, and Add has it"},
    {"no output", Add(R"("input0": {"dtype": "float"}, "input1": {"dtype": "float"})"),
     "x.json: type 'Add': output0: op library corrupt: it is missing, and Add has it"},
    {"unknown paramType", Add(R"("input0": {"dtype": "float16", "paramType": "maybe"})"),
     "x.json: type 'Add': input0.paramType: expected required, optional, dynamic or reserved, "
     "found 'maybe'"},
    {"flag is no string", Add(R"("precision_reduce": {"flag": true})"),
     "x.json: type 'Add': precision_reduce.flag: expected a string, found boolean"},
    {"unknown flag", Add(R"("precision_reduce": {"flag": "white"})"),
     "x.json: type 'Add': precision_reduce.flag: expected \"true\" or \"false\", found 'white'"},
    {"unknown dynamicFormat", Add(R"("input0": {}, "dynamicFormat": {"flag": "1"})"),
     "x.json: type 'Add': dynamicFormat.flag: expected \"true\" or \"false\", found '1'"},
    {"opFile is no object", Add(R"("opFile": "Null")"),
     "x.json: type 'Add': opFile: expected an object, found string"},
};

TEST(OpsInfo, RefusesCorruptFilesWithFileTypeAndKey) {
  for (const BadRow& row : kBad) {
    try {
      (void)ParseOpsInfo(row.text, "x.json", Family());
      ADD_FAILURE() << row.name << ": no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage) << row.name;
      EXPECT_EQ(error.what(), row.message) << row.name;
    }
  }
}

TEST(OpsInfo, SyntaxErrorsSayWhere) {
  for (const std::string text : {"{\"Add\": {",
                                 "\x7f"
                                 "ELF",
                                 "{\"Add\": {}}}", "{\"a\": \"\xff\"}"}) {
    try {
      (void)ParseOpsInfo(text, "x.json", Family());
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::StartsWith("x.json:1:"));
    }
  }
  EXPECT_TRUE(ParseOpsInfo("\xEF\xBB\xBF{}\r\n", "x.json", Family()).empty());
}

const BadRow kBadAiCpu[] = {
    {"type missing", Add(R"("input0": {"name": "x"})"),
     "x.json: type 'Add': input0.type: op library corrupt: it is missing"},
    {"no DT_ name", Add(R"("input0": {"type": "float"})"),
     "x.json: type 'Add': input0.type: expected DT_* names, found 'float'"},
    {"unknown name", Add(R"("input0": {"type": "DT_FLOAT,DT_FLOAT61"})"),
     "x.json: type 'Add': input0.type: expected DT_* names, found 'DT_FLOAT61'"},
    {"number twice",
     Add(R"("dynamic_input0": {"type": "DT_FLOAT"}, "input0": {"type": "DT_FLOAT"})"),
     "x.json: type 'Add': input0: op library corrupt: 'dynamic_input0' has the same number"},
    {"number left out", Add(R"("output1": {"type": "DT_FLOAT"})"),
     "x.json: type 'Add': output1: op library corrupt: 'output0' is missing"},
    {"opsFlag is no string", Add(R"("opInfo": {"opsFlag": 1})"),
     "x.json: type 'Add': opInfo.opsFlag: expected a string, found number"},
};

TEST(AiCpuKernels, RefusesCorruptFilesWithFileTypeAndKey) {
  for (const BadRow& row : kBadAiCpu) {
    try {
      (void)ParseAiCpuKernels(row.text, "x.json", "AICPUKernel");
      ADD_FAILURE() << row.name << ": no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), row.message) << row.name;
    }
  }
}

}  // namespace
}  // namespace halftone
