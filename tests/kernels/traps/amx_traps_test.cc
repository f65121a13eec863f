// Single instructions of AMX with known results, in software or, on a CPU that has them, in
// hardware; what the software refuses.
#include "tests/kernels/traps/amx_traps.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#if defined(__x86_64__) && defined(__linux__)
#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "src/ir/half.h"
#include "tests/kernels/traps/x86_operands.h"

namespace halftone::testing {
namespace {

constexpr IsaMask kAmx = kIsaAmxBf16 | kIsaAmxInt8;

struct alignas(64) Configuration {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};

struct TileShape {
  std::uint8_t rows;
  std::uint16_t row_bytes;
};

Configuration ConfigurationOf(const std::vector<TileShape>& tiles) {
  Configuration configuration;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    configuration.rows[i] = tiles[i].rows;
    configuration.row_bytes[i] = tiles[i].row_bytes;
  }
  return configuration;
}

void Configure(const Configuration& configuration) {
  asm volatile("ldtilecfg %0" : : "m"(configuration));
}

void Release() {
  asm volatile("tilerelease");
}

// Rows of a tile are `stride` bytes apart.
template <int kTile>
void Load(const void* from, std::int64_t stride) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(kTile) : "memory");
}

template <int kTile>
void Store(void* to, std::int64_t stride) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(kTile) : "memory");
}

class AmxTrapsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = ReasonAgainstTraps(kAmx); !reason.empty()) {
      GTEST_SKIP() << "SKIPPED: " << reason;
    }
    InstallInstructionTraps(kAmx);
  }

  void TearDown() override { Release(); }
};

std::array<std::uint8_t, 2048> Counting() {
  std::array<std::uint8_t, 2048> bytes;
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  return bytes;
}

TEST_F(AmxTrapsTest, ATileHasTheRowsAndBytesOfItsConfiguration) {
  Configure(ConfigurationOf({{3, 20}, {16, 64}}));
  const auto from = Counting();
  Load<0>(from.data(), 100);
  std::array<std::uint8_t, 2048> to = {};
  Store<0>(to.data(), 30);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const bool is_inside = i / 30 < 3 && i % 30 < 20;
    ASSERT_EQ(to[i], is_inside ? from[i / 30 * 100 + i % 30] : 0) << i;
  }
  Load<1>(from.data(), 64);
  Store<1>(to.data(), 64);
  EXPECT_EQ(std::memcmp(to.data(), from.data(), 1024), 0);
  EXPECT_EQ(to[1024], 0);
}

TEST_F(AmxTrapsTest, AnIndexThatIsMissingRepeatsTheRow) {
  Configure(ConfigurationOf({{2, 8}}));
  const auto from = Counting();
  asm volatile("tileloadd (%0), %%tmm0" : : "r"(from.data()) : "memory");
  std::array<std::uint8_t, 16> to = {};
  Store<0>(to.data(), 8);
  EXPECT_EQ(std::memcmp(to.data(), from.data(), 8), 0);
  EXPECT_EQ(std::memcmp(to.data() + 8, from.data(), 8), 0);
}

// Registers whose numbers mean something else without the prefix's bits, and both displacements.
#define HALFTONE_LOAD_FROM(base, index, operand)                                            \
  asm volatile("push %%" base "\n push %%" index "\n mov %0, %%" base "\n mov %1, %%" index \
               "\n tileloadd " operand ", %%tmm5\n pop %%" index "\n pop %%" base           \
               :                                                                            \
               : "a"(from.data() + 256), "d"(std::int64_t{24})                              \
               : "memory", "cc")

