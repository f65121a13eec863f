#include "kernels/copy/copy_runs.h"

#include <gtest/gtest.h>

#include <vector>

namespace halftone {
namespace {

// Every length around the sizes of moves, apart and side by side; nothing else is written.
TEST(CopyRunsTest, CopiesTheRunsAndNothingElse) {
  constexpr std::int64_t kCount = 5;
  for (std::int64_t bytes = 0; bytes <= 200; ++bytes) {
    for (const std::int64_t source_gap : {0, 3}) {
      for (const std::int64_t target_gap : {0, 7}) {
        const std::int64_t source_stride = bytes + source_gap;
        const std::int64_t target_stride = bytes + target_gap;
        std::vector<std::byte> source(static_cast<std::size_t>(kCount * source_stride + 1));
        for (std::size_t i = 0; i < source.size(); ++i) {
          source[i] = static_cast<std::byte>(i * 37 % 251);
        }
        constexpr std::byte kUntouched{255};
        std::vector<std::byte> target(static_cast<std::size_t>(kCount * target_stride + 1),
                                      kUntouched);
        std::vector<std::byte> want = target;
        for (std::int64_t run = 0; run < kCount; ++run) {
          for (std::int64_t i = 0; i < bytes; ++i) {
            want[static_cast<std::size_t>(run * target_stride + i)] =
                source[static_cast<std::size_t>(run * source_stride + i)];
          }
        }
        CopyRuns({.source = source.data(),
                  .target = target.data(),
                  .source_stride = source_stride,
                  .target_stride = target_stride,
                  .bytes = bytes,
                  .count = kCount});
        EXPECT_EQ(target, want) << bytes << " bytes, gaps " << source_gap << ", " << target_gap;
      }
    }
  }
}

// A distance of 0: one run is repeated.
TEST(CopyRunsTest, RepeatsARun) {
  const std::vector<std::byte> source = {std::byte{1}, std::byte{2}, std::byte{3}};
  std::vector<std::byte> target(6);
  CopyRuns({.source = source.data(),
            .target = target.data(),
            .source_stride = 0,
            .target_stride = 3,
            .bytes = 3,
            .count = 2});
  for (std::size_t i = 0; i < target.size(); ++i) {
    EXPECT_EQ(target[i], source[i % 3]);
  }
}

}  // namespace
}  // namespace halftone
