#include "search/calibrate/tensor_ranges.h"

#include <algorithm>
#include <utility>

namespace halftone {

std::optional<RangesOfTensors> RangesBy(const std::map<ValueId, TensorStatistics>& statistics,
                                        std::span<const CalibrationChoice> methods,
                                        const ThreadPool& pool,
                                        const std::function<bool()>& goes_on) {
  constexpr std::int64_t kEach = 4;  // values of a thread between two questions
  RangesOfTensors ranges;
  std::vector<std::pair<const TensorStatistics*, std::vector<ValueRange>*>> open;
  for (const auto& [value, of_value] : statistics) {
    open.emplace_back(&of_value, &ranges[value]);
  }
  const std::int64_t at_once = kEach * pool.threads();
  for (std::int64_t first = 0; first < std::ssize(open); first += at_once) {
    if (!goes_on()) {
      return std::nullopt;
    }
    const auto find = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = first + begin; i < first + end; ++i) {
        const auto& [of_value, found] = open[static_cast<std::size_t>(i)];
        for (const CalibrationChoice& method : methods) {
          found->push_back(method.Range(*of_value));
        }
      }
    };
    pool.Run([&] { ParallelFor(std::min(at_once, std::ssize(open) - first), 1, find); });
  }
  return ranges;
}

}  // namespace halftone
