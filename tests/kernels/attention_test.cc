#include "kernels/attention/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "src/base/rng.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

enum class Mask { kNone, kBool, kFloat, kShort, kAdded, kDropped, kBoth, kBothMaskLast };

struct Case {
  const char* name;
  std::int64_t batch, heads, kv_heads, queries, keys, size, value_size;
  std::int64_t past = 0;
  bool three_axes = false;
  bool causal = false;
  float softcap = 0;
  Mask mask = Mask::kNone;
  bool lengths = false;
  std::int64_t mode = -1;  // of the output of scores; -1: not asked for
  bool key_rows = false;
};

const Case kCases[] = {
    {"Plain", 2, 3, 3, 4, 6, 8, 8},
    {"One", 1, 1, 1, 1, 1, 1, 1},
    {"GroupedHeads", 1, 6, 2, 13, 40, 16, 20},
    {"ThreeAxes", 2, 3, 3, 14, 33, 7, 9, 0, true},
    {"Causal", 1, 2, 2, 25, 25, 32, 32, 0, false, true},
    {"PastCausal", 2, 4, 2, 3, 3, 8, 10, 12, true, true},
    {"Cap", 1, 2, 2, 5, 9, 8, 8, 0, false, false, 2.0F, Mask::kNone, false, 2},
    {"FloatMask", 2, 2, 1, 12, 70, 8, 65, 0, false, false, 0, Mask::kFloat, false, 1},
    {"BoolMask", 2, 3, 3, 12, 32, 8, 32, 0, false, false, 0, Mask::kBool, false, 3},
    {"ShortMask", 1, 2, 2, 4, 9, 8, 8, 0, false, false, 0, Mask::kShort, false, 0},
    {"Lengths", 3, 2, 2, 4, 11, 8, 8, 0, false, false, 0, Mask::kNone, true},
    {"LongRows", 1, 1, 1, 3, 1200, 600, 5},
    {.name = "Added",
     .batch = 2,
     .heads = 2,
     .kv_heads = 2,
     .queries = 13,
     .keys = 37,
     .size = 9,
     .value_size = 33,
     .mask = Mask::kAdded},
    {.name = "Dropped",
     .batch = 2,
     .heads = 2,
     .kv_heads = 1,
     .queries = 5,
     .keys = 64,
     .size = 8,
     .value_size = 8,
     .three_axes = true,
     .mask = Mask::kDropped},
    {.name = "AddedAndKept",
     .batch = 2,
     .heads = 4,
     .kv_heads = 2,
     .queries = 13,
     .keys = 37,
     .size = 9,
     .value_size = 33,
     .mask = Mask::kBoth},
    {.name = "KeptThenAdded",
     .batch = 2,
     .heads = 2,
     .kv_heads = 2,
     .queries = 5,
     .keys = 64,
     .size = 8,
     .value_size = 8,
     .three_axes = true,
     .mask = Mask::kBothMaskLast},
    {.name = "KeyRows",
     .batch = 2,
     .heads = 6,
     .kv_heads = 3,
     .queries = 14,
     .keys = 37,
     .size = 9,
     .value_size = 20,
     .key_rows = true},
};