TEST_F(AmxTrapsTest, EveryFormOfAnAddress) {
  Configure(ConfigurationOf({{}, {}, {}, {}, {}, {4, 16}}));
  const auto from = Counting();
  const auto expect_rows = [&](int first, int stride, const char* operand) {
    std::array<std::uint8_t, 64> to = {};
    Store<5>(to.data(), 16);
    for (int i = 0; i < 64; ++i) {
      ASSERT_EQ(to[static_cast<std::size_t>(i)],
                from[static_cast<std::size_t>(first + i / 16 * stride + i % 16)])
          << operand << " " << i;
    }
  };
  HALFTONE_LOAD_FROM("rbx", "rcx", "(%%rbx,%%rcx,1)");
  expect_rows(256, 24, "rbx, rcx");
  HALFTONE_LOAD_FROM("rbp", "rsi", "(%%rbp,%%rsi,2)");
  expect_rows(256, 48, "rbp, rsi twice");
  HALFTONE_LOAD_FROM("r13", "r12", "(%%r13,%%r12,4)");
  expect_rows(256, 96, "r13, r12 four times");
  HALFTONE_LOAD_FROM("r12", "rbp", "-100(%%r12,%%rbp,8)");
  expect_rows(156, 192, "r12, rbp eight times, displacement of a byte");
  HALFTONE_LOAD_FROM("r15", "r14", "-256(%%r15,%%r14,1)");
  expect_rows(0, 24, "r15, r14, displacement of four bytes");
  HALFTONE_LOAD_FROM("rdi", "r8", "512(%%rdi,%%r8,1)");
  expect_rows(768, 24, "rdi, r8, displacement of four bytes");
  HALFTONE_LOAD_FROM("r9", "r10", "1(%%r9,%%r10,1)");
  expect_rows(257, 24, "r9, r10");
  HALFTONE_LOAD_FROM("r11", "rbx", "(%%r11,%%rbx,1)");
  expect_rows(256, 24, "r11, rbx");
  asm volatile("tileloaddt1 (%0,%1,1), %%tmm5"
               :
               : "r"(from.data()), "r"(std::int64_t{17})
               : "memory");
  expect_rows(0, 17, "the hint for the cache");
}

const Configuration kGlobal = ConfigurationOf({{1, 4}});

TEST_F(AmxTrapsTest, TheConfigurationComesBack) {
  asm volatile("ldtilecfg %0" : : "m"(kGlobal));  // relative to RIP
  Configuration stored = ConfigurationOf(std::vector<TileShape>(16, {0xff, 0xffff}));
  asm volatile("sttilecfg %0" : "=m"(stored));
  EXPECT_EQ(std::memcmp(&stored, &kGlobal, sizeof stored), 0);
  Release();
  asm volatile("sttilecfg %0" : "=m"(stored));
  Configuration none;
  none.palette = 0;
  EXPECT_EQ(std::memcmp(&stored, &none, sizeof stored), 0);
}

TEST_F(AmxTrapsTest, ConfigurationAndTileZeroClearTiles) {
  const Configuration configuration = ConfigurationOf({{1, 8}, {1, 8}});
  Configure(configuration);
  const std::uint64_t ones = ~std::uint64_t{0};
  std::uint64_t got = 1;
  Load<0>(&ones, 8);
  Load<1>(&ones, 8);
  asm volatile("tilezero %tmm0");
  Store<0>(&got, 8);
  EXPECT_EQ(got, 0);
  Store<1>(&got, 8);
  EXPECT_EQ(got, ones);
  Configure(configuration);
  Store<1>(&got, 8);
  EXPECT_EQ(got, 0);
}

TEST_F(AmxTrapsTest, EveryThreadHasTilesOfItsOwn) {
  Configure(ConfigurationOf({{1, 8}}));
  const std::uint64_t mine = 42;
  Load<0>(&mine, 8);
  std::thread([] {
    Configuration stored;
    asm volatile("sttilecfg %0" : "=m"(stored));
    // Linux hands the configuration of a thread, without its tiles, to one that it makes.
    if ((CpuIsa() & kAmx) == 0) {
      EXPECT_EQ(stored.palette, 0);
    }
    Configure(ConfigurationOf({{1, 4}}));
    Release();
  }).join();
  std::uint64_t got = 0;
  Store<0>(&got, 8);
  EXPECT_EQ(got, mine);
}

std::uint32_t PairOf(float even, float odd) {
  return BFloat16::FromFloat(even).bits | std::uint32_t{BFloat16::FromFloat(odd).bits} << 16;
}

