// Conversion of measurements to the figures of the public interface.
#pragma once

#include <optional>
#include <vector>

#include "halftone/run.h"
#include "src/accuracy/metrics.h"
#include "src/base/stats.h"

namespace halftone {

std::optional<Bounds95> BoundsOf(const std::optional<Interval>& interval);

std::vector<MetricFigures> FiguresOf(const Accuracy& accuracy);

}  // namespace halftone
