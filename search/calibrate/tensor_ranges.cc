#include "search/calibrate/tensor_ranges.h"

#include <algorithm>

namespace halftone {
namespace {

// A tensor whose ranges are to be found, and where they go.
struct OpenRanges {
  const TensorStatistics* statistics;
  std::vector<ValueRange>* ranges;
};

void FindRanges(std::span<const OpenRanges> open, std::span<const CalibrationChoice> methods) {
  for (const OpenRanges& of_value : open) {
    for (const CalibrationChoice& method : methods) {
      of_value.ranges->push_back(method.Range(*of_value.statistics));
    }
  }
}

}  // namespace

std::optional<RangesOfTensors> RangesBy(const std::map<ValueId, TensorStatistics>& statistics,
                                        std::span<const CalibrationChoice> methods,
                                        const ThreadPool& pool,
                                        const std::function<bool()>& goes_on) {
  constexpr std::int64_t kEach = 4;  // values of a thread between two questions
  RangesOfTensors ranges;
  std::vector<OpenRanges> open;
  open.reserve(statistics.size());
  for (const auto& [value, of_value] : statistics) {
    open.push_back({&of_value, &ranges[value]});
  }
  const std::int64_t at_once = kEach * pool.threads();
  for (std::int64_t first = 0; first < std::ssize(open); first += at_once) {
    if (!goes_on()) {
      return std::nullopt;
    }
    const auto find = [&](std::int64_t begin, std::int64_t end) {
      FindRanges(std::span(open).subspan(static_cast<std::size_t>(first + begin),
                                         static_cast<std::size_t>(end - begin)),
                 methods);
    };
    pool.Run([&] { ParallelFor(std::min(at_once, std::ssize(open) - first), 1, find); });
  }
  return ranges;
}

}  // namespace halftone
