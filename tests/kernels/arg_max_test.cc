// ArgMax and ArgMin against the specification.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::EntriesFor;
using testing::KernelCall;
using testing::RandomTensor;
using testing::RunEntry;
using testing::RunSelected;
using testing::TensorOf;
using testing::WithSpecialValues;

// Indices are exact: every entry gives those of the reference. Few different values, so that many
// are equal, and special ones; sizes around vectors, blocks of a row and tiles of columns.
TEST(ArgMaxTest, AllEntriesAgreeWithTheReference) {
  constexpr struct {
    std::int64_t outer, length, inner;
  } kSizes[] = {
      {1, 1, 1},    {3, 2, 1},    {2, 3, 1},    {1, 17, 1}, {4, 33, 1}, {2, 1023, 1},
      {2, 1024, 1}, {2, 1025, 1}, {1, 5000, 1}, {1, 1, 7},  {2, 3, 5},  {3, 17, 16},
      {1, 21, 513}, {2, 5, 1031}, {1, 2, 512},  {0, 3, 1},  {2, 3, 0},
  };

  Rng rng(43);
  for (const DType dtype :
       {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt8}) {
    for (const auto& size : kSizes) {
      const TensorType type{dtype, {size.outer, size.length, size.inner}};
      Tensor few = Convert(RandomTensor({DType::kInt8, type.shape}, rng, -3, 4), dtype);
      const Tensor inputs[] = {RandomTensor(type, rng), few, WithSpecialValues(few, rng, 7),
                               WithSpecialValues(few, rng, 4000)};
      for (const Tensor& x : inputs) {
        for (const int form : {0, 1, 2, 3}) {
          KernelCall call{.op = form < 2 ? OpKind::kArgMax : OpKind::kArgMin, .inputs = {x}};
          call.attributes.Set("axis", std::int64_t{1});
          call.attributes.Set("select_last_index", std::int64_t{form % 2});
          const auto entries = EntriesFor(call);
          const Tensor want = RunEntry(*entries.back(), call)[0];
          for (const KernelEntry* entry : entries) {
            EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], want))
                << entry->name << " " << type.ToString() << " form " << form;
            EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 2)[0], want)) << entry->name;
          }
        }
      }
    }
  }
}

// The reference itself, worked out by hand: infinities and zeros of both signs are equal to
// themselves, NaN is what is sought.
TEST(ArgMaxTest, SpecialValues) {
  constexpr double kInf = std::numeric_limits<double>::infinity();

  const struct {
    std::vector<double> row;
    std::int64_t max_first, max_last, min_first, min_last;
  } cases[] = {
      {{-0.0, 0, -0.0}, 0, 2, 0, 2},       {{-kInf, -kInf}, 0, 1, 0, 1},
      {{kInf, kInf, 1}, 0, 1, 2, 2},       {{1, NAN, 3, NAN, 9}, 1, 3, 1, 3},
      {{NAN, kInf, -kInf, 0}, 0, 0, 0, 0}, {{0x1p-149, 0, -0x1p-149}, 0, 0, 2, 2},
  };

  for (const auto& c : cases) {
    const auto length = static_cast<std::int64_t>(c.row.size());
    for (const Shape& shape : {Shape{1, length}, Shape{1, length, 1}}) {
      const Tensor x = TensorOf(DType::kFloat32, shape, c.row);
      const std::int64_t want[] = {c.max_first, c.max_last, c.min_first, c.min_last};
      for (const int form : {0, 1, 2, 3}) {
        KernelCall call{.op = form < 2 ? OpKind::kArgMax : OpKind::kArgMin, .inputs = {x}};
        call.attributes.Set("axis", std::int64_t{1});
        call.attributes.Set("select_last_index", std::int64_t{form % 2});
        for (const KernelEntry* entry : EntriesFor(call)) {
          EXPECT_EQ(RunEntry(*entry, call)[0].values<std::int64_t>()[0], want[form])
              << entry->name << " form " << form;
        }
      }
    }
  }
}

TEST(ArgMaxTest, AnEmptyAxisIsLeftToTheReference) {
  KernelCall call{.op = OpKind::kArgMax, .inputs = {Tensor(DType::kFloat32, {2, 0})}};
  call.attributes.Set("axis", std::int64_t{1});
  EXPECT_EQ(EntriesFor(call).size(), 1U);
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kInt64, {2, 1}, {0, 0})));
}

TEST(ArgMaxTest, FirstLastAxesAndDtypes) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kInt32, DType::kUInt8}) {
    KernelCall call{.op = OpKind::kArgMax, .inputs = {TensorOf(dtype, {2, 3}, {1, 5, 5, 7, 0, 7})}};
    call.attributes.Set("axis", std::int64_t{-1});
    EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kInt64, {2, 1}, {1, 0})));
    call.attributes.Set("select_last_index", std::int64_t{1});
    EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kInt64, {2, 1}, {2, 2})));
    call.attributes.Set("axis", std::int64_t{0});
    call.attributes.Set("keepdims", std::int64_t{0});
    EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kInt64, {3}, {1, 0, 1})));
  }
}

TEST(ArgMinTest, FirstAndLast) {
  KernelCall call{.op = OpKind::kArgMin,
                  .inputs = {TensorOf(DType::kUInt64, {2, 3}, {5, 1, 1, 7, 0, 9})}};
  call.attributes.Set("axis", std::int64_t{1});
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kInt64, {2, 1}, {1, 1})));
  call.attributes.Set("select_last_index", std::int64_t{1});
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kInt64, {2, 1}, {2, 1})));
}

}  // namespace
}  // namespace halftone
