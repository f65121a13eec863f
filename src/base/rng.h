// Seeded pseudo-random numbers that are the same on every platform and in every release.
//
// Distributions of the standard library differ between platforms, so the few that are needed are
// implemented here. The generator is SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014). It passes BigCrush, any seed is good, and it is not for
// cryptography. Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace halftone {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  // Uniform in [0, 1), 53 bits.
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

  // Uniform in [low, high).
  double Uniform(double low, double high) { return low + (high - low) * Uniform(); }

  // Uniform in {0, ..., count - 1}, exactly, by rejection. Requires count > 0.
  std::size_t Below(std::size_t count) {
    const std::uint64_t limit = UINT64_MAX - UINT64_MAX % count;
    std::uint64_t value = Next();
    while (value >= limit) {
      value = Next();
    }
    return static_cast<std::size_t>(value % count);
  }

  // Standard normal, by Box-Muller. The second number of each pair is dropped.
  double Normal();

  template <typename T>
  void Shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[Below(i)]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace halftone
