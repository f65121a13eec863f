#include "kernels/transpose/transpose.h"

#include "gtest/gtest.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "tests/kernels/index_oracle.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

constexpr DType kDTypesBySize[] = {DType::kUInt8,    DType::kBool,  DType::kFloat16,
                                   DType::kBFloat16, DType::kInt16, DType::kFloat32,
                                   DType::kInt32,    DType::kInt64, DType::kFloat64};

struct Case {
  const char* name;
  Shape shape;
  std::vector<std::int64_t> perm;  // empty: reversed
};

class TransposeTest : public ::testing::TestWithParam<Case> {};

void ExpectAllEntries(const KernelCall& call, const Tensor& want) {
  const auto entries = EntriesFor(call);
  EXPECT_GE(entries.size(), 2U);
  for (const KernelEntry* entry : entries) {
    for (const int threads : {1, 2}) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call, threads)[0], want))
          << entry->name << " in " << NameOf(want.dtype()) << ", threads " << threads;
    }
  }
}

TEST_P(TransposeTest, MovesEveryElementToItsPlace) {
  Rng rng(7);
  const Shape& shape = GetParam().shape;
  KernelCall call{.op = OpKind::kTranspose};
  std::vector<std::int64_t> perm = GetParam().perm;
  if (perm.empty()) {
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      perm.push_back(axis);
    }
  } else {
    call.attributes.Set("perm", perm);
  }
  std::vector<std::int64_t> dims;
  for (const std::int64_t axis : perm) {
    dims.push_back(shape[static_cast<int>(axis)]);
  }
  const std::vector<std::int64_t> sources = SourcesOf(shape, Shape(dims), [&](const Position& p) {
    Position from(p.size());
    for (std::size_t a = 0; a < p.size(); ++a) {
      from[static_cast<std::size_t>(perm[a])] = p[a];
    }
    return from;
  });
  for (const DType dtype : kDTypesBySize) {
    const Tensor x = RandomTensor({dtype, shape}, rng, -100, 100);
    call.inputs = {x};
    ExpectAllEntries(call, Gathered(x, Shape(dims), sources));
  }
}

