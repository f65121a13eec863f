#include "kernels/kernel_table.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "gtest/gtest.h"
#include "src/base/error.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

std::vector<const KernelEntry*> AllEntries() {
  std::vector<const KernelEntry*> entries;
  for (const auto& table : AllKernelTables()) {
    for (const KernelEntry& entry : table) {
      entries.push_back(&entry);
    }
  }
  return entries;
}

std::vector<const KernelEntry*> EntriesOf(OpKind op) {
  std::vector<const KernelEntry*> entries = AllEntries();
  std::erase_if(entries, [op](const KernelEntry* entry) { return entry->op != op; });
  return entries;
}

TEST(KernelTables, EveryNameIsUniqueAndFollowsTheGrammar) {
  // Two to four words: family or operator, then dtype, instruction set or variant.
  const std::regex grammar("[a-z][a-z0-9_]*(\\.[a-z0-9_]+){1,3}");
  std::set<std::string_view> names;
  for (const KernelEntry* entry : AllEntries()) {
    EXPECT_TRUE(std::regex_match(std::string(entry->name), grammar)) << entry->name;
    EXPECT_TRUE(names.insert(entry->name).second) << entry->name << " twice";
  }
}

TEST(KernelTables, EveryEntryCanBeRun) {
  for (const KernelEntry* entry : AllEntries()) {
    EXPECT_NE(entry->prepare, nullptr) << entry->name;
    EXPECT_NE(entry->run, nullptr) << entry->name;
    EXPECT_FALSE(entry->dtypes.empty()) << entry->name;
  }
}

TEST(KernelTables, EveryOperatorHasAReferenceAndItIsLast) {
  for (const OpInfo& info : AllOps()) {
    const auto entries = EntriesOf(info.kind);
    ASSERT_FALSE(entries.empty()) << info.name;
    EXPECT_TRUE(entries.back()->is_reference) << info.name;
    EXPECT_TRUE(std::is_partitioned(entries.begin(), entries.end(), [](const KernelEntry* entry) {
      return !entry->is_reference;
    })) << info.name;
  }
}

// A reference serves every CPU and, up to the implementation mode, whatever the faster entries
// serve.
TEST(KernelTables, ReferencesRunEverywhere) {
  for (const KernelEntry* entry : AllEntries()) {
    if (entry->is_reference) {
      EXPECT_EQ(entry->isa, kIsaAny) << entry->name;
      EXPECT_EQ(entry->impl_mode, ImplMode::kDefault) << entry->name;
    }
  }
  for (const KernelEntry* entry : AllEntries()) {
    const KernelEntry* reference = EntriesOf(entry->op).back();
    EXPECT_EQ(entry->dtypes | reference->dtypes, reference->dtypes) << entry->name;
  }
}

// Operators whose only implementation is the reference, the same for all dtypes.
struct OnlyReference {
  OpKind op;
  std::string_view reason;
};

constexpr OnlyReference kOnlyReference[] = {
    {OpKind::kConcat, "copies rows of bytes: one implementation is both"},
    {OpKind::kSplit, "copies rows of bytes: one implementation is both"},
    {OpKind::kGather, "copies rows of bytes: one implementation is both"},
    {OpKind::kIdentity, "copies bytes; a view inside a network"},
    {OpKind::kFlatten, "copies bytes; a view inside a network"},
    {OpKind::kReshape, "copies bytes; a view inside a network"},
    {OpKind::kSqueeze, "copies bytes; a view inside a network"},
    {OpKind::kUnsqueeze, "copies bytes; a view inside a network"},
    {OpKind::kCumSum, "a chain of sums: one loop is both"},
    {OpKind::kLpPool, "no network has it yet"},
    {OpKind::kGatherNd, "copies slices of bytes: one implementation is both"},
    {OpKind::kTensorScatter, "copies slices of bytes: one implementation is both"},
    {OpKind::kRoiAlign, "in double; no network of the collection has it"},
    {OpKind::kDet, "in double; no network of the collection has it"},
    {OpKind::kMaxRoiPool, "in double; no network of the collection has it"},
    {OpKind::kDeformConv, "in double; no network of the collection has it"},
    {OpKind::kUnique, "sorts slices: one implementation is both"},
    {OpKind::kCol2Im, "in double; no network of the collection has it"},
    {OpKind::kCompress, "copies rows of bytes: one implementation is both"},
    {OpKind::kNonZero, "two passes of one comparison an element: one loop is both"},
    {OpKind::kEyeLike, "does not read its operand"},
    {OpKind::kOneHot, "fills, then marks: one implementation is both"},
    {OpKind::kReverseSequence, "copies slices of bytes: one implementation is both"},
    {OpKind::kTrilu, "copies parts of rows: one implementation is both"},
    {OpKind::kRange, "a few elements, usually folded"},
    {OpKind::kConstantOfShape, "one element, repeated; usually folded"},
    {OpKind::kShape, "does not read its operand"},
    {OpKind::kSize, "does not read its operand"},
};

