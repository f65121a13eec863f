#include "bench/peak/bandwidth.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <iterator>
#include <map>

#include "kernels/cpu_isa.h"
#include "kernels/streamed_store.h"
#include "src/ir/tensor.h"

namespace halftone {
namespace {

constexpr double kShortestRun = 1e-3;  // seconds
constexpr int kRuns = 5;

// Bytes a second of `pass`, which moves `bytes`: the best of some runs of about a millisecond.
template <typename Pass>
double Rate(double bytes, const Pass& pass) {
  double best = 0;
  std::int64_t passes = 1;
  pass();
  for (int run = 0; run < kRuns;) {
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < passes; ++i) {
      pass();
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (elapsed.count() < kShortestRun) {
      passes *= 2;
      continue;
    }
    best = std::max(best, static_cast<double>(passes) * bytes / elapsed.count());
    ++run;
  }
  return best;
}

// Loads and nothing else, eight under way; `count` bytes, a multiple of 512.
#if defined(__x86_64__)
[[gnu::target("avx512f")]] void Read512(const std::byte* data, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 512) {
    asm volatile(
        "vmovdqu64 (%0), %%zmm0\n vmovdqu64 64(%0), %%zmm1\n"
        "vmovdqu64 128(%0), %%zmm2\n vmovdqu64 192(%0), %%zmm3\n"
        "vmovdqu64 256(%0), %%zmm4\n vmovdqu64 320(%0), %%zmm5\n"
        "vmovdqu64 384(%0), %%zmm6\n vmovdqu64 448(%0), %%zmm7\n"
        :
        : "r"(data + i)
        : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "memory");
  }
}
#endif

void Read(const std::byte* data, std::size_t count) {
#if defined(__x86_64__)
  if ((DetectIsa() & kIsaAvx512) != 0) {
    return Read512(data, count);
  }
#endif
  std::uint64_t sums[8] = {};
  for (std::size_t i = 0; i < count; i += sizeof sums) {
    for (std::size_t k = 0; k < std::size(sums); ++k) {
      std::uint64_t word = 0;
      std::memcpy(&word, data + i + k * sizeof word, sizeof word);
      sums[k] ^= word;
    }
  }
  benchmark::DoNotOptimize(sums);
}

// Eight vectors loaded, then stored; `count` bytes, a multiple of 512.
#if defined(__x86_64__)
#define HALFTONE_COPY_512(store)                                                                \
  for (std::size_t i = 0; i < count; i += 512) {                                                \
    asm volatile(                                                                               \
        "vmovdqu64 (%0), %%zmm0\n vmovdqu64 64(%0), %%zmm1\n"                                   \
        "vmovdqu64 128(%0), %%zmm2\n vmovdqu64 192(%0), %%zmm3\n"                               \
        "vmovdqu64 256(%0), %%zmm4\n vmovdqu64 320(%0), %%zmm5\n"                               \
        "vmovdqu64 384(%0), %%zmm6\n vmovdqu64 448(%0), %%zmm7\n" store " %%zmm0, (%1)\n" store \
        " %%zmm1, 64(%1)\n" store " %%zmm2, 128(%1)\n" store " %%zmm3, 192(%1)\n" store         \
        " %%zmm4, 256(%1)\n" store " %%zmm5, 320(%1)\n" store " %%zmm6, 384(%1)\n" store        \
        " %%zmm7, 448(%1)\n"                                                                    \
        :                                                                                       \
        : "r"(from + i), "r"(to + i)                                                            \
        : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "memory");            \
  }

[[gnu::target("avx512f")]] void Copy512(const std::byte* from, std::byte* to, std::size_t count) {
  HALFTONE_COPY_512("vmovdqu64")
}

[[gnu::target("avx512f")]] void CopyStreamed512(const std::byte* from, std::byte* to,
                                                std::size_t count) {
  HALFTONE_COPY_512("vmovntdq")
  asm volatile("sfence" ::: "memory");
}

#undef HALFTONE_COPY_512
#endif

void Copy(const std::byte* from, std::byte* to, std::size_t count) {
#if defined(__x86_64__)
  if ((DetectIsa() & kIsaAvx512) != 0) {
    return Copy512(from, to, count);
  }
#endif
  std::memcpy(to, from, count);
  benchmark::ClobberMemory();
}

// Streamed copy as in the kernels without AVX-512.
void CopyStreamed(const std::byte* from, std::byte* to, std::size_t count) {
#if defined(__x86_64__)
  if ((DetectIsa() & kIsaAvx512) != 0) {
    return CopyStreamed512(from, to, count);
  }
#endif
  StoreStreamed(from, to, static_cast<std::int64_t>(count));
  FinishStreamed();
}

}  // namespace

Bandwidth MeasureBandwidth(std::int64_t bytes) {
  constexpr std::int64_t kUnit = 512;  // bytes of eight vectors
  const std::int64_t size = std::max<std::int64_t>(bytes / (2 * kUnit), 1) * 2 * kUnit;
  Tensor set(DType::kUInt8, Shape{size});
  std::memset(set.mutable_data(), 1, static_cast<std::size_t>(size));
  std::byte* data = set.mutable_data();
  const auto half = static_cast<std::size_t>(size / 2);
  Bandwidth bandwidth;
  bandwidth.read =
      Rate(static_cast<double>(size), [&] { Read(data, static_cast<std::size_t>(size)); });
  bandwidth.copy = Rate(static_cast<double>(size), [&] { Copy(data, data + half, half); });
  bandwidth.copy_streamed =
      Rate(static_cast<double>(size), [&] { CopyStreamed(data, data + half, half); });
  return bandwidth;
}

Bandwidth BandwidthOf(std::int64_t bytes) {
  static std::map<std::uint64_t, Bandwidth> known;
  const std::uint64_t size =
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 4096)));
  const auto [entry, is_new] = known.try_emplace(size);
  if (is_new) {
    entry->second = MeasureBandwidth(static_cast<std::int64_t>(size));
  }
  return entry->second;
}

}  // namespace halftone
