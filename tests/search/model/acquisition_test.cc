#include "search/model/acquisition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "search/trial/front_quality.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

Objectives RandomObjectives(Rng& rng) {
  return {.latency_ratio = 0.5 + 0.6 * rng.Uniform(), .loss = std::pow(10, -6 * rng.Uniform())};
}

// The latency ratios, each prospect's own, name them.
struct Picked {
  std::vector<double> taken;
  double quality = 0;
};

bool IsRefused(const Prospect& prospect) {
  return std::fmod(prospect.hoped.latency_ratio * 1e6, 5) < 1;
}

// All gains anew for every choice.
Picked PlainGreedy(std::vector<Objectives> front, std::vector<Prospect> prospects,
                   std::size_t wanted) {
  Picked picked{.taken = {}, .quality = FrontQuality(front)};
  while (picked.taken.size() < wanted) {
    std::size_t best = prospects.size();
    double best_area = picked.quality;
    for (std::size_t i = 0; i < prospects.size(); ++i) {
      std::vector<Objectives> with = front;
      with.push_back(prospects[i].hoped);
      if (const double area = FrontQuality(with); area > best_area) {
        best = i;
        best_area = area;
      }
    }
    if (best == prospects.size()) {
      break;
    }
    const Objectives hoped = prospects[best].hoped;
    const bool refused = IsRefused(prospects[best]);
    prospects.erase(prospects.begin() + static_cast<std::ptrdiff_t>(best));
    if (!refused) {
      picked.taken.push_back(hoped.latency_ratio);
      front.push_back(hoped);
      picked.quality = best_area;
    }
  }
  return picked;
}

TEST(AcquisitionTest, TakesWhatPlainGreedyTakes) {
  Rng rng(5);
  std::size_t taken = 0;
  std::size_t refused = 0;
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::vector<Objectives> front(rng.Below(6));
    std::ranges::generate(front, [&] { return RandomObjectives(rng); });
    std::vector<Prospect> prospects(rng.Below(60));
    for (Prospect& prospect : prospects) {
      prospect.hoped = RandomObjectives(rng);
    }
    const std::size_t wanted = rng.Below(12);
    Picked picked;
    picked.quality = PickForTheFront(front, prospects, wanted, [&](const Prospect& prospect) {
      if (IsRefused(prospect)) {
        ++refused;
        return false;
      }
      picked.taken.push_back(prospect.hoped.latency_ratio);
      return true;
    });
    const Picked plain = PlainGreedy(front, prospects, wanted);
    EXPECT_EQ(picked.taken, plain.taken);
    EXPECT_EQ(picked.quality, plain.quality);
    taken += picked.taken.size();
  }
  EXPECT_GT(taken, 100U);
  EXPECT_GT(refused, 100U);
}

TEST(AcquisitionTest, TakesTheFirstOfEqualsAndNothingThatAddsNothing) {
  const Objectives slow{.latency_ratio = 1.1, .loss = 1e-6};
  const Objectives fast{.latency_ratio = 0.5, .loss = 1e-3};
  std::vector<Prospect> prospects(3);
  prospects[0].hoped = slow;
  prospects[1].hoped = fast;
  prospects[2].hoped = fast;
  std::vector<const Prospect*> taken;
  const double quality = PickForTheFront({}, prospects, 3, [&](const Prospect& prospect) {
    taken.push_back(&prospect);
    return true;
  });
  EXPECT_EQ(taken, std::vector<const Prospect*>{&prospects[1]});
  EXPECT_EQ(quality, FrontQuality(std::vector<Objectives>{fast}));
}

}  // namespace
}  // namespace halftone