bool TakesFloats(const OpInfo& info) {
  return !info.Is(kBits) && (info.inputs.find_first_of("TA") != std::string_view::npos ||
                             info.outputs.find('A') != std::string_view::npos);
}

// bfloat16 is served wherever float16 is: what is fast in one is not left to the reference in the
// other. On every CPU: entries that need no instruction set count alone.
TEST(KernelTables, EveryFloatOperatorIsFastInAllThreeDTypes) {
  for (const OpInfo& info : AllOps()) {
    if (info.Is(kQuantized)) {
      continue;  // floats around quantised data are float32: others are cast before and behind
    }
    const bool listed = std::any_of(std::begin(kOnlyReference), std::end(kOnlyReference),
                                    [&](const OnlyReference& row) { return row.op == info.kind; });
    DTypeSet fast;
    for (const KernelEntry* entry : EntriesOf(info.kind)) {
      const bool portable = entry->isa == kIsaAny || info.kind == OpKind::kCast;
      fast = entry->is_reference || !portable ? fast : fast | entry->dtypes;
    }
    for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      EXPECT_EQ(fast.Has(dtype), TakesFloats(info) && !listed)
          << info.name << " in " << NameOf(dtype);
    }
  }
}

// Whatever dtypes a plan combines, the widest of them has a kernel (src/exec/compute_dtypes.h).
TEST(KernelTables, EveryFloatOperatorHasAReferenceInEveryFloat) {
  for (const OpInfo& info : AllOps()) {
    const DTypeSet dtypes = EntriesOf(info.kind).back()->dtypes;
    for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat64}) {
      EXPECT_TRUE(dtypes.Has(dtype) || !TakesFloats(info)) << info.name << " in " << NameOf(dtype);
    }
  }
}

TEST(KernelTables, AllEntriesOfAnOperatorAreInOneTable) {
  std::map<OpKind, std::size_t> table_of;
  const auto tables = AllKernelTables();
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (const KernelEntry& entry : tables[t]) {
      EXPECT_EQ(table_of.emplace(entry.op, t).first->second, t) << entry.name;
    }
  }
}

// A query of an element-wise operator.
class SelectKernelTest : public ::testing::Test {
 protected:
  KernelQuery Query(OpKind op, const TensorType& in, const TensorType& out) {
    KernelQuery query;
    query.op = op;
    query.attributes = &attributes_;
    query.inputs = {&in};
    query.constants = {nullptr};
    query.outputs = {&out};
    return query;
  }