KernelCall CallOf(const Case& c, DType dtype, Rng& rng) {
  KernelCall call{.op = OpKind::kAttention};
  const auto operand = [&](std::int64_t heads, std::int64_t length, std::int64_t size) {
    return RandomTensor({dtype, c.three_axes ? Shape{c.batch, length, heads * size}
                                             : Shape{c.batch, heads, length, size}},
                        rng, -2, 2);
  };
  call.inputs.resize(7);
  call.inputs[kQuery] = operand(c.heads, c.queries, c.size);
  call.inputs[kKey] = operand(c.kv_heads, c.keys, c.size);
  if (c.key_rows) {
    call.inputs[kKey] = RandomTensor({dtype, {c.batch, c.keys, c.kv_heads, c.size}}, rng, -2, 2);
    call.fusion.attention = StepAttention{.key_rows = true};
  }
  call.inputs[kValue] = operand(c.kv_heads, c.keys, c.value_size);
  const std::int64_t total = c.past + c.keys;
  if (c.mask == Mask::kFloat) {
    Tensor mask = RandomTensor({dtype, {c.queries, total}}, rng, -3, 1);
    StoreDouble(dtype, mask.mutable_data(), 1, -std::numeric_limits<double>::infinity());
    call.inputs[kMask] = mask;
  } else if (c.mask == Mask::kBool) {
    Tensor mask = RandomTensor({DType::kBool, {c.batch, 1, c.queries, total}}, rng, 0, 2);
    for (std::int64_t j = 0; j < total; ++j) {  // a row of which nothing is seen
      StoreDouble(DType::kBool, mask.mutable_data(), 2 * total + j, 0);
    }
    call.inputs[kMask] = mask;
  } else if (c.mask == Mask::kAdded) {
    Tensor mask = RandomTensor({DType::kFloat32, {c.batch, 1, c.queries, total}}, rng, -3, 1);
    for (std::int64_t j = 1; j < total; ++j) {  // a row of which one position is seen
      StoreDouble(DType::kFloat32, mask.mutable_data(), j,
                  -std::numeric_limits<double>::infinity());
    }
    call.inputs[kMask] = mask;
    call.fusion.attention = StepAttention{.fill = -1};
  } else if (c.mask == Mask::kDropped) {
    call.inputs[kMask] = RandomTensor({DType::kBool, {c.queries, total}}, rng, 0, 2);
    call.fusion.attention = StepAttention{.fill = -1, .drop = true};
  } else if (c.mask == Mask::kBoth || c.mask == Mask::kBothMaskLast) {
    call.inputs.resize(kKeep + 1);
    call.inputs[kMask] = RandomTensor({DType::kFloat32, {c.batch, 1, 1, total}}, rng, -3, 1);
    call.inputs[kKeep] = RandomTensor({DType::kBool, {1, 1, c.queries, total}}, rng, 0, 2);
    call.fusion.attention = StepAttention{.fill = -1, .mask_last = c.mask == Mask::kBothMaskLast};
  } else if (c.mask == Mask::kShort) {
    call.inputs[kMask] = RandomTensor({dtype, {c.heads, 1, total - 2}}, rng);
  }
  if (c.past > 0) {
    call.inputs[kPastKey] =
        RandomTensor({dtype, {c.batch, c.kv_heads, c.past, c.size}}, rng, -2, 2);
    call.inputs[kPastValue] =
        RandomTensor({dtype, {c.batch, c.kv_heads, c.past, c.value_size}}, rng, -2, 2);
  }
  if (c.lengths) {
    call.inputs[kLengths] = Tensor::From<std::int64_t>({3}, std::vector<std::int64_t>{4, 11, 0});
  }
  if (c.three_axes) {
    call.attributes.Set("q_num_heads", c.heads);
    call.attributes.Set("kv_num_heads", c.kv_heads);
  }
  call.attributes.Set("is_causal", std::int64_t{c.causal ? 1 : 0});
  if (c.softcap != 0) {
    call.attributes.Set("softcap", c.softcap);
  }
  const Shape y = c.three_axes ? Shape{c.batch, c.queries, c.heads * c.value_size}
                               : Shape{c.batch, c.heads, c.queries, c.value_size};
  call.outputs = {{dtype, y}};
  if (c.past > 0 || c.mode >= 0) {
    call.outputs.push_back({dtype, {c.batch, c.kv_heads, total, c.size}});
    call.outputs.push_back({dtype, {c.batch, c.kv_heads, total, c.value_size}});
  }
  if (c.mode >= 0) {
    call.attributes.Set("qk_matmul_output_mode", c.mode);
    call.outputs.push_back({dtype, {c.batch, c.heads, c.queries, total}});
  }
  return call;
}

