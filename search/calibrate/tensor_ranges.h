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

// Ranges of each value, one for each method.
using RangesOfTensors = std::map<ValueId, std::vector<ValueRange>>;

// Ranges of all values; the same for any number of threads. A method may try hundreds of ranges of
// a value (30 ms for kl2), so `goes_on` is called after every few values. Empty: it returned false.
std::optional<RangesOfTensors> RangesBy(const std::map<ValueId, TensorStatistics>& statistics,
                                        std::span<const CalibrationChoice> methods,
                                        const ThreadPool& pool,
                                        const std::function<bool()>& goes_on);

}  // namespace halftone
