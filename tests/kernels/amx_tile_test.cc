// The machine code of AMX's tiles against the emulations in plain C++, bit for bit: every number of
// rows, ends of steps, operands that end where memory ends; and when tile registers are configured
// and released. Runs on the hardware, or in software (tests/kernels/traps).
#include <gtest/gtest.h>

#if defined(__x86_64__) && defined(__linux__)
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "kernels/parallel.h"
#include "kernels/quantized/byte_tiles.h"
#include "kernels/tile/tile_kernel.h"
#include "kernels/tile/tile_registers.h"
#include "src/base/rng.h"
#include "tests/kernels/kernel_test_support.h"
#include "tests/kernels/traps/amx_traps.h"

namespace halftone {
namespace {

constexpr IsaMask kAmx = kIsaAmxBf16 | kIsaAmxInt8;

class AmxTileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = testing::ReasonAgainstTraps(kAmx); !reason.empty()) {
      GTEST_SKIP() << "SKIPPED: " << reason;
    }
    testing::InstallInstructionTraps(kAmx);
  }
};

// Bytes that end where the pages that may be touched end.
class EdgeBuffer {
 public:
  explicit EdgeBuffer(std::size_t size_bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t usable = (size_bytes + page - 1) / page * page;
    mapped_bytes_ = usable + page;
    mapped_ =
        ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(mapped_, MAP_FAILED);
    auto* const end = static_cast<std::byte*>(mapped_) + usable;
    EXPECT_EQ(::mprotect(end, page, PROT_NONE), 0);
    data_ = end - size_bytes;
  }

  ~EdgeBuffer() { ::munmap(mapped_, mapped_bytes_); }

  EdgeBuffer(const EdgeBuffer&) = delete;
  EdgeBuffer& operator=(const EdgeBuffer&) = delete;

  template <typename T>
  T* As() {
    return reinterpret_cast<T*>(data_);
  }

 private:
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::byte* data_ = nullptr;
};

// Random numbers; about one in 16 is NaN, infinite, zero or so small that products with it are
// flushed.
BFloat16 RandomElement(Rng& rng, bool with_special) {
  constexpr std::uint16_t kSpecial[] = {0x0000, 0x8000, 0x0001, 0x807f, 0x0080, 0x1fc0,
                                        0x9f80, 0x7f80, 0xff80, 0x7fc0, 0x7f7f, 0x2000};
  if (with_special && rng.Below(16) == 0) {
    return {kSpecial[rng.Below(std::size(kSpecial))]};
  }
  return BFloat16::FromFloat(static_cast<float>(rng.Uniform(-1, 1)));
}

struct TileCall {
  int rows;
  int columns;
  std::int64_t steps;
  bool accumulate = false;
  bool with_special = false;
};

std::string NameOf(const TileCall& call) {
  return fmt::format("{} x {}, {} steps{}{}", call.rows, call.columns, call.steps,
                     call.accumulate ? ", added" : "", call.with_special ? ", special" : "");
}

// Equal bits, NaN equal to NaN.
bool IsSame(float a, float b) {
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0;
}

// Each operand ends where memory ends: A behind the last step of its last row, B behind its last
// step, C behind its last row.
void ExpectSamePairs(const TileCall& call, Rng& rng) {
  const std::int64_t lda = call.steps + 3;
  const std::int64_t panels = (call.columns + kAmxColumns - 1) / kAmxColumns;
  const std::int64_t a_words = (call.rows - 1) * lda + call.steps;
  const std::int64_t b_words = panels * call.steps * kAmxColumns;
  const std::int64_t c_floats = call.rows * panels * kAmxColumns;
  EdgeBuffer a(static_cast<std::size_t>(a_words * 4));
  EdgeBuffer b(static_cast<std::size_t>(b_words * 4));
  EdgeBuffer c(static_cast<std::size_t>(c_floats * 4));
  std::generate_n(a.As<BFloat16>(), a_words * 2,
                  [&] { return RandomElement(rng, call.with_special); });
  std::generate_n(b.As<BFloat16>(), b_words * 2,
                  [&] { return RandomElement(rng, call.with_special); });
  std::generate_n(c.As<float>(), c_floats, [&] { return static_cast<float>(rng.Uniform(-1, 1)); });
  std::vector<float> want(c.As<float>(), c.As<float>() + c_floats);
  TileArgs args{.rows = call.rows,
                .columns = call.columns,
                .steps = call.steps,
                .a = a.As<std::byte>(),
                .lda = lda,
                .b = b.As<std::byte>(),
                .panel_stride = call.steps * kAmxColumns * 4,
                .c = want.data(),
                .c_stride = kAmxColumns,
                .accumulate = call.accumulate};
  AmxEmulated::Run(args);
  args.c = c.As<float>();
  TileAmxBf16(args);
  for (std::int64_t i = 0; i < c_floats; ++i) {
    if (i % (panels * kAmxColumns) < call.columns) {
      ASSERT_TRUE(IsSame(args.c[i], want[static_cast<std::size_t>(i)]))
          << NameOf(call) << ", element " << i << ": " << args.c[i] << " for "
          << want[static_cast<std::size_t>(i)];
    }
  }
}

