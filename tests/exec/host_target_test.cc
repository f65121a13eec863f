// Columns of the host target from signatures, and the target that the real kernel table gives.
#include "src/exec/host_target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "kernels/kernel_table.h"
#include "src/ir/ir_type.h"

namespace halftone {
namespace {

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;
constexpr DType kBF16 = DType::kBFloat16;
constexpr DType kF64 = DType::kFloat64;
constexpr DType kS32 = DType::kInt32;
constexpr DType kS64 = DType::kInt64;
constexpr DType kBool = DType::kBool;
using Tensors = std::vector<std::vector<DType>>;

struct ColumnsCase {
  const char* name;
  OpKind op;
  DTypeSet dtypes;
  Tensors inputs;
  Tensors outputs;
};

class HostColumnsOf : public ::testing::TestWithParam<ColumnsCase> {};

TEST_P(HostColumnsOf, FollowTheSignature) {
  const ColumnsCase& expected = GetParam();
  const LibraryOp op = HostColumns(InfoOf(expected.op), expected.dtypes);
  EXPECT_EQ(op.inputs, expected.inputs);
  EXPECT_EQ(op.outputs, expected.outputs);
  EXPECT_EQ(op.policy, InfoOf(expected.op).policy);
  EXPECT_EQ(op.cube, InfoOf(expected.op).Is(kCube));
}

const std::vector<DType> kMatrixT = {kF16, kF16, kF32, kBF16};
const std::vector<DType> kMatrixY = {kF16, kF32, kF32, kBF16};

INSTANTIATE_TEST_SUITE_P(
    Signatures, HostColumnsOf,
    ::testing::Values(ColumnsCase{"Unary",
                                  OpKind::kRelu,
                                  DTypeSet(kS64, kBF16, kF64, kF32, kF16),
                                  {{kF16, kF32, kBF16, kF64, kS64}},
                                  {{kF16, kF32, kBF16, kF64, kS64}}},
                      ColumnsCase{"BiasFollowsTheResult",
                                  OpKind::kConv,
                                  kTunableDTypes,
                                  {kMatrixT, kMatrixT, kMatrixY},
                                  {kMatrixY}},
                      ColumnsCase{"MatMul",
                                  OpKind::kMatMul,
                                  DTypeSet(kF16, kF64),
                                  {{kF16, kF16, kF64}, {kF16, kF16, kF64}},
                                  {{kF16, kF32, kF64}}},
                      ColumnsCase{"IndicesOfBothSizes",
                                  OpKind::kGather,
                                  DTypeSet(kF16, kF32),
                                  {{kF16, kF16, kF32, kF32}, {kS32, kS64, kS32, kS64}},
                                  {{kF16, kF16, kF32, kF32}}},
                      ColumnsCase{"ShapeOperand",
                                  OpKind::kReshape,
                                  DTypeSet(kF16, kBool),
                                  {{kF16, kBool}, {kS64, kS64}},
                                  {{kF16, kBool}}},
                      ColumnsCase{"BoolResult",
                                  OpKind::kEqual,
                                  DTypeSet(kF32, kF16),
                                  {{kF16, kF32}, {kF16, kF32}},
                                  {{kBool, kBool}}},
                      ColumnsCase{"Float32Operands",
                                  OpKind::kInstanceNormalization,
                                  DTypeSet(kF16, kF32),
                                  {{kF16, kF32}, {kF32, kF32}, {kF32, kF32}},
                                  {{kF16, kF32}}},
                      ColumnsCase{"OnlyBool", OpKind::kNot, DTypeSet(kBool), {{kBool}}, {{kBool}}},
                      ColumnsCase{"AnyTypeCarriesThePrecision",
                                  OpKind::kRange,
                                  DTypeSet(kF32, kS64),
                                  {{kF32, kS64}, {kF32, kS64}, {kF32, kS64}},
                                  {{kF32, kS64}}}),
    [](const auto& row) { return row.param.name; });

TEST(HostColumns, AnyTypeBesideTheCarrierIsEveryDType) {
  const LibraryOp op = HostColumns(InfoOf(OpKind::kConstantOfShape), DTypeSet(kS64));
  EXPECT_EQ(op.column_count(), std::size(kDTypes));
  for (const DTypeRow& row : kDTypes) {
    EXPECT_EQ(std::count(op.outputs[0].begin(), op.outputs[0].end(), row.dtype), 1) << row.name;
  }
}

TEST(HostColumns, ListsRepeat) {
  EXPECT_TRUE(HostColumns(InfoOf(OpKind::kConcat), kTunableDTypes).inputs_repeat);
  EXPECT_FALSE(HostColumns(InfoOf(OpKind::kConcat), kTunableDTypes).outputs_repeat);
  EXPECT_TRUE(HostColumns(InfoOf(OpKind::kSplit), kTunableDTypes).outputs_repeat);
  EXPECT_FALSE(HostColumns(InfoOf(OpKind::kRelu), kTunableDTypes).inputs_repeat);
}

TEST(HostColumns, NoKernelsIsNoColumns) {
  EXPECT_EQ(HostColumns(InfoOf(OpKind::kRelu), DTypeSet()).column_count(), 0U);
  EXPECT_EQ(HostColumns(InfoOf(OpKind::kNot), DTypeSet(kF32)).column_count(), 0U);
  EXPECT_EQ(HostColumns(InfoOf(OpKind::kConstantOfShape), DTypeSet(kF32)).column_count(), 0U);
}

// What the target promises, the kernel table has: for each operator of an IR type and each dtype of
// its carrying operand, an entry that runs here; and each mode that is offered, too.
TEST(HostTarget, PromisesOnlyWhatTheKernelTableHas) {
  for (const IsaMask isa : {kIsaAny, DetectIsa()}) {
    const TargetSpec target = HostTarget(isa);
    EXPECT_EQ(target.name, "host");
    EXPECT_TRUE(target.has_bfloat16);
    for (const OpInfo& info : AllOps()) {
      for (const std::string_view type : IrTypesOf(info.kind)) {
        const auto found = target.ai_core.find(type);
        if (found == target.ai_core.end()) {
          continue;
        }
        const DTypeSet kernels = KernelDTypes(info.kind, isa);
        const auto carrier = info.inputs.find('T');
        // Behind what says where or how many: Where, OneHot.
        ASSERT_TRUE(carrier == std::string_view::npos || info.inputs[0] == 'T' || carrier == 1 ||
                    info.kind == OpKind::kOneHot);
        const std::size_t operand = carrier == std::string_view::npos ? 0 : carrier;
        for (const DType dtype : found->second.inputs[operand]) {
          EXPECT_TRUE(kernels.Has(dtype)) << type << " " << NameOf(dtype);
        }
        for (const auto& [dtype, modes] : found->second.impl_modes) {
          EXPECT_GE(modes.size(), 2U) << type;
          const auto offered = KernelImplModes(info.kind, dtype, isa);
          for (const ImplMode mode : modes) {
            EXPECT_NE(std::find(offered.begin(), offered.end(), mode), offered.end())
                << type << " " << NameOf(dtype) << " " << NameOf(mode);
          }
        }
      }
    }
  }
}

// The other way round: an operator with kernels is in the target, under each of its IR types.
TEST(HostTarget, HasEveryOperatorWithKernels) {
  const TargetSpec target = HostTarget();
  std::size_t with_kernels = 0;
  for (const OpInfo& info : AllOps()) {
    if (KernelDTypes(info.kind, DetectIsa()).empty()) {
      continue;
    }
    ++with_kernels;
    for (const std::string_view type : IrTypesOf(info.kind)) {
      const auto found = target.ai_core.find(type);
      ASSERT_NE(found, target.ai_core.end()) << type;
      EXPECT_EQ(found->second.policy, info.policy) << type;
      EXPECT_EQ(found->second.cube, info.Is(kCube)) << type;
      EXPECT_GE(found->second.inputs.size(), ParseSignature(info.inputs).size()) << type;
      EXPECT_GE(found->second.outputs.size(), ParseSignature(info.outputs).size()) << type;
    }
  }
  EXPECT_GT(with_kernels, 0U);
}

// Operators that share an IR type agree on policy and on the start of their signatures: otherwise
// one set of columns could not describe both.
TEST(HostTarget, OperatorsOfOneIrTypeAreAlike) {
  std::map<std::string_view, const OpInfo*> first;
  for (const OpInfo& info : AllOps()) {
    for (const std::string_view type : IrTypesOf(info.kind)) {
      const auto [found, is_new] = first.emplace(type, &info);
      const OpInfo& other = *found->second;
      EXPECT_EQ(other.policy, info.policy) << type;
      EXPECT_EQ(other.traits, info.traits) << type;
      EXPECT_EQ(other.outputs, info.outputs) << type;
      EXPECT_TRUE(other.inputs.starts_with(info.inputs) || info.inputs.starts_with(other.inputs))
          << type;
    }
  }
}

// The AI CPU library of the host are the references, with all operands' dtypes.
TEST(HostTarget, AiCpuIsTheReferences) {
  const TargetSpec target = HostTarget();
  for (const auto& table : AllKernelTables()) {
    for (const KernelEntry& entry : table) {
      // One function may serve more dtypes than the operator has: Not is an entry for all of them.
      const bool any_dtype = InfoOf(entry.op).inputs.find('T') != std::string_view::npos;
      if (!entry.is_reference || !any_dtype || IrTypesOf(entry.op).size() != 1) {
        continue;
      }
      const auto found = target.ai_cpu.find(IrTypesOf(entry.op)[0]);
      ASSERT_NE(found, target.ai_cpu.end()) << entry.name;
      const DTypeSet offered = *found->second.InputDTypes(0);
      EXPECT_EQ(offered | entry.dtypes, offered) << entry.name;
    }
  }
}

}  // namespace
}  // namespace halftone