// A of 2 x 2 pairs, B of 2 x 3, C of 2 x 3; registers 7, 3 and 1.
TEST_F(AmxTrapsTest, ProductOfPairs) {
  Configure(ConfigurationOf({{}, {2, 12}, {}, {2, 8}, {}, {}, {}, {2, 12}}));
  const std::uint32_t a[2][2] = {{PairOf(1, 2), PairOf(3, 4)}, {PairOf(-1, 0.5F), PairOf(0, 8)}};
  const std::uint32_t b[2][3] = {{PairOf(1, 0), PairOf(0, 1), PairOf(2, 3)},
                                 {PairOf(1, 0), PairOf(10, 100), PairOf(0, 1)}};
  float c[2][3] = {{0, 1000, 0.5F}, {0, 0, 0}};
  Load<7>(c, 12);
  Load<3>(a, 8);
  Load<1>(b, 12);
  asm volatile("tdpbf16ps %tmm1, %tmm3, %tmm7");
  Store<7>(c, 12);
  const float want[2][3] = {{4, 1432, 12.5F}, {-1, 800.5F, 7.5F}};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(c[i / 3][i % 3], want[i / 3][i % 3]) << i;
  }
}

// One row, one column.
float Dot(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b, float c) {
  const auto steps = static_cast<std::uint8_t>(a.size());
  Configure(ConfigurationOf({{1, 4}, {1, static_cast<std::uint16_t>(4 * steps)}, {steps, 4}}));
  Load<0>(&c, 4);
  Load<1>(a.data(), 64);
  Load<2>(b.data(), 4);
  asm volatile("tdpbf16ps %tmm2, %tmm1, %tmm0");
  Store<0>(&c, 4);
  return c;
}

TEST_F(AmxTrapsTest, EvenAndOddElementsAreSummedApart) {
  EXPECT_EQ(Dot({PairOf(0x1p24F, 1), PairOf(1, -0x1p24F)}, {PairOf(1, 1), PairOf(1, 1)}, 0), 1);
}

TEST_F(AmxTrapsTest, ProductsAreFusedAndFlushed) {
  const float below = 1 - 0x1p-8F;
  EXPECT_EQ(Dot({PairOf(below, 0), PairOf(-1, 0)}, {PairOf(below, 0), PairOf(1, 0)}, 0),
            -0x1p-7F + 0x1p-16F);
  EXPECT_EQ(Dot({PairOf(0x1p-130F, 0)}, {PairOf(0x1p100F, 0)}, 0), 0) << "an operand";
  EXPECT_EQ(Dot({PairOf(0x1p-64F, 0)}, {PairOf(0x1p-63F, 0)}, 0), 0) << "a result";
  EXPECT_EQ(Dot({PairOf(0, 0)}, {PairOf(0, 0)}, 0x1p-127F), 0) << "the sum that is added to";
  EXPECT_EQ(Dot({PairOf(0x1p-64F, 0)}, {PairOf(0x1p-62F, 0)}, 0), 0x1p-126F) << "the least kept";
  // 2^-126 - 2^-150 has 24 bits: it needs no rounding and is below 2^-126.
  EXPECT_EQ(Dot({PairOf(0x1p-63F, 0), PairOf(-0x1p-75F, 0)},
                {PairOf(0x1p-63F, 0), PairOf(0x1p-75F, 0)}, 0),
            0);
  // 2^-126 - 2^-151 has 25 bits, and is rounded to 2^-126.
  EXPECT_EQ(Dot({PairOf(0x1p-63F, 0), PairOf(-0x1p-75F, 0)},
                {PairOf(0x1p-63F, 0), PairOf(0x1p-76F, 0)}, 0),
            0x1p-126F);
}

TEST_F(AmxTrapsTest, FourProductsOfBytes) {
  const std::uint8_t a[4] = {200, 1, 255, 127};
  const std::uint8_t b[4] = {255, 2, 128, 129};
  const auto product = [&](auto multiply) {
    std::uint32_t c = 0x80000000U;
    Configure(ConfigurationOf({{1, 4}, {1, 4}, {1, 4}}));
    Load<0>(&c, 4);
    Load<1>(a, 4);
    Load<2>(b, 4);
    multiply();
    Store<0>(&c, 4);
    return static_cast<std::int32_t>(c ^ 0x80000000U);
  };
  EXPECT_EQ(product([] { asm volatile("tdpbuud %tmm2, %tmm1, %tmm0"); }),
            200 * 255 + 2 + 255 * 128 + 127 * 129);
  EXPECT_EQ(product([] { asm volatile("tdpbusd %tmm2, %tmm1, %tmm0"); }),
            -200 + 2 - 255 * 128 - 127 * 127);
  EXPECT_EQ(product([] { asm volatile("tdpbsud %tmm2, %tmm1, %tmm0"); }),
            -56 * 255 + 2 - 128 + 127 * 129);
  EXPECT_EQ(product([] { asm volatile("tdpbssd %tmm2, %tmm1, %tmm0"); }), 56 + 2 + 128 - 127 * 127);
}

