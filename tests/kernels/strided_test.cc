#include "kernels/strided/strided.h"

#include <limits>

#include "gtest/gtest.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "tests/kernels/index_oracle.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

constexpr DType kDTypesBySize[] = {DType::kUInt8,    DType::kBool,    DType::kFloat16,
                                   DType::kBFloat16, DType::kFloat32, DType::kInt32,
                                   DType::kInt64,    DType::kFloat64};
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kHuge = std::int64_t{1} << 39;
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

Tensor Int64s(const Ints& values) {
  return Tensor::From<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

void ExpectAllEntries(const KernelCall& call, const Tensor& want) {
  const auto entries = EntriesFor(call);
  EXPECT_EQ(entries.size(), 2U);
  for (const KernelEntry* entry : entries) {
    for (const int threads : {1, 2}) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call, threads)[0], want))
          << entry->name << " in " << NameOf(want.dtype()) << ", threads " << threads;
    }
  }
}

std::string MessageOf(const KernelCall& call) {
  try {
    RunSelected(call);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// `first[a] + i * step[a]` is the source index of output index i along axis a.
struct SliceCase {
  const char* name;
  Shape shape;
  Ints starts, ends, axes, steps;
  Shape output;      // worked out by hand
  Ints first, step;  // per axis, by hand
};

class SliceTest : public ::testing::TestWithParam<SliceCase> {};

TEST_P(SliceTest, TakesTheStatedElements) {
  const SliceCase& param = GetParam();
  Rng rng(11);
  for (const DType dtype : kDTypesBySize) {
    const Tensor x = RandomTensor({dtype, param.shape}, rng, -100, 100);
    KernelCall call{.op = OpKind::kSlice};
    call.inputs = {x, Int64s(param.starts), Int64s(param.ends)};
    call.inputs.push_back(param.axes.empty() ? std::nullopt : std::optional(Int64s(param.axes)));
    call.inputs.push_back(param.steps.empty() ? std::nullopt : std::optional(Int64s(param.steps)));
    call.constant = {false, true, true, true, true};
    ASSERT_EQ(OutputTypesOf(call)[0].shape, param.output);
    ExpectAllEntries(call, ByIndex(x, param.output, [&](const Position& p) {
                       Position from(p.size());
                       for (std::size_t a = 0; a < p.size(); ++a) {
                         from[a] = param.first[a] + p[a] * param.step[a];
                       }
                       return std::optional(from);
                     }));
  }
}

const SliceCase kSliceCases[] = {
    {"Middle", {10}, {2}, {7}, {}, {}, {5}, {2}, {1}},
    {"NegativeEnds", {10}, {-7}, {-2}, {0}, {}, {5}, {3}, {1}},
    {"BeyondTheEnd", {4, 6}, {1, 2}, {kMost, 100}, {}, {}, {3, 4}, {1, 2}, {1, 1}},
    {"Every2nd", {3, 9}, {0}, {9}, {1}, {2}, {3, 5}, {0, 0}, {1, 2}},
    {"Every2ndOfManyAndTheLast", {2, 131}, {0}, {131}, {1}, {2}, {2, 66}, {0, 0}, {1, 2}},
    {"Every2ndOfManyNotTheFirst", {2, 130}, {1}, {130}, {1}, {2}, {2, 65}, {0, 1}, {1, 2}},
    {"Every2ndOf32", {3, 64}, {1}, {64}, {1}, {2}, {3, 32}, {0, 1}, {1, 2}},
    {"Every2ndPair", {3, 79, 2}, {0}, {79}, {1}, {2}, {3, 40, 2}, {0, 0, 0}, {1, 2, 1}},
    {"Every3rdRow", {10, 4}, {1}, {10}, {0}, {3}, {3, 4}, {1, 0}, {3, 1}},
    {"Reversed", {5, 3}, {-1}, {kLeast}, {0}, {-1}, {5, 3}, {4, 0}, {-1, 1}},
    {"ReversedInner", {2, 17}, {16}, {-100}, {1}, {-3}, {2, 6}, {0, 16}, {1, -3}},
    {"ReversedBoth", {4, 5}, {-1, -2}, {0, 0}, {0, 1}, {-1, -2}, {3, 2}, {3, 3}, {-1, -2}},
    {"StartBeyond", {4}, {9}, {-100}, {0}, {-2}, {2}, {3}, {-2}},
    {"HugeStep", {5, 2}, {1}, {5}, {0}, {kMost}, {1, 2}, {1, 0}, {1, 1}},
    {"Nothing", {4, 5}, {3}, {3}, {1}, {}, {4, 0}, {0, 0}, {1, 1}},
    {"StartAtEnd", {4}, {4}, {kMost}, {0}, {}, {0}, {0}, {1}},
    {"NegativeAxis", {2, 3, 4}, {1}, {3}, {-2}, {}, {2, 2, 4}, {0, 1, 0}, {1, 1, 1}},
    {"Channels", {2, 6, 5, 3}, {2}, {5}, {1}, {}, {2, 3, 5, 3}, {0, 2, 0, 0}, {1, 1, 1, 1}},
    {"ChannelsOfPixels",
     {2, 4, 5, 23},
     {3},
     {20},
     {3},
     {},
     {2, 4, 5, 17},
     {0, 0, 0, 3},
     {1, 1, 1, 1}},
    {"ChannelsOfEvery2ndPixel",
     {1, 4, 9, 40},
     {1, 5},
     {9, 38},
     {2, 3},
     {2, 1},
     {1, 4, 4, 33},
     {0, 0, 1, 5},
     {1, 1, 2, 1}},
    {"FocusLayer",
     {1, 3, 8, 8},
     {1, 0},
     {kMost, kMost},
     {2, 3},
     {2, 2},
     {1, 3, 4, 4},
     {0, 0, 1, 0},
     {1, 1, 2, 2}},
    {"BigEnoughForThreads",
     {3, 700, 301},
     {0},
     {300},
     {2},
     {},
     {3, 700, 300},
     {0, 0, 0},
     {1, 1, 1}},
};

INSTANTIATE_TEST_SUITE_P(Cases, SliceTest, ::testing::ValuesIn(kSliceCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(SliceErrors, StartsThatAreNotConstantAreRefused) {
  KernelCall call{.op = OpKind::kSlice};
  call.inputs = {Tensor(DType::kFloat32, {4}), Int64s({0}), Int64s({2})};
  call.outputs = {{DType::kFloat32, {2}}};
  EXPECT_EQ(
      MessageOf(call),
      "no kernel for Slice in float32; slice.any.portable starts, ends, axes and steps must be "
      "constant; slice.any.reference starts, ends, axes and steps must be constant");
}

TEST(SliceErrors, AnOutputOfAnotherShapeIsRefused) {
  KernelCall call{.op = OpKind::kSlice};
  call.inputs = {Tensor(DType::kFloat32, {4}), Int64s({0}), Int64s({2})};
  call.constant = {false, true, true};
  call.outputs = {{DType::kFloat32, {3}}};
  EXPECT_EQ(MessageOf(call), "Slice: output 3 has extent 3 along axis 0, the operands give 2");
}

struct PadCase {
  const char* name;
  Shape shape;
  Ints pads;
  Ints axes;        // empty: all
  const char* row;  // the last axis of the output in source indices along it, '.' for fill
  const char* mode;
};

// The oracle: walks from the edge one element at a time, as one would on paper.
std::optional<std::int64_t> PadSource(std::int64_t i, std::int64_t extent, std::string_view mode) {
  if (i >= 0 && i < extent) {
    return i;
  }
  if (mode == "constant") {
    return std::nullopt;
  }
  if (mode == "edge") {
    return i < 0 ? 0 : extent - 1;
  }
  if (mode == "wrap") {
    while (i < 0) {
      i += extent;
    }
    while (i >= extent) {
      i -= extent;
    }
    return i;
  }
  std::int64_t at = 0;  // reflect: bounce between the ends |i| times
  std::int64_t direction = 1;
  for (std::int64_t step = 0; step < (i < 0 ? -i : i) && extent > 1; ++step) {
    if (at + direction < 0 || at + direction >= extent) {
      direction = -direction;
    }
    at += direction;
  }
  return at;
}

class PadTest : public ::testing::TestWithParam<PadCase> {};

TEST_P(PadTest, ExtendsEveryAxis) {
  const PadCase& param = GetParam();
  Rng rng(12);
  const int rank = param.shape.rank();
  Ints begin(static_cast<std::size_t>(rank), 0);
  const std::size_t count = param.pads.size() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t axis = param.axes.empty() ? static_cast<std::int64_t>(i) : param.axes[i];
    begin[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = param.pads[i];
  }
  for (const DType dtype : kDTypesBySize) {
    for (const bool constant_value : {true, false}) {
      const Tensor x = RandomTensor({dtype, param.shape}, rng, -100, 100);
      const Tensor fill = TensorOf(dtype, {}, {1});
      KernelCall call{.op = OpKind::kPad};
      call.attributes.Set("mode", std::string(param.mode));
      call.inputs = {x, Int64s(param.pads), fill};
      call.inputs.push_back(param.axes.empty() ? std::nullopt : std::optional(Int64s(param.axes)));
      call.constant = {false, true, constant_value, true};
      const Shape output = OutputTypesOf(call)[0].shape;
      EXPECT_EQ(output[rank - 1], static_cast<std::int64_t>(std::string_view(param.row).size()));
      ExpectAllEntries(call, ByIndex(
                                 x, output,
                                 [&](const Position& p) -> std::optional<Position> {
                                   Position from(p.size());
                                   for (std::size_t a = 0; a < p.size(); ++a) {
                                     const auto source =
                                         PadSource(p[a] - begin[a],
                                                   param.shape[static_cast<int>(a)], param.mode);
                                     if (!source) {
                                       return std::nullopt;
                                     }
                                     from[a] = *source;
                                   }
                                   // The last axis once more, from the row written by hand.
                                   const char by_hand = param.row[p.back()];
                                   EXPECT_EQ(by_hand, static_cast<char>('0' + from.back()));
                                   return from;
                                 },
                                 &fill));
    }
  }
}

const PadCase kPadCases[] = {
    {"Constant", {3, 4}, {1, 2, 0, 3}, {}, "..0123...", "constant"},
    {"ConstantImage", {2, 3, 4, 5}, {0, 0, 1, 1, 0, 0, 1, 1}, {}, ".01234.", "constant"},
    {"ConstantOneAxis", {3, 4}, {2, 1}, {-2}, "0123", "constant"},
    {"Edge", {3, 4}, {1, 2, 0, 3}, {}, "000123333", "edge"},
    {"Reflect", {3, 4}, {1, 2, 2, 3}, {}, "210123210", "reflect"},
    {"ReflectTwice", {2, 3}, {0, 5, 0, 6}, {}, "10121012101210", "reflect"},
    {"ReflectOne", {2, 1}, {0, 2, 0, 1}, {}, "0000", "reflect"},
    {"Wrap", {3, 4}, {1, 2, 2, 3}, {}, "230123012", "wrap"},
    {"WrapTwice", {2, 3}, {0, 4, 0, 4}, {}, "20120120120", "wrap"},
    {"Nothing", {3, 4}, {0, 0, 0, 0}, {}, "0123", "constant"},
};

INSTANTIATE_TEST_SUITE_P(Cases, PadTest, ::testing::ValuesIn(kPadCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(PadNegative, RemovesElementsBeforeTheModeExtends) {
  const Tensor x = TensorOf(DType::kInt32, {6}, {0, 1, 2, 3, 4, 5});
  KernelCall call{.op = OpKind::kPad};
  call.attributes.Set("mode", std::string("reflect"));
  call.inputs = {x, Int64s({-2, 2})};
  call.constant = {false, true};
  ExpectAllEntries(call, TensorOf(DType::kInt32, {6}, {2, 3, 4, 5, 4, 3}));
  call.attributes.Set("mode", std::string("constant"));
  call.inputs = {x, Int64s({2, -3})};
  ExpectAllEntries(call, TensorOf(DType::kInt32, {5}, {0, 0, 0, 1, 2}));
}

TEST(PadEmpty, OfAHugeAxisTakesNoMemory) {
  KernelCall call{.op = OpKind::kPad};
  call.inputs = {Tensor(DType::kFloat32, {0, 1}), Int64s({0, kHuge, 0, 0})};
  call.constant = {false, true};
  ExpectAllEntries(call, Tensor(DType::kFloat32, {0, kHuge + 1}));
}

TEST(PadErrors, AreOneSentence) {
  KernelCall call{.op = OpKind::kPad};
  call.inputs = {Tensor(DType::kFloat32, {4}), Int64s({1, 1})};
  call.constant = {false, true};
  call.attributes.Set("mode", std::string("mirror"));
  EXPECT_EQ(MessageOf(call), "Pad: expected mode constant, reflect, edge or wrap, got 'mirror'");
  call.attributes.Set("mode", std::string("edge"));
  call.inputs[0] = Tensor(DType::kFloat32, {0});
  EXPECT_EQ(MessageOf(call), "Pad: mode edge needs elements to extend, an axis has none");
}

TEST(CenterCropPadTest, CutsOrFillsBothSides) {
  KernelCall call{.op = OpKind::kCenterCropPad};
  call.inputs = {TensorOf(DType::kInt16, {3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
                 Tensor::From<std::int64_t>({2}, std::vector<std::int64_t>{2, 7})};
  call.constant = {false, true};
  const Tensor want = TensorOf(DType::kInt16, {2, 7}, {0, 1, 2, 3, 4, 0, 0, 0, 5, 6, 7, 8, 0, 0});
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], want)) << entry->name;
  }
}

struct GrowCase {
  const char* name;
  OpKind op;
  Shape shape;
  Ints argument;  // the shape of Expand, the repeats of Tile
  Shape output;
};

class ExpandAndTileTest : public ::testing::TestWithParam<GrowCase> {};

TEST_P(ExpandAndTileTest, RepeatsTheSource) {
  const GrowCase& param = GetParam();
  Rng rng(13);
  for (const DType dtype : kDTypesBySize) {
    const Tensor x = RandomTensor({dtype, param.shape}, rng, -100, 100);
    KernelCall call{.op = param.op};
    call.inputs = {x, Int64s(param.argument)};
    call.constant = {false, true};
    ASSERT_EQ(OutputTypesOf(call)[0].shape, param.output);
    ExpectAllEntries(call, ByIndex(x, param.output, [&](const Position& p) {
                       Position from(static_cast<std::size_t>(param.shape.rank()));
                       for (std::size_t a = 0; a < from.size(); ++a) {
                         const std::int64_t at = p[a + p.size() - from.size()];
                         from[a] = at % param.shape[static_cast<int>(a)];
                       }
                       return std::optional(from);
                     }));
  }
}

const GrowCase kGrowCases[] = {
    {"ExpandScalar", OpKind::kExpand, {}, {2, 3}, {2, 3}},
    {"ExpandChannel", OpKind::kExpand, {1, 5, 1, 1}, {2, 5, 3, 7}, {2, 5, 3, 7}},
    {"ExpandNewAxis", OpKind::kExpand, {3, 4}, {2, 1, 1}, {2, 3, 4}},
    {"ExpandKeeps", OpKind::kExpand, {3, 4}, {1}, {3, 4}},
    {"ExpandRow", OpKind::kExpand, {1, 9}, {8, 9}, {8, 9}},
    {"ExpandToNothing", OpKind::kExpand, {1, 9}, {0, 9}, {0, 9}},
    {"TileOnce", OpKind::kTile, {3, 4}, {1, 1}, {3, 4}},
    {"TileInner", OpKind::kTile, {3, 4}, {1, 5}, {3, 20}},
    {"TileOuter", OpKind::kTile, {3, 4}, {5, 1}, {15, 4}},
    {"TileBoth", OpKind::kTile, {2, 3, 2}, {2, 3, 4}, {4, 9, 8}},
    {"TileLongRows", OpKind::kTile, {2, 3, 64}, {4, 4, 2}, {8, 12, 128}},
    {"ExpandTwoOuterAxes", OpKind::kExpand, {3, 1, 1, 40}, {3, 2, 5, 40}, {3, 2, 5, 40}},
    {"TileOddPeriods", OpKind::kTile, {5, 3, 7}, {1, 11, 3}, {5, 33, 21}},
    {"TileForThreads", OpKind::kTile, {7, 3, 64}, {1, 1000, 2}, {7, 3000, 128}},
    {"TileUnit", OpKind::kTile, {1, 7}, {6, 1}, {6, 7}},
    {"TileToNothing", OpKind::kTile, {2, 3}, {0, 2}, {0, 6}},
    {"TileEmpty", OpKind::kTile, {0, 3}, {4, 2}, {0, 6}},
    // An index for each element of such an axis would be terabytes.
    {"TileOfNothingIsOutOfMemory", OpKind::kTile, {0, 1}, {1, kHuge}, {0, kHuge}},
    {"ExpandOfNothingIsOutOfMemory", OpKind::kExpand, {0, 1}, {1, kHuge}, {0, kHuge}},
};

INSTANTIATE_TEST_SUITE_P(Cases, ExpandAndTileTest, ::testing::ValuesIn(kGrowCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace halftone::testing