// The bound of attention.h with its largest terms: |q k| <= 4 size, |v| <= 2.
double BoundOf(const Case& c, const KernelEntry& entry, DType dtype) {
  const double u = 0x1p-24;
  const double v = 0x1p-8;
  const bool fast = entry.impl_mode == ImplMode::kHighPerformance;
  const bool pairs = entry.product.flushes_subnormals;
  const double rounded = entry.product.Relative(0);
  const bool half = entry.product.float16_roundings > 0;
  const auto size = static_cast<double>(c.size);
  const auto total = static_cast<double>(c.past + c.keys);
  const double product = 4 * size / std::sqrt(size);
  const double largest = product + 3;  // of a score
  const double t = (size + 2) * u * largest + 4 * u * c.softcap + u * (largest + 3) +
                   rounded * product + entry.product.Absolute(size);
  const double spread = 2 * largest + std::log(total) + 7;  // -ln p + ln L + 7
  const double softmax = spread * u + (fast ? 1.9e-4 + (total / 4 + 1) * u : 0);
  const double weights = half                       ? (1 + rounded) * 0x1p-11 + rounded
                         : !pairs                   ? 0
                         : dtype == DType::kFloat16 ? 2 * v + v * v
                                                    : v;
  const double absolute = half    ? total * 0x1.2p-24 + entry.product.Absolute(total)
                          : pairs ? 0x1p-126 * (size + total) * 7
                                  : 0;
  return 2 * (std::expm1(2 * t) + softmax + total * u + weights) + absolute;
}

class AttentionTest : public ::testing::TestWithParam<Case> {};

TEST_P(AttentionTest, ErrorBound) {
  const Case& c = GetParam();
  Rng rng(81);
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const KernelCall call = CallOf(c, dtype, rng);
    const std::vector<Tensor> exact = ExactResult(call);
    for (const KernelEntry* entry : EntriesFor(call)) {
      for (const int threads : {1, 2}) {
        const std::vector<Tensor> got = RunEntry(*entry, call, threads);
        for (std::size_t i = 0; i < got.size(); ++i) {
          // Present keys and values are copies; scores have the error of their row at most.
          const double bound = i == 1 || i == 2 ? 0 : BoundOf(c, *entry, dtype);
          EXPECT_TRUE(AllWithin(got[i], exact[i], ErrorBound{.absolute = bound}))
              << entry->name << " output " << i;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, AttentionTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

// Keys in rows are the same numbers in another order.
TEST(AttentionValues, KeyRowsHaveTheBitsOfHeads) {
  Rng rng(5);
  const Case* rows =
      std::find_if(std::begin(kCases), std::end(kCases), [](const Case& c) { return c.key_rows; });
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const KernelCall call = CallOf(*rows, dtype, rng);
    KernelCall transpose{.op = OpKind::kTranspose, .inputs = {call.inputs[kKey]}};
    transpose.attributes.Set("perm", std::vector<std::int64_t>{0, 2, 1, 3});
    transpose.outputs = OutputTypesOf(transpose);
    KernelCall heads = call;
    heads.inputs[kKey] = RunSelected(transpose)[0];
    heads.fusion.attention->key_rows = false;
    for (const KernelEntry* entry : EntriesFor(call)) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], RunEntry(*entry, heads)[0])) << entry->name;
    }
  }
}

// Against numbers worked out by hand: two keys, equal scores.
TEST(AttentionValues, EqualScoresGiveTheMean) {
  KernelCall call{.op = OpKind::kAttention};
  call.inputs = {TensorOf(DType::kFloat32, {1, 1, 1, 2}, {1, 1}),
                 TensorOf(DType::kFloat32, {1, 1, 2, 2}, {0.5, 0.5, 1, 0}),
                 TensorOf(DType::kFloat32, {1, 1, 2, 1}, {2, 4})};
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], TensorOf(DType::kFloat32, {1, 1, 1, 1}, {3})));
  }
}

// A query sees the past and itself.
TEST(AttentionValues, CausalQueriesSeeThePast) {
  KernelCall call{.op = OpKind::kAttention};
  call.attributes.Set("is_causal", std::int64_t{1});
  const Tensor zeros = TensorOf(DType::kFloat32, {1, 1, 2, 1}, {0, 0});
  call.inputs = {zeros,
                 zeros,
                 TensorOf(DType::kFloat32, {1, 1, 2, 1}, {3, 8}),
                 std::nullopt,
                 TensorOf(DType::kFloat32, {1, 1, 1, 1}, {0}),
                 TensorOf(DType::kFloat32, {1, 1, 1, 1}, {1})};
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(
        AllEqual(RunEntry(*entry, call)[0], TensorOf(DType::kFloat32, {1, 1, 2, 1}, {2, 4})));
  }
}