const Case kCases[] = {
    {"Scalar", {}, {}},
    {"Vector", {7}, {}},
    {"Identity", {2, 3, 5}, {0, 1, 2}},
    {"SmallMatrix", {3, 5}, {}},
    {"TileMatrix", {16, 16}, {}},
    {"TilesAndRest", {35, 67}, {}},
    {"OneLong", {1, 131}, {}},
    {"NchwToNhwc", {2, 17, 5, 9}, {0, 2, 3, 1}},
    {"NchwToNhwcFewChannels", {1, 3, 33, 31}, {0, 2, 3, 1}},
    {"NhwcToNchw", {2, 5, 9, 17}, {0, 3, 1, 2}},
    {"TwoLongRows", {3, 2, 1500}, {0, 2, 1}},
    {"ThreeLongRows", {3, 2100}, {1, 0}},
    {"FourLongRows", {2, 4, 1027}, {0, 2, 1}},
    {"ManyPairs", {3, 1500, 2}, {0, 2, 1}},
    {"ManyTriples", {2100, 3}, {1, 0}},
    {"ManyQuadruples", {2, 1027, 4}, {0, 2, 1}},
    {"PairsOfTwoOuterAxes", {2, 3, 37, 2}, {1, 3, 0, 2}},
    {"PairsForThreads", {600, 5, 300, 2}, {1, 0, 3, 2}},
    {"LongTriplesForThreads", {1, 300'000, 3}, {0, 2, 1}},
    {"BlocksForThreads", {40, 3, 5, 700}, {1, 2, 0, 3}},
    {"Attention", {2, 9, 4, 8}, {0, 2, 1, 3}},
    {"AttentionKeys", {2, 9, 4, 8}, {0, 2, 3, 1}},
    {"BatchToLast", {5, 6, 7}, {1, 2, 0}},
    {"PairsStayTogether", {33, 19, 2}, {1, 0, 2}},
    {"TriplesStayTogether", {5, 7, 3}, {1, 0, 2}},
    {"Reversed5", {2, 3, 4, 5, 6}, {}},
    {"UnitAxes", {1, 6, 1, 5}, {3, 2, 1, 0}},
    {"Empty", {3, 0, 2}, {2, 1, 0}},
    {"ShuffleNet", {1, 2, 29, 4, 4}, {0, 2, 1, 3, 4}},
    {"BigEnoughForThreads", {3, 257, 600}, {0, 2, 1}},
};

INSTANTIATE_TEST_SUITE_P(Shapes, TransposeTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

// Channel c of the result is channel c / groups of group c % groups.
TEST(ShuffleTest, ExchangesGroupsWithWhatTheyHold) {
  Rng rng(8);
  for (const DType dtype : kDTypesBySize) {
    for (const std::int64_t groups : {1, 2, 3, 4, 6, 12}) {
      const Tensor x = RandomTensor({dtype, {2, 12, 5, 7}}, rng, -100, 100);
      const Tensor want = ByIndex(x, x.shape(), [&](const Position& p) {
        return std::optional(
            Position{p[0], p[1] % groups * (12 / groups) + p[1] / groups, p[2], p[3]});
      });
      KernelCall call{.op = OpKind::kTranspose, .inputs = {x}};
      call.layout.shuffle_groups = groups;
      call.outputs = {x.type()};
      ExpectAllEntries(call, want);
      call.inputs = {WithChannelsLast(x)};
      call.outputs = {call.inputs[0]->type()};
      call.layout.channels_last = true;
      ExpectAllEntries(call, WithChannelsLast(want));
    }
  }
}

struct DepthCase {
  const char* name;
  const char* mode;
  Shape shape;
  std::int64_t block;
};

class DepthToSpaceTest : public ::testing::TestWithParam<DepthCase> {};

TEST_P(DepthToSpaceTest, MovesDepthIntoBlocks) {
  const DepthCase& param = GetParam();
  Rng rng(8);
  for (const DType dtype : kDTypesBySize) {
    const Tensor x = RandomTensor({dtype, param.shape}, rng, -100, 100);
    KernelCall call{.op = OpKind::kDepthToSpace};
    call.attributes.Set("blocksize", param.block);
    call.attributes.Set("mode", std::string(param.mode));
    call.inputs = {x};
    const std::int64_t b = param.block;
    const std::int64_t channels = param.shape[1] / (b * b);
    const Shape output{param.shape[0], channels, param.shape[2] * b, param.shape[3] * b};
    ExpectAllEntries(call, ByIndex(x, output, [&](const Position& p) {
                       const std::int64_t cell = p[2] % b * b + p[3] % b;
                       const std::int64_t depth = std::string_view(param.mode) == "DCR"
                                                      ? cell * channels + p[1]
                                                      : p[1] * b * b + cell;
                       return std::optional(Position{p[0], depth, p[2] / b, p[3] / b});
                     }));
  }
}

const DepthCase kDepthCases[] = {
    {"Dcr2", "DCR", {2, 8, 3, 5}, 2},     {"Crd2", "CRD", {2, 8, 3, 5}, 2},
    {"Dcr3", "DCR", {1, 9, 17, 4}, 3},    {"Crd3", "CRD", {1, 18, 4, 17}, 3},
    {"BlockOne", "DCR", {1, 4, 3, 3}, 1}, {"Crd8", "CRD", {1, 64, 19, 18}, 8},
};

INSTANTIATE_TEST_SUITE_P(Shapes, DepthToSpaceTest, ::testing::ValuesIn(kDepthCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(SpaceToDepthTest, IsTheInverseOfDepthToSpace) {
  Rng rng(9);
  for (const DType dtype : kDTypesBySize) {
    const Tensor x = RandomTensor({dtype, {2, 3, 6, 9}}, rng, -100, 100);
    KernelCall call{.op = OpKind::kSpaceToDepth};
    call.attributes.Set("blocksize", std::int64_t{3});
    call.inputs = {x};
    ExpectAllEntries(
        call, ByIndex(x, {2, 27, 2, 3}, [&](const Position& p) {
          const std::int64_t cell = p[1] / 3;
          return std::optional(Position{p[0], p[1] % 3, p[2] * 3 + cell / 3, p[3] * 3 + cell % 3});
        }));
  }
}

TEST(DepthToSpaceErrors, UnknownModeIsNamed) {
  KernelCall call{.op = OpKind::kDepthToSpace};
  call.attributes.Set("blocksize", std::int64_t{2});
  call.attributes.Set("mode", std::string("RCD"));
  call.inputs = {Tensor(DType::kFloat32, {1, 4, 1, 1})};
  try {
    RunSelected(call);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "DepthToSpace: expected mode DCR or CRD, got 'RCD'");
  }
}

}  // namespace
}  // namespace halftone::testing
