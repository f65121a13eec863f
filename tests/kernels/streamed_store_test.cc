#include "kernels/streamed_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/kernel_table.h"
#include "src/base/rng.h"
#include "src/ir/op_table.h"
#include "src/ir/tensor.h"

namespace halftone {
namespace {

// Every place in a line, lengths around those of vectors and lines: the bytes arrive, and no others
// are touched.
TEST(StreamedStoreTest, WritesItsBytesOnly) {
  alignas(64) std::byte from[512];
  for (std::size_t i = 0; i < sizeof from; ++i) {
    from[i] = static_cast<std::byte>(i * 37 + 11);
  }
  for (std::size_t place = 0; place < 64; ++place) {
    for (const std::size_t bytes : {0, 1, 2, 15, 16, 17, 31, 33, 63, 64, 65, 127, 191, 256, 300}) {
      alignas(64) std::byte to[512] = {};
      StoreStreamed(from, to + place, static_cast<std::int64_t>(bytes));
      FinishStreamed();
      for (std::size_t i = 0; i < sizeof to; ++i) {
        const bool inside = i >= place && i < place + bytes;
        ASSERT_EQ(to[i], inside ? from[i - place] : std::byte{0})
            << "place " << place << ", " << bytes << " bytes, byte " << i;
      }
    }
  }
}

// A call whose result is written past the caches, and is no whole number of parts.
struct LargeCall {
  const char* name;
  OpKind op;
  std::size_t operands;
  ImplMode impl_mode = ImplMode::kDefault;
};

const LargeCall kLarge[] = {
    {"Relu", OpKind::kRelu, 1},
    {"ExpFast", OpKind::kExp, 1, ImplMode::kHighPerformance},
    {"Add", OpKind::kAdd, 2},
    {"PRelu", OpKind::kPRelu, 2},
};

class LargeResultTest : public ::testing::TestWithParam<LargeCall> {};

// Its parts are written as ordinary results.
TEST_P(LargeResultTest, HasTheBitsOfItsParts) {
  constexpr DType kDType = DType::kFloat32;
  const LargeCall& c = GetParam();
  const Shape shape{101, kStreamedBytes / 100 / static_cast<std::int64_t>(SizeOf(kDType)) + 3};
  std::vector<Tensor> operands;
  for (std::size_t i = 0; i < c.operands; ++i) {
    Tensor& operand = operands.emplace_back(kDType, i == 0 ? shape : Shape{shape[1]});
    Rng rng(i + 1);
    const std::int64_t count = operand.ElementCount();
    for (std::int64_t e = 0; e < count; ++e) {  // with a period, which costs less than numbers
      StoreDouble(kDType, operand.mutable_data(), e,
                  e < 1013 ? rng.Uniform(-4, 4) : DoubleAt(kDType, operand.data(), e - 1013));
    }
  }
  Attributes attributes;
  KernelQuery query{.op = c.op, .attributes = &attributes};
  query.impl_mode = c.impl_mode;
  std::vector<const void*> pointers;
  for (const Tensor& operand : operands) {
    query.inputs.push_back(&operand.type());
    query.constants.push_back(nullptr);
    pointers.push_back(operand.data());
  }
  Tensor whole(kDType, shape);
  Tensor parts(kDType, shape);
  query.outputs = {&whole.type()};
  const KernelChoice choice = SelectKernel(query);
  const RangeRun run = choice.entry->run_range;
  ASSERT_NE(run, nullptr) << choice.entry->name;
  const auto state = choice.entry->prepare(query);
  void* outputs[] = {whole.mutable_data()};
  choice.entry->run({.state = state.get(), .inputs = pointers, .outputs = outputs});
  constexpr std::int64_t kPart = 100'003;
  for (std::int64_t begin = 0; begin < shape.ElementCount(); begin += kPart) {
    std::vector<const void*> at = pointers;
    at[0] = operands[0].data() + begin * static_cast<std::int64_t>(SizeOf(kDType));
    run({.state = state.get(),
         .inputs = at,
         .output = parts.mutable_data() + begin * static_cast<std::int64_t>(SizeOf(kDType)),
         .begin = begin,
         .end = std::min(begin + kPart, shape.ElementCount())});
  }
  EXPECT_GE(whole.size_bytes(), kStreamedBytes);
  EXPECT_EQ(std::memcmp(whole.data(), parts.data(), static_cast<std::size_t>(whole.size_bytes())),
            0);
}

INSTANTIATE_TEST_SUITE_P(Calls, LargeResultTest, ::testing::ValuesIn(kLarge),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halftone