void ExpectSameBytes(const TileCall& call, Rng& rng) {
  const std::int64_t lda = call.steps * kBytesPerStep + 5;
  const std::int64_t a_bytes = (call.rows - 1) * lda + call.steps * kBytesPerStep;
  const std::int64_t b_bytes = call.steps * kAmxColumns * kBytesPerStep;
  const std::int64_t c_ints = std::int64_t{call.rows} * kAmxColumns;
  EdgeBuffer a(static_cast<std::size_t>(a_bytes));
  EdgeBuffer b(static_cast<std::size_t>(b_bytes));
  EdgeBuffer c(static_cast<std::size_t>(c_ints * 4));
  const auto byte = [&] { return static_cast<std::uint8_t>(rng.Below(256)); };
  std::generate_n(a.As<std::uint8_t>(), a_bytes, byte);
  std::generate_n(b.As<std::uint8_t>(), b_bytes, byte);
  std::generate_n(c.As<std::uint8_t>(), c_ints * 4, byte);  // sums that wrap
  std::vector<std::int32_t> want(c.As<std::int32_t>(), c.As<std::int32_t>() + c_ints);
  ByteTileArgs args{.rows = call.rows,
                    .columns = call.columns,
                    .steps = call.steps,
                    .a = a.As<std::uint8_t>(),
                    .lda = lda,
                    .b = b.As<std::int8_t>(),
                    .c = want.data(),
                    .accumulate = call.accumulate};
  AmxBytesEmulated::Run(args);
  args.c = c.As<std::int32_t>();
  ByteTileAmx(args);
  for (std::int64_t i = 0; i < c_ints; ++i) {
    if (i % kAmxColumns < call.columns) {
      ASSERT_EQ(args.c[i], want[static_cast<std::size_t>(i)]) << NameOf(call) << ", element " << i;
    }
  }
}

void ExpectSame(const TileCall& call, Rng& rng) {
  ASSERT_NO_FATAL_FAILURE(ExpectSamePairs(call, rng));
  ASSERT_NO_FATAL_FAILURE(ExpectSameBytes(call, rng));
}

TEST_F(AmxTileTest, EveryNumberOfRows) {
  Rng rng(1);
  for (int rows = 1; rows <= kAmxRows; ++rows) {
    for (const bool accumulate : {false, true}) {
      ASSERT_NO_FATAL_FAILURE(ExpectSame({rows, kAmxColumns, 19, accumulate}, rng));
    }
  }
}

TEST_F(AmxTileTest, EveryNumberOfColumns) {
  Rng rng(2);
  for (int columns = 1; columns <= kAmxColumns; ++columns) {
    ASSERT_NO_FATAL_FAILURE(ExpectSame({17, columns, 16, columns % 2 == 0}, rng));
  }
}

TEST_F(AmxTileTest, EveryEndOfSteps) {
  Rng rng(3);
  for (std::int64_t steps = 1; steps <= 49; ++steps) {
    ASSERT_NO_FATAL_FAILURE(ExpectSame({kAmxRows, kAmxColumns, steps, steps % 2 == 0}, rng));
    ASSERT_NO_FATAL_FAILURE(ExpectSame({1, 7, steps, steps % 2 != 0}, rng));
  }
}

