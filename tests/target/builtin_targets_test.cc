#include "src/target/builtin_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "src/ir/ir_type.h"
#include "src/target/builtin_specs.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;
constexpr DType kBF16 = DType::kBFloat16;

struct FamilyRow {
  const char* family;
  std::vector<const char*> soc_versions;
  bool bfloat16;
  bool hifloat8;
  bool hf32;
  OverflowArithmetic overflow;
  const char* training_mode;
  bool int8 = false;
  bool is_ascend = true;
};

constexpr OverflowArithmetic kSaturate = OverflowArithmetic::kSaturate;
constexpr OverflowArithmetic kInfNan = OverflowArithmetic::kInfNan;

const FamilyRow kFamilies[] = {
    {"ascend310", {"Ascend310"}, false, false, false, kSaturate, "allow_fp32_to_fp16"},
    {"ascend310b",
     {"Ascend310B1", "Ascend310B2", "Ascend310B3", "Ascend310B4"},
     true,
     false,
     false,
     kSaturate,
     "must_keep_origin_dtype"},
    {"ascend310p",
     {"Ascend310P1", "Ascend310P3", "Ascend310P5", "Ascend310P7"},
     false,
     false,
     false,
     kSaturate,
     "allow_fp32_to_fp16"},
    {"ascend910",
     {"Ascend910A", "Ascend910B", "Ascend910ProA", "Ascend910ProB", "Ascend910PremiumA"},
     false,
     false,
     false,
     kSaturate,
     "allow_fp32_to_fp16"},
    {"ascend910b",
     {"Ascend910B1", "Ascend910B2", "Ascend910B2C", "Ascend910B3", "Ascend910B4", "Ascend910B4-1"},
     true,
     false,
     true,
     kInfNan,
     "must_keep_origin_dtype"},
    {"ascend910_93",
     {"Ascend910_9391", "Ascend910_9392", "Ascend910_9381", "Ascend910_9382", "Ascend910_9372",
      "Ascend910_9362"},
     true,
     false,
     true,
     kInfNan,
     "must_keep_origin_dtype"},
    {"ascend950",
     {"Ascend950PR_9579", "Ascend950PR_9589", "Ascend950PR_9599", "Ascend950DT_95A"},
     true,
     true,
     true,
     kInfNan,
     "must_keep_origin_dtype"},
    {.family = "cloud_ai_100",
     .soc_versions = {"cloud_ai_100", "cloud_ai_100_standard", "cloud_ai_100_pro",
                      "cloud_ai_100_ultra"},
     .bfloat16 = false,
     .hifloat8 = false,
     .hf32 = false,
     .overflow = kInfNan,
     .training_mode = "must_keep_origin_dtype",
     .int8 = true,
     .is_ascend = false},
};

TEST(BuiltinTargets, FactsOfEachFamily) {
  std::vector<std::string_view> names;
  for (const FamilyRow& row : kFamilies) {
    names.emplace_back(row.family);
    const TargetFile* file = FindFamily(row.family);
    ASSERT_NE(file, nullptr) << row.family;
    EXPECT_THAT(file->soc_versions, ElementsAreArray(row.soc_versions)) << row.family;
    for (const char* soc : row.soc_versions) {
      ASSERT_EQ(FindSocVersion(soc), file) << soc;
      const TargetSpec target = file->ForSoc(soc);
      EXPECT_EQ(target.name, soc);
      EXPECT_EQ(target.family, row.family);
      EXPECT_EQ(target.has_bfloat16, row.bfloat16) << soc;
      EXPECT_EQ(target.has_hifloat8, row.hifloat8) << soc;
      EXPECT_EQ(target.has_hf32, row.hf32) << soc;
      EXPECT_EQ(target.overflow, row.overflow) << soc;
      EXPECT_EQ(target.training_mode, row.training_mode) << soc;
      EXPECT_FALSE(target.is_host());
      EXPECT_EQ(target.has_amct, row.is_ascend) << soc;
      EXPECT_EQ(std::ranges::count(target.formats, *NumericFormat::Named("qint8")),
                row.int8 ? 1 : 0)
          << soc;
    }
  }
  EXPECT_THAT(TargetFamilies(), ElementsAreArray(names));
}

TEST(BuiltinTargets, NamesAreUniqueAndOfExactCase) {
  const std::vector<std::string> names = SocVersions();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(FindSocVersion("ascend310p3"), nullptr);
  EXPECT_EQ(FindSocVersion("host"), nullptr);
  EXPECT_EQ(FindFamily("base"), nullptr);  // inherited from, no target
  EXPECT_EQ(FindFamily("bfloat16"), nullptr);
}

// "f16,f16,f16->f16" of each column.
std::vector<std::string> ColumnsOf(const LibraryOp& op) {
  std::vector<std::string> columns;
  for (std::size_t c = 0; c < op.column_count(); ++c) {
    std::string text;
    for (const auto& tensor : op.inputs) {
      text += (text.empty() ? "" : ",") + std::string(ShortNameOf(tensor[c]));
    }
    text += "->";
    for (const auto& tensor : op.outputs) {
      text += std::string(ShortNameOf(tensor[c])) + ",";
    }
    text.pop_back();
    columns.push_back(text);
  }
  return columns;
}