// Hardware ends the process: software alone says why.
class AmxRefusalTest : public AmxTrapsTest {
 protected:
  void SetUp() override {
    AmxTrapsTest::SetUp();
    if ((CpuIsa() & kAmx) != 0) {
      GTEST_SKIP() << "this CPU has AMX: nothing is trapped";
    }
  }
};

TEST_F(AmxRefusalTest, TilesThatAreNotConfigured) {
  EXPECT_NONFATAL_FAILURE(asm volatile("tilezero %tmm0"), "registers are not configured");
  Configure(ConfigurationOf({{1, 4}}));
  EXPECT_NONFATAL_FAILURE(asm volatile("tilezero %tmm1"), "register is not configured");
  EXPECT_NONFATAL_FAILURE(Load<2>(&kGlobal, 8), "register is not configured");
}

TEST_F(AmxRefusalTest, ConfigurationsThatThereAreNot) {
  const auto expect_refused = [](const Configuration& configuration, const char* reason) {
    EXPECT_NONFATAL_FAILURE(Configure(configuration), reason);
  };
  Configuration palette;
  palette.palette = 2;
  expect_refused(palette, "palette");
  Configuration reserved = ConfigurationOf({{1, 4}});
  reserved.reserved[13] = 1;
  expect_refused(reserved, "reserved");
  expect_refused(ConfigurationOf(std::vector<TileShape>(9, {1, 4})), "more than 8 tiles");
  expect_refused(ConfigurationOf({{17, 4}}), "more than 16 rows");
  expect_refused(ConfigurationOf({{16, 65}}), "more than 16 rows");
  expect_refused(ConfigurationOf({{16, 0}}), "rows of no bytes");
  EXPECT_FALSE(HasTrappedTiles());
}

TEST_F(AmxRefusalTest, ProductsThatDoNotFit) {
  const auto multiply = [] { asm volatile("tdpbf16ps %tmm2, %tmm1, %tmm0"); };
  for (const auto& tiles : std::vector<std::vector<TileShape>>{
           {{1, 4}, {2, 4}, {1, 4}}, {{1, 4}, {1, 8}, {1, 4}}, {{1, 8}, {1, 4}, {1, 4}}}) {
    Configure(ConfigurationOf(tiles));
    EXPECT_NONFATAL_FAILURE(multiply(), "shapes do not fit");
  }
  Configure(ConfigurationOf({{1, 6}, {1, 4}, {1, 6}}));
  EXPECT_NONFATAL_FAILURE(multiply(), "a part of 4 bytes");
  EXPECT_NONFATAL_FAILURE(asm volatile(".byte 0xc4, 0xe2, 0x72, 0x5c, 0xc1"), "not three");
}

TEST_F(AmxRefusalTest, OtherInstructionsAreLeftAlone) {
  const std::vector<std::vector<std::uint8_t>> others = {
      {0x0f, 0x0b, 0, 0, 0, 0},              // ud2
      {0xc4, 0xe2, 0x7d, 0x5c, 0xc1, 0},     // 256 bits
      {0xc4, 0xe2, 0xfa, 0x5c, 0xc1, 0},     // W
      {0xc4, 0xe3, 0x7a, 0x5c, 0xc1, 0},     // another map
      {0xc4, 0xe2, 0x78, 0x5c, 0xc1, 0},     // no product has this prefix
      {0xc4, 0xe2, 0x7b, 0x4b, 0x00, 0},     // a tile without SIB
      {0xc4, 0xe2, 0x73, 0x4b, 0x04, 0x08},  // VEX.vvvv in use
  };
  for (const std::vector<std::uint8_t>& code : others) {
    ucontext_t context = {};
    ContinueAt(context, code.data());
    EXPECT_FALSE(EmulateAmx(context)) << int{code[2]} << " " << int{code[3]};
    EXPECT_EQ(InstructionOf(context), code.data());
  }
}

}  // namespace
}  // namespace halftone::testing
#endif