TEST_F(AmxTileTest, SpecialValuesKeepTheirBits) {
  Rng rng(4);
  for (const std::int64_t steps : {1, 5, 16, 40}) {
    for (int repeat = 0; repeat < 8; ++repeat) {
      ASSERT_NO_FATAL_FAILURE(
          ExpectSamePairs({kAmxRows, kAmxColumns, steps, repeat % 2 == 0, true}, rng));
    }
  }
}

TEST_F(AmxTileTest, OneRowGoesThroughPanels) {
  Rng rng(5);
  for (const int columns : {kAmxColumns + 1, 3 * kAmxColumns, kAmxRows * kAmxColumns - 1}) {
    ASSERT_NO_FATAL_FAILURE(ExpectSamePairs({1, columns, 35}, rng));
  }
}

// ---- Configuration -----------------------------------------------------------------------------

// Whether this thread's tile registers are configured, by what the CPU (or its trap) says.
bool AreConfigured() {
  alignas(64) std::uint8_t configuration[64];
  asm volatile("sttilecfg %0" : "=m"(configuration));
  return configuration[0] != 0;
}

void MultiplySomething() {
  std::vector<BFloat16> zeros(std::size_t{32} * 32 * 2);
  std::vector<float> c(static_cast<std::size_t>(kAmxRows * kAmxColumns));
  TileAmxBf16({.rows = 1,
               .columns = 1,
               .steps = 1,
               .a = zeros.data(),
               .lda = 1,
               .b = zeros.data(),
               .c = c.data(),
               .c_stride = kAmxColumns});
}

TEST_F(AmxTileTest, ACallOutsideOfALoopLeavesNoState) {
  MultiplySomething();
  EXPECT_FALSE(AreConfigured());
}

TEST_F(AmxTileTest, ARangeConfiguresOnceAndReleasesAtItsEnd) {
  const std::int64_t before = testing::TrappedTileConfigurations();
  std::atomic<int> ranges{0};
  std::atomic<int> configured_at_begin{0};
  std::atomic<int> configured_at_end{0};
  ThreadPool(3).Run([&] {
    for (int loop = 0; loop < 10; ++loop) {
      ParallelFor(30, 1, [&](std::int64_t begin, std::int64_t end) {
        ++ranges;
        configured_at_begin += AreConfigured() ? 1 : 0;
        for (std::int64_t i = begin; i < end; ++i) {
          MultiplySomething();
          ParallelFor(1, 1, [](std::int64_t, std::int64_t) { MultiplySomething(); });
        }
        configured_at_end += AreConfigured() ? 1 : 0;
      });
      EXPECT_FALSE(AreConfigured());
    }
  });
  EXPECT_EQ(configured_at_begin, 0);
  EXPECT_EQ(configured_at_end, ranges);
  if ((CpuIsa() & kAmx) != kAmx) {
    EXPECT_EQ(testing::TrappedTileConfigurations() - before, ranges);
  }
}

TEST_F(AmxTileTest, ARangeThatMultipliesNothingConfiguresNothing) {
  ParallelFor(3, 100, [&](std::int64_t, std::int64_t) { EXPECT_FALSE(AreConfigured()); });
}

// oneDNN configures the registers in its own way: it must not find ours, nor we its.
TEST_F(AmxTileTest, OneDnnFindsNoConfiguration) {
  testing::KernelCall call;
  call.op = OpKind::kMatMul;
  call.inputs = {Tensor(DType::kFloat32, {4, 4}), Tensor(DType::kFloat32, {4, 4})};
  for (auto& input : call.inputs) {
    std::fill_n(input->mutable_values<float>().data(), 16, 1.0F);
  }
  call.constant = {false, true};
  const TileRegisterScope scope;
  MultiplySomething();
  EXPECT_TRUE(AreConfigured());
  testing::RunEntry(testing::EntryNamed("matmul.f32.onednn"), call);
  EXPECT_FALSE(AreConfigured());
  MultiplySomething();
  EXPECT_TRUE(AreConfigured());
}

}  // namespace
}  // namespace halftone
#endif
