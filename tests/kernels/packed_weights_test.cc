// Kernels that keep what they pack: calls of another batch, length or size find it, and compute
// what they do without.
#include "kernels/packed_weights.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "kernels/parallel.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::BothLayouts;
using testing::EntriesFor;
using testing::KernelCall;
using testing::OutputTypesOf;
using testing::RandomTensor;

using Ints = std::vector<std::int64_t>;

struct Prepared {
  const KernelEntry& entry;
  const KernelCall& call;
  std::vector<TensorType> outputs;
  std::unique_ptr<KernelState> state;
};

Prepared Prepare(const KernelEntry& entry, const KernelCall& call, PackedWeights* packed) {
  Prepared prepared{entry, call, OutputTypesOf(call), nullptr};
  KernelQuery query{.op = call.op,
                    .attributes = &call.attributes,
                    .fusion = &call.fusion,
                    .layout = call.layout,
                    .inputs = {},
                    .constants = {},
                    .outputs = {},
                    .impl_mode = call.impl_mode,
                    .packed = packed};
  std::vector<int> ids;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const Tensor* tensor = call.inputs[i] ? &*call.inputs[i] : nullptr;
    query.inputs.push_back(tensor != nullptr ? &tensor->type() : nullptr);
    query.constants.push_back(i > 0 ? tensor : nullptr);
    ids.push_back(static_cast<int>(i) - 1);
  }
  for (const TensorType& type : prepared.outputs) {
    query.outputs.push_back(&type);
  }
  query.constant_ids = ids;
  prepared.state = entry.prepare(query);
  return prepared;
}

std::vector<Tensor> Run(const Prepared& prepared) {
  std::vector<const void*> inputs;
  for (const auto& input : prepared.call.inputs) {
    inputs.push_back(input ? input->data() : nullptr);
  }
  std::vector<Tensor> results;
  std::vector<void*> outputs;
  for (const TensorType& type : prepared.outputs) {
    results.emplace_back(type);
    outputs.push_back(results.back().mutable_data());
  }
  const std::size_t bytes =
      prepared.entry.scratch_bytes != nullptr ? prepared.entry.scratch_bytes(*prepared.state) : 0;
  Tensor scratch(DType::kUInt8, Shape{static_cast<std::int64_t>(bytes)});
  const KernelArgs args{prepared.state.get(), inputs, outputs, scratch.mutable_data()};
  ThreadPool(1).Run([&] { prepared.entry.run(args); });
  return results;
}

// One operator whose first input differs between two calls of the same constants.
struct Case {
  const char* name;
  OpKind op;
  DType dtype;
  Attributes attributes;
  Shape x;
  Shape other_x;
  std::vector<std::optional<TensorType>> constants;
  bool packs = true;  // some entry keeps parts
};

Attributes With(std::initializer_list<std::pair<const char*, Attribute>> items) {
  Attributes attributes;
  for (const auto& [name, value] : items) {
    attributes.Set(name, value);
  }
  return attributes;
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const DType type : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const auto of = [&](Shape shape) { return TensorType{type, std::move(shape)}; };
    cases.push_back({"Gemm",
                     OpKind::kGemm,
                     type,
                     With({{"transB", std::int64_t{1}}}),
                     {3, 40},
                     {70, 40},
                     {of({50, 40}), of({50})}});
    cases.push_back({"MatMul", OpKind::kMatMul, type, {}, {2, 5, 40}, {1, 33, 40}, {of({40, 64})}});
    // Matrices that differ between batches: more of them where the first input has more.
    cases.push_back({"MatMulOfBatches",
                     OpKind::kMatMul,
                     type,
                     {},
                     {2, 5, 8},
                     {3, 2, 5, 8},
                     {of({2, 8, 16})},
                     false});
    cases.push_back({"Conv",
                     OpKind::kConv,
                     type,
                     With({{"pads", Ints{1, 1, 1, 1}}}),
                     {1, 32, 14, 14},
                     {2, 32, 20, 16},
                     {of({48, 32, 3, 3}), of({48})}});
    cases.push_back(
        {"Conv1x1", OpKind::kConv, type, {}, {1, 32, 5, 7}, {3, 32, 9, 9}, {of({48, 32, 1, 1})}});
    cases.push_back({"ConvOfGroups",
                     OpKind::kConv,
                     type,
                     With({{"group", std::int64_t{2}}}),
                     {1, 64, 9, 9},
                     {2, 64, 8, 11},
                     {of({64, 32, 3, 3})}});
    cases.push_back({"ConvTranspose",
                     OpKind::kConvTranspose,
                     type,
                     With({{"strides", Ints{2, 2}}}),
                     {1, 16, 5, 5},
                     {2, 16, 7, 6},
                     {of({16, 24, 2, 2})}});
    cases.push_back({"Lstm",
                     OpKind::kLstm,
                     type,
                     With({{"hidden_size", std::int64_t{16}}}),
                     {4, 1, 24},
                     {7, 3, 24},
                     {of({1, 64, 24}), of({1, 64, 16}), of({1, 128})}});
    cases.push_back({"Gru",
                     OpKind::kGru,
                     type,
                     With({{"hidden_size", std::int64_t{16}}}),
                     {4, 1, 24},
                     {7, 3, 24},
                     {of({1, 48, 24}), of({1, 48, 16})}});
  }
  cases.push_back({"ConvInteger",
                   OpKind::kConvInteger,
                   DType::kUInt8,
                   {},
                   {1, 32, 9, 9},
                   {2, 32, 12, 8},
                   {TensorType{DType::kInt8, {48, 32, 3, 3}}}});
  cases.push_back({"MatMulInteger",
                   OpKind::kMatMulInteger,
                   DType::kUInt8,
                   {},
                   {3, 40},
                   {70, 40},
                   {TensorType{DType::kInt8, {40, 64}}}});
  return cases;
}