TEST(BuiltinTargets, ColumnsDifferByBfloat16) {
  for (const FamilyRow& row : kFamilies) {
    const TargetSpec& target = FindFamily(row.family)->spec;
    std::vector<std::string> conv = {"f16,f16,f16->f16",
                                     row.is_ascend ? "f16,f16,f32->f32" : "f32,f32,f32->f32"};
    std::vector<std::string> relu = {"f16->f16", "f32->f32"};
    if (row.bfloat16) {
      conv.insert(conv.end(), {"bf16,bf16,bf16->bf16", "f32,f32,f32->f32"});
      relu.emplace_back("bf16->bf16");
    }
    relu.insert(relu.end(), {"s32->s32", "s8->s8", "u8->u8"});
    EXPECT_EQ(ColumnsOf(target.ai_core.at("Conv2D")), conv) << row.family;
    EXPECT_EQ(ColumnsOf(target.ai_core.at("MatMulV2")), conv) << row.family;
    EXPECT_EQ(ColumnsOf(target.ai_core.at("Relu")), relu) << row.family;
    EXPECT_EQ(target.ai_cpu.at("Relu").inputs.at(0).Has(kBF16), row.bfloat16) << row.family;
    EXPECT_TRUE(target.ai_cpu.at("Relu").inputs.at(0).Has(DType::kFloat64)) << row.family;
  }
}

TEST(BuiltinTargets, Hf32IsAnImplementationModeOfFloat32MatrixOperators) {
  for (const FamilyRow& row : kFamilies) {
    const TargetSpec& target = FindFamily(row.family)->spec;
    for (const char* type : {"Conv2D", "DepthwiseConv2D", "MatMulV2", "BatchMatMulV2"}) {
      const auto& modes = target.ai_core.at(type).impl_modes;
      ASSERT_EQ(modes.contains(kF32), row.hf32) << row.family << " " << type;
      if (row.hf32) {  // the first is in force when --allow_hf32 is not given: conv on, matmul off
        EXPECT_EQ(modes.at(kF32).front(),
                  std::string_view(type).find("Conv") != std::string_view::npos
                      ? ImplMode::kEnableHiFloat32Execution
                      : ImplMode::kEnableFloat32Execution)
            << type;
        EXPECT_EQ(modes.at(kF32).size(), 2U);
      }
    }
    if (row.is_ascend) {
      EXPECT_THAT(target.ai_core.at("SoftmaxV2").impl_modes.at(kF16),
                  ElementsAre(ImplMode::kHighPerformance, ImplMode::kHighPrecision));
    } else {
      EXPECT_TRUE(std::ranges::all_of(target.ai_core,
                                      [](const auto& op) { return op.second.impl_modes.empty(); }));
    }
    EXPECT_TRUE(target.ai_core.at("Relu").impl_modes.empty());
  }
}

// An operator that halftone runs must have somewhere to go on every target; a new one is a line in
// src/target/specs/base.ini.
TEST(BuiltinTargets, HaveEveryOperator) {
  for (const FamilyRow& row : kFamilies) {
    const TargetSpec& target = FindFamily(row.family)->spec;
    for (const OpInfo& info : AllOps()) {
      for (const std::string_view type : IrTypesOf(info.kind)) {
        EXPECT_TRUE(target.ai_core.contains(type) || target.ai_cpu.contains(type))
            << row.family << ": " << info.name << " (" << type << ")";
      }
    }
  }
}

// Rows are in the order of the ONNX operands: as many of them as the operator table has.
TEST(BuiltinTargets, RowsHaveTheTensorsOfTheOperatorTable) {
  for (const FamilyRow& row : kFamilies) {
    const TargetSpec& target = FindFamily(row.family)->spec;
    for (const OpInfo& info : AllOps()) {
      for (const std::string_view type : IrTypesOf(info.kind)) {
        const auto op = target.ai_core.find(type);
        if (op == target.ai_core.end()) {
          continue;
        }
        const auto inputs = ParseSignature(info.inputs);
        EXPECT_GE(op->second.inputs.size(), inputs.size()) << type;
        EXPECT_EQ(op->second.inputs_repeat, !inputs.empty() && inputs.back().repeated) << type;
        EXPECT_EQ(op->second.cube, info.Is(kCube)) << type;
        EXPECT_EQ(op->second.policy, info.policy) << type;
      }
    }
  }
}

TEST(BuiltinTargets, FiguresNameTheirSource) {
  std::size_t figures = 0;
  for (const std::string& soc : SocVersions()) {
    for (const RooflineFigure& figure : FindSocVersion(soc)->ForSoc(soc).roofline) {
      EXPECT_GT(figure.value, 0) << soc << " " << figure.name;
      EXPECT_FALSE(figure.unit.empty() || figure.source.empty()) << soc << " " << figure.name;
      ++figures;
    }
  }
  EXPECT_GT(figures, 0U);
}

}  // namespace
}  // namespace halftone
