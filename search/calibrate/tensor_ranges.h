// Ranges of the tensors of a network by calibration methods.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "kernels/parallel.h"
#include "src/ir/graph.h"
#include "src/quantization/calibration_method.h"
#include "src/quantization/tensor_statistics.h"

namespace halftone {

// A range of each value for each method.
using RangesOfTensors = std::map<ValueId, std::vector<ValueRange>>;

// Ranges of all values, whatever the number of threads. A method may try hundreds of ranges of a
// value (30 ms for kl2): `goes_on` is asked between a few values. Empty: it said no.
std::optional<RangesOfTensors> RangesBy(const std::map<ValueId, TensorStatistics>& statistics,
                                        std::span<const CalibrationChoice> methods,
                                        const ThreadPool& pool,
                                        const std::function<bool()>& goes_on);

}  // namespace halftone
