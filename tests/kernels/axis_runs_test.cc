// GatherElements and ScatterElements over shapes whose axes are walked together and shapes whose
// axes are not; indexing_test.cc has their other properties.
#include "gtest/gtest.h"
#include "src/base/rng.h"
#include "tests/kernels/index_oracle.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

// All entries give `want`, with one thread and with two.
void ExpectAll(const KernelCall& call, const Tensor& want) {
  for (const KernelEntry* entry : EntriesFor(call)) {
    for (const int threads : {1, 2}) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call, threads)[0], want)) << entry->name;
    }
  }
}

// Indices of as many elements as the data or fewer, cut where threads begin.
TEST(AxisRunsTest, GatherElements) {
  struct Case {
    Shape data, indices;
  };

  const Case cases[] = {
      {{7}, {17}},
      {{7}, {1}},
      {{7}, {0}},
      {{5, 1}, {3, 1}},
      {{3, 5}, {3, 1}},
      {{3, 5, 7}, {3, 5, 7}},
      {{3, 5, 7}, {2, 5, 7}},
      {{3, 5, 7}, {3, 4, 7}},
      {{3, 5, 7}, {3, 5, 1}},
      {{3, 5, 7}, {1, 5, 3}},
      {{2, 3, 5, 3}, {2, 3, 5, 3}},
      {{2, 3, 5, 3}, {2, 2, 5, 2}},
      {{40, 300, 7}, {40, 300, 7}},
      {{40, 300, 7}, {39, 299, 6}},
  };
  Rng rng(16);
  for (const Case& c : cases) {
    for (const DType type : {DType::kInt32, DType::kInt64}) {
      for (int axis = 0; axis < c.data.rank(); ++axis) {
        KernelCall call{.op = OpKind::kGatherElements};
        call.attributes.Set("axis", std::int64_t{axis});
        const std::int64_t extent = c.data[axis];
        const auto reach = static_cast<double>(extent);
        const Tensor data = RandomTensor({DType::kInt16, c.data}, rng, -30000, 30000);
        const Tensor index = RandomTensor({type, c.indices}, rng, -reach, reach);
        call.inputs = {data, index};
        ExpectAll(call, ByIndex(data, c.indices, [&](Position p) {
                    const std::int64_t i = IntegerAt(type, index.data(), LinearIndex(c.indices, p));
                    p[static_cast<std::size_t>(axis)] = i < 0 ? i + extent : i;
                    return std::optional(p);
                  }));
      }
    }
  }
}

// Along every axis, with int32 and int64 indices, some of them outside: as index by index.
void ExpectAsReference(const char* reduction, DType dtype, DType index, int axis) {
  Rng rng(17);
  for (const Shape& shape : {Shape{4, 5, 7}, Shape{3, 5, 7}, Shape{4, 3, 1}, Shape{0, 5, 7}}) {
    KernelCall call{.op = OpKind::kScatterElements};
    call.attributes.Set("axis", std::int64_t{axis});
    call.attributes.Set("reduction", std::string(reduction));
    call.inputs = {RandomTensor({dtype, {4, 5, 7}}, rng, -9, 9),
                   RandomTensor({index, shape}, rng, -9, 9),
                   RandomTensor({dtype, shape}, rng, -9, 9)};
    ExpectAll(call, RunEntry(EntryNamed("scatter_elements.any.reference"), call)[0]);
  }
}

TEST(AxisRunsTest, ScatterElements) {
  for (const DTypeRow& row : kDTypes) {
    for (const DType index : {DType::kInt32, DType::kInt64}) {
      for (const char* reduction : {"none", "add", "mul", "max", "min"}) {
        for (const int axis : {0, 1, 2}) {
          ExpectAsReference(reduction, row.dtype, index, axis);
        }
      }
    }
  }
}

}  // namespace
}  // namespace halftone::testing