// The call of a case at both shapes, with the same constants.
std::pair<KernelCall, KernelCall> CallsOf(const Case& test, Rng& rng) {
  const auto random = [&](const TensorType& type) {
    const double low = type.dtype == DType::kInt8 ? -128 : 0;
    return IsFloating(type.dtype) ? RandomTensor(type, rng)
                                  : RandomTensor(type, rng, low, low + 256);
  };
  KernelCall one{.op = test.op, .attributes = test.attributes};
  one.inputs = {random({test.dtype, test.x})};
  one.constant = {false};
  for (const auto& type : test.constants) {
    one.inputs.emplace_back(type ? std::optional(random(*type)) : std::nullopt);
    one.constant.push_back(true);
  }
  KernelCall other = one;
  other.inputs[0] = random({test.dtype, test.other_x});
  return {std::move(one), std::move(other)};
}

void ExpectSameWithout(const Prepared& sharing) {
  const std::vector<Tensor> got = Run(sharing);
  const std::vector<Tensor> want = Run(Prepare(sharing.entry, sharing.call, nullptr));
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_TRUE(AllEqual(got[i], want[i]));
  }
}

// At both shapes, with and without: the same bytes; and the second shape packs nothing.
TEST(PackedWeightsTest, OtherShapesFindWhatIsPacked) {
  Rng rng(3);
  for (const Case& test : Cases()) {
    const auto [first_call, second_call] = CallsOf(test, rng);
    const bool has_layouts = test.op == OpKind::kConv || test.op == OpKind::kConvInteger;
    const auto layouts_of = [&](const KernelCall& call) {
      return has_layouts ? BothLayouts(call) : std::vector<KernelCall>{call};
    };
    const std::vector<KernelCall> ones = layouts_of(first_call);
    const std::vector<KernelCall> others = layouts_of(second_call);
    std::size_t kept = 0;
    for (std::size_t layout = 0; layout < ones.size(); ++layout) {
      const std::vector<const KernelEntry*> of_others = EntriesFor(others[layout]);
      for (const KernelEntry* entry : EntriesFor(ones[layout])) {
        if (std::ranges::count(of_others, entry) == 0) {
          continue;
        }
        SCOPED_TRACE(fmt::format("{} {} {}", test.name, NameOf(test.dtype), entry->name));
        PackedWeights packed;
        const Prepared one = Prepare(*entry, ones[layout], &packed);
        const std::size_t parts = packed.size();
        const Prepared other = Prepare(*entry, others[layout], &packed);
        // The library wants layouts, and blocks of columns, that depend on the number of rows.
        if (entry->name.find("onednn") == std::string_view::npos) {
          EXPECT_EQ(packed.size(), parts);
        }
        kept += parts;
        ExpectSameWithout(one);
        ExpectSameWithout(other);
      }
    }
    EXPECT_EQ(kept > 0, test.packs) << test.name << " " << NameOf(test.dtype);
  }
}

// Windows that are no whole multiples of the stride: one shape of weights, other taps.
TEST(PackedWeightsTest, StridesOfATransposedConvolutionAreApart) {
  Rng rng(4);
  KernelCall one{.op = OpKind::kConvTranspose,
                 .inputs = {RandomTensor({DType::kFloat32, {1, 8, 9, 40}}, rng),
                            RandomTensor({DType::kFloat32, {8, 16, 4, 3}}, rng)},
                 .constant = {false, true}};
  KernelCall other = one;
  one.attributes.Set("strides", Ints{2, 2});
  other.attributes.Set("strides", Ints{3, 2});
  const KernelEntry& phases = testing::EntryNamed("conv_transpose.f32.phases");
  PackedWeights packed;
  ExpectSameWithout(Prepare(phases, one, &packed));
  ExpectSameWithout(Prepare(phases, other, &packed));
  EXPECT_EQ(packed.size(), 2U);
}

// A constant under another shape is another one, whatever its id.
TEST(PackedWeightsTest, ShapesOfAConstantAreApart) {
  PackedWeights packed;
  const TensorType wide{DType::kFloat32, {2, 3}};
  const TensorType tall{DType::kFloat32, {3, 2}};
  EXPECT_EQ(packed.Get(1, wide, "rows", [] { return 1; }), 1);
  EXPECT_EQ(packed.Get(1, tall, "rows", [] { return 2; }), 2);
  EXPECT_EQ(packed.Get(1, wide, "columns", [] { return 3; }), 3);
  EXPECT_EQ(packed.Get(2, wide, "rows", [] { return 4; }), 4);
  EXPECT_EQ(packed.Get(1, wide, "rows", [] { return 5; }), 1);
  EXPECT_EQ(packed.size(), 4U);
}

}  // namespace
}  // namespace halftone