TEST(AttentionSpecial, AHiddenNaNIsNotSeen) {
  KernelCall call{.op = OpKind::kAttention};
  for (const bool flags : {false, true}) {
    call.inputs = {TensorOf(DType::kFloat32, {1, 1, 2, 1}, {1, 1}),
                   TensorOf(DType::kFloat32, {1, 1, 3, 1}, {1, NAN, 1}),
                   TensorOf(DType::kFloat32, {1, 1, 3, 1}, {2, 8, 4}),
                   flags ? TensorOf(DType::kBool, {2, 3}, {1, 0, 1, 1, 1, 1})
                         : TensorOf(DType::kFloat32, {2, 3}, {0, -INFINITY, 0, 0, 0, 0})};
    for (const KernelEntry* entry : EntriesFor(call)) {
      EXPECT_TRUE(
          AllEqual(RunEntry(*entry, call)[0], TensorOf(DType::kFloat32, {1, 1, 2, 1}, {3, NAN})))
          << entry->name;
    }
  }
}

// Made by a pass, the mask is what it was before a Softmax: NaN is seen through it, a finite fill
// is a score like others, and nothing but -inf is NaN.
TEST(AttentionSpecial, AMaskAsASoftmaxHasItHidesNothing) {
  constexpr float kInf = INFINITY;

  struct Row {
    std::vector<double> key, mask;
    bool flags;
    float fill;
    double y;
  };

  const Row rows[] = {
      {{1, NAN, 1}, {0, -kInf, 0}, false, 0, NAN},
      {{1, 1, 1}, {-kInf, -kInf, -kInf}, false, 0, NAN},
      {{1, 1, 1}, {0, -kInf, 0}, false, 0, 3},
      {{1, NAN, 1}, {1, 0, 1}, true, -kInf, 3},
      {{1, 1, 1}, {0, 0, 0}, true, -kInf, NAN},
      {{1, 1, 1}, {0, 0, 0}, true, -1e4F, 14.0 / 3},
      {{0, 5, 0}, {1, 0, 1}, true, 0, 14.0 / 3},
  };
  for (const Row& row : rows) {
    KernelCall call{.op = OpKind::kAttention};
    call.fusion.attention = StepAttention{.fill = row.fill};
    call.attributes.Set("scale", 1.0F);
    call.inputs = {TensorOf(DType::kFloat32, {1, 1, 1, 1}, {1}),
                   TensorOf(DType::kFloat32, {1, 1, 3, 1}, row.key),
                   TensorOf(DType::kFloat32, {1, 1, 3, 1}, {2, 8, 4}),
                   TensorOf(row.flags ? DType::kBool : DType::kFloat32, {1, 3}, row.mask)};
    for (const KernelEntry* entry : EntriesFor(call)) {
      EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0],
                            TensorOf(DType::kFloat32, {1, 1, 1, 1}, {row.y}),
                            ErrorBound{.absolute = 14.0 / 3 * 2e-4}))
          << entry->name;
    }
  }
}

// Pairs for whole vectors, for 4 at a time and for single ones; heads before positions and behind.
TEST(RotaryTest, TurnsPairsWithinTheBound) {
  Rng rng(82);
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    for (const std::int64_t pairs : {3, 4, 23, 64}) {
      for (const std::int64_t interleaved : {0, 1}) {
        for (const bool indexed : {false, true}) {
          KernelCall call{.op = OpKind::kRotaryEmbedding};
          call.attributes.Set("interleaved", interleaved);
          call.attributes.Set("rotary_embedding_dim", 2 * pairs);
          const bool rows = pairs % 2 == 0;
          call.attributes.Set("num_heads", std::int64_t{3});
          const std::int64_t size = 2 * pairs + 2;
          const Shape cache = indexed ? Shape{9, pairs} : Shape{2, 5, pairs};
          call.inputs = {
              RandomTensor({dtype, rows ? Shape{2, 5, 3 * size} : Shape{2, 3, 5, size}}, rng),
              RandomTensor({dtype, cache}, rng), RandomTensor({dtype, cache}, rng)};
          if (indexed) {
            call.inputs.emplace_back(RandomTensor({DType::kInt64, {2, 5}}, rng, 0, 9));
          }
          const Tensor exact = ExactResult(call)[0];
          for (const KernelEntry* entry : EntriesFor(call)) {
            EXPECT_TRUE(AllWithin(RunEntry(*entry, call, 2)[0], exact,
                                  ErrorBound{.absolute = 3 * 0x1p-24 * 2}))
                << entry->name << ", " << pairs << " pairs";
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace halftone::testing
