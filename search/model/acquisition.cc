#include "search/model/acquisition.h"

#include <algorithm>
#include <utility>

#include "search/trial/front_quality.h"

namespace halftone {

// When a plan joins the front, the gains of all other plans can only fall (the area is submodular).
// So gains that were calculated before are upper bounds, and most need no new calculation.
double PickForTheFront(std::vector<Objectives> front, std::span<const Prospect> prospects,
                       std::size_t wanted, const std::function<bool(const Prospect&)>& take) {
  double quality = FrontQuality(front);
  const auto with = [&](const Prospect& prospect) {
    front.push_back(prospect.hoped);
    const double area = FrontQuality(front);
    front.pop_back();
    return area;
  };
  std::vector<std::pair<double, std::size_t>> gains;  // with ~index, so that ties take the first
  for (std::size_t i = 0; i < prospects.size(); ++i) {
    if (const double area = with(prospects[i]); area > quality) {
      gains.emplace_back(area - quality, ~i);
    }
  }
  std::ranges::make_heap(gains);
  for (std::size_t taken = 0; taken < wanted && !gains.empty();) {
    std::ranges::pop_heap(gains);
    const std::size_t index = ~gains.back().second;
    gains.pop_back();
    const Prospect& prospect = prospects[index];
    const double area = with(prospect);
    if (area <= quality) {
      continue;
    }
    const std::pair gain(area - quality, ~index);
    if (!gains.empty() && gain < gains.front()) {
      gains.push_back(gain);
      std::ranges::push_heap(gains);
    } else if (take(prospect)) {
      front.push_back(prospect.hoped);
      quality = area;
      ++taken;
    }
  }
  return quality;
}

}  // namespace halftone
