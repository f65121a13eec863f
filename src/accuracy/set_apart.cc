#include "src/accuracy/set_apart.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

#include "src/base/lanes.h"
#include "src/ir/numeric_format.h"

namespace halftone {
namespace {

constexpr int kBias = 1023;  // of the exponent of a double
constexpr std::size_t kBinades = 2048;

struct Binade {
  std::int64_t elements = 0;
  std::int64_t largest_of_dtypes = 0;
};

// Binade of a finite magnitude; subnormal doubles share the lowest one.
std::size_t BinadeOf(double magnitude) {
  return static_cast<std::size_t>(std::bit_cast<std::uint64_t>(magnitude) >> 52U);
}

using Binades = std::vector<Binade>;

std::size_t NextBelow(const Binades& binades, std::size_t binade) {
  while (binade > 0 && binades[binade - 1].elements == 0) {
    --binade;
  }
  return binade;  // one above the next occupied one; 0: there is none
}

// Cluster at the top of what lies at or below `top`, which is occupied.
struct Cluster {
  std::size_t lowest = 0;
  std::size_t below = 0;  // one above the next occupied binade; 0: there is none
  Binade all;

  [[nodiscard]] int empty() const { return static_cast<int>(lowest - below); }
};

Cluster TopCluster(const Binades& binades, std::size_t top) {
  Cluster cluster{.lowest = top, .below = NextBelow(binades, top), .all = binades[top]};
  while (cluster.below > 0 && cluster.empty() < kFewestEmpty) {
    cluster.lowest = cluster.below - 1;
    cluster.below = NextBelow(binades, cluster.lowest);
    cluster.all.elements += binades[cluster.lowest].elements;
    cluster.all.largest_of_dtypes += binades[cluster.lowest].largest_of_dtypes;
  }
  return cluster;
}

bool IsApart(const Cluster& cluster, std::size_t top) {
  const std::int64_t sure =
      std::min<std::int64_t>(cluster.all.elements, kSureBits) * cluster.empty();
  return cluster.below > 0 && top - cluster.lowest < kWidestCluster &&
         cluster.lowest >= std::size_t{kBias + kLeastBinade} &&
         (sure >= kSureBits || cluster.all.largest_of_dtypes == cluster.all.elements);
}

}  // namespace

float LargestFinite(std::span<const float> values) {
  std::array<float, kLanes> largest{};
  ForEachInLanes(values.size(), [&](std::size_t lane, std::size_t i) {
    const float magnitude = std::fabs(values[i]);
    const float finite = magnitude < std::numeric_limits<float>::infinity() ? magnitude : 0.0F;
    largest[lane] = finite > largest[lane] ? finite : largest[lane];
  });
  return *std::ranges::max_element(largest);
}

bool IsLargestOfADtype(double value) {
  return std::ranges::find(kFloatingDTypes, std::fabs(value), &FormatRow::largest) !=
         std::end(kFloatingDTypes);
}

SetApart SetApartIn(const Tensor& reference) {
  SetApart apart;
  if (reference.dtype() == DType::kFloat32) {
    const float largest = LargestFinite(reference.values<float>());
    apart.largest = static_cast<double>(largest);
    if (largest < std::ldexp(1.0F, kLeastBinade)) {
      return apart;
    }
  }
  Binades binades(kBinades);
  for (std::int64_t i = 0; i < reference.ElementCount(); ++i) {
    const double magnitude = std::fabs(DoubleAt(reference.dtype(), reference.data(), i));
    if (!std::isfinite(magnitude)) {
      continue;
    }
    apart.largest = std::max(apart.largest, magnitude);
    if (magnitude > 0) {
      Binade& binade = binades[BinadeOf(magnitude)];
      ++binade.elements;
      binade.largest_of_dtypes += IsLargestOfADtype(magnitude) ? 1 : 0;
    }
  }
  std::size_t top = NextBelow(binades, kBinades);
  while (top > 0) {
    const Cluster cluster = TopCluster(binades, top - 1);
    if (!IsApart(cluster, top - 1)) {
      break;
    }
    apart.from = std::ldexp(1.0, static_cast<int>(cluster.lowest) - kBias);
    top = cluster.below;
  }
  return apart;
}

}  // namespace halftone