  static std::string MessageOf(const KernelQuery& query, const KernelPreference& preference) {
    try {
      SelectKernel(query, preference);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  Attributes attributes_;
  TensorType f32_{DType::kFloat32, {4}};
  TensorType f16_{DType::kFloat16, {4}};
  TensorType s8_{DType::kInt8, {4}};
};

TEST_F(SelectKernelTest, TheImplementationModeDecides) {
  for (const ImplMode mode : {ImplMode::kHighPrecision, ImplMode::kHighPerformance}) {
    KernelQuery query = Query(OpKind::kTanh, f32_, f32_);
    query.impl_mode = mode;
    EXPECT_EQ(SelectKernel(query).entry->impl_mode, mode);
    EXPECT_FALSE(SelectKernel(query).entry->is_reference);
  }
}

TEST_F(SelectKernelTest, AModeWithoutAnEntryFallsBackToTheFirst) {
  KernelQuery query = Query(OpKind::kTanh, f32_, f32_);
  const KernelEntry* first = SelectKernel(query).entry;
  query.impl_mode = ImplMode::kSuperPerformance;
  const KernelChoice choice = SelectKernel(query);
  EXPECT_EQ(choice.entry, first);
  ASSERT_FALSE(choice.passed_over.empty());
  EXPECT_EQ(choice.passed_over[0].reason, "is " + std::string(NameOf(first->impl_mode)));
}

TEST_F(SelectKernelTest, AForcedNameWinsOverOrderAndMode) {
  KernelQuery query = Query(OpKind::kCast, f32_, f16_);
  EXPECT_EQ(SelectKernel(query, {.forced_name = "cast.any.reference"}).entry->name,
            "cast.any.reference");
}

TEST_F(SelectKernelTest, AForcedNameThatDoesNotExistIsAnError) {
  EXPECT_EQ(MessageOf(Query(OpKind::kCast, f32_, f16_), {.forced_name = "cast.f32.gpu"}),
            "Cast has no kernel named 'cast.f32.gpu'; it has cast.half.avx2, cast.integer.vector, "
            "cast.format.reference, cast.any.reference");
}

TEST_F(SelectKernelTest, AForcedEntryThatRefusesSaysWhy) {
  EXPECT_EQ(MessageOf(Query(OpKind::kCast, s8_, f16_),
                      {.isa = kIsaAvx2, .forced_name = "cast.half.avx2"}),
            "no kernel for Cast in int8; cast.half.avx2 does not compute int8");
  EXPECT_EQ(MessageOf(Query(OpKind::kCast, f32_, s8_),
                      {.isa = kIsaAvx2, .forced_name = "cast.half.avx2"}),
            "no kernel for Cast in float32; cast.half.avx2 converts between float32, float16 and "
            "bfloat16 "
            "only");
}

TEST_F(SelectKernelTest, EntriesOfAnotherCpuArePassedOver) {
  const KernelChoice choice = SelectKernel(Query(OpKind::kCast, f32_, f16_), {.isa = kIsaAny});
  EXPECT_EQ(choice.entry->name, "cast.any.reference");
  ASSERT_EQ(choice.passed_over.size(), 3U);  // and those to integers and to formats
  EXPECT_EQ(choice.passed_over[0].kernel, "cast.half.avx2");
  EXPECT_EQ(choice.passed_over[0].reason, "needs avx2");
}

// Which kernel is faster depends on the number of rows; either serves.
TEST(SelectSlowerTest, AnEntryThatIsSlowerIsPassedOverUnlessForced) {
  const Attributes attributes;
  const TensorType b{DType::kFloat32, {64, 32}};
  const Tensor weights(b);
  const auto choose = [&](std::int64_t rows, const KernelPreference& preference) {
    const TensorType a{DType::kFloat32, {rows, 64}};
    const TensorType c{DType::kFloat32, {rows, 32}};
    KernelQuery query{.op = OpKind::kMatMul, .attributes = &attributes};
    query.inputs = {&a, &b};
    query.constants = {nullptr, &weights};
    query.outputs = {&c};
    return SelectKernel(query, preference);
  };
  const KernelChoice few = choose(1, {});
  EXPECT_EQ(few.entry->name, "matmul.f32.highway");
  ASSERT_FALSE(few.passed_over.empty());
  EXPECT_EQ(few.passed_over[0].kernel, "matmul.f32.onednn");
  if (few.passed_over[0].reason != "is slower: there are few rows") {  // it has no code here
    EXPECT_THROW(choose(1, {.forced_name = "matmul.f32.onednn"}), Error);
  } else {
    EXPECT_EQ(choose(1, {.forced_name = "matmul.f32.onednn"}).entry->name, "matmul.f32.onednn");
    EXPECT_EQ(choose(64, {}).entry->name, "matmul.f32.onednn");
    EXPECT_EQ(choose(1, {.chosen_name = "matmul.f32.onednn"}).entry->name, "matmul.f32.onednn");
  }
}

// 36 864 multiply-adds with 2x2 pixels, 147 456 with 4x4.
TEST(SelectSlowerTest, SmallConvolutionsAreNotTheLibrarys) {
  Attributes attributes;
  attributes.Set("pads", std::vector<std::int64_t>(4, 1));
  const Tensor weights(DType::kFloat32, {32, 32, 3, 3});
  const auto choose = [&](std::int64_t size) {
    const TensorType x{DType::kFloat32, {1, size, size, 32}};
    KernelQuery query{
        .op = OpKind::kConv, .attributes = &attributes, .layout = {.channels_last = true}};
    query.inputs = {&x, &weights.type()};
    query.constants = {nullptr, &weights};
    query.outputs = {&x};
    return SelectKernel(query);
  };
  if ((DetectIsa() & kIsaAvx2) == 0) {
    GTEST_SKIP() << "oneDNN has no convolutions for this CPU";
  }
  EXPECT_EQ(choose(4).entry->name, "conv.f32.onednn");
  const KernelChoice small = choose(2);
  EXPECT_EQ(small.entry->name, "conv.f32.highway.channels_last");
  ASSERT_FALSE(small.passed_over.empty());
  EXPECT_EQ(small.passed_over[0].kernel, "conv.f32.onednn");
  EXPECT_EQ(small.passed_over[0].reason, "is slower: the work takes less time than a oneDNN call");
}

TEST_F(SelectKernelTest, ReferenceOnlyTakesReferences) {
  const KernelChoice choice =
      SelectKernel(Query(OpKind::kTanh, f32_, f32_), {.reference_only = true});
  EXPECT_TRUE(choice.entry->is_reference);
  for (const PassedOver& passed : choice.passed_over) {
    EXPECT_EQ(passed.reason, "the reference is asked for");
  }
}

TEST(SelectDTypeTest, EntriesOfAnotherDTypeAreNotPassedOver) {
  const Attributes attributes;
  const TensorType a{DType::kFloat32, {4, 64}};
  const TensorType b{DType::kFloat32, {64, 32}};
  const TensorType c{DType::kFloat32, {4, 32}};
  const Tensor weights(b);
  KernelQuery query{.op = OpKind::kMatMul, .attributes = &attributes};
  query.inputs = {&a, &b};
  query.constants = {nullptr, &weights};
  query.outputs = {&c};
  const KernelChoice choice = SelectKernel(query, {.reference_only = true});
  ASSERT_FALSE(choice.passed_over.empty());
  for (const PassedOver& passed : choice.passed_over) {
    EXPECT_TRUE(passed.reason == "the reference is asked for" ||
                passed.reason.starts_with("needs "))
        << passed.kernel << ": " << passed.reason;
  }
}

// An instruction of other CPUs in plain C++ is thousands of times slower than what it stands for.
TEST(SelectEmulatedTest, ServesOnlyWhereItIsForced) {
  const Attributes attributes;
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    const TensorType a{dtype, {4, 64}};
    const TensorType b{dtype, {64, 32}};
    const TensorType c{dtype, {4, 32}};
    KernelQuery query{.op = OpKind::kMatMul, .attributes = &attributes};
    query.inputs = {&a, &b};
    query.constants = {nullptr, nullptr};
    query.outputs = {&c};
    std::size_t emulated = 0;
    for (const KernelEntry* entry : EntriesOf(OpKind::kMatMul)) {
      if (entry->emulates && entry->dtypes.Has(dtype)) {
        ++emulated;
        EXPECT_EQ(SelectKernel(query, {.forced_name = entry->name}).entry, entry);
        const KernelChoice chosen = SelectKernel(query, {.chosen_name = entry->name});
        EXPECT_NE(chosen.entry, entry);
        ASSERT_FALSE(chosen.passed_over.empty());
        EXPECT_EQ(chosen.passed_over.back().reason, "is an instruction of other CPUs in plain C++");
      }
    }
    EXPECT_GT(emulated, 0U) << NameOf(dtype);
    for (const KernelEntry* candidate : KernelCandidates(query)) {
      EXPECT_FALSE(candidate->emulates) << candidate->name;
    }
  }
  // Without dot units there is no fast way, whatever is emulated.
  const std::vector<ImplMode> exact = {ImplMode::kHighPrecision};
  EXPECT_EQ(KernelImplModes(OpKind::kMatMul, DType::kFloat16, kIsaAny), exact);
}

// Operator tuning changes the speed of an operator, never which implementation mode it has.
TEST(KernelCandidatesTest, AreOfTheModeThatTheStaticOrderGives) {
  const Attributes attributes;
  const TensorType a{DType::kFloat16, {4, 64}};
  const TensorType b{DType::kFloat16, {64, 32}};
  const TensorType c{DType::kFloat16, {4, 32}};
  const Tensor weights(b);
  KernelQuery query{.op = OpKind::kMatMul, .attributes = &attributes};
  query.inputs = {&a, &b};
  query.constants = {nullptr, &weights};
  query.outputs = {&c};
  for (const ImplMode mode :
       {ImplMode::kDefault, ImplMode::kHighPrecision, ImplMode::kHighPerformance}) {
    query.impl_mode = mode;
    const auto candidates = KernelCandidates(query);
    ASSERT_FALSE(candidates.empty());
    EXPECT_EQ(candidates.front(), SelectKernel(query).entry);
    for (const KernelEntry* candidate : candidates) {
      EXPECT_FALSE(candidate->is_reference);
      EXPECT_TRUE(candidate->impl_mode == ImplMode::kDefault ||
                  candidate->impl_mode == candidates.front()->impl_mode)
          << candidate->name << " for " << NameOf(mode);
    }
  }
}

TEST(KernelImplModesTest, ListsTheModesOfAnOperator) {
  const auto modes = KernelImplModes(OpKind::kTanh, DType::kFloat32, DetectIsa());
  EXPECT_NE(std::find(modes.begin(), modes.end(), ImplMode::kHighPrecision), modes.end());
  EXPECT_NE(std::find(modes.begin(), modes.end(), ImplMode::kHighPerformance), modes.end());
  EXPECT_TRUE(KernelImplModes(OpKind::kTranspose, DType::kFloat32, DetectIsa()).empty());
}

// References serve every dtype of their operator (see ReferencesRunEverywhere), so they are the
// union.
TEST(KernelDTypesTest, IsTheUnionOfTheEntries) {
  for (const OpInfo& info : AllOps()) {
    for (const IsaMask isa : {kIsaAny, DetectIsa()}) {
      EXPECT_EQ(KernelDTypes(info.kind, isa), EntriesOf(info.kind).back()->dtypes) << info.name;
    }
  }
  EXPECT_EQ(KernelDTypes(OpKind::kTranspose, kIsaAny), kAllDTypes);
}

}  // namespace
}  // namespace halftone
