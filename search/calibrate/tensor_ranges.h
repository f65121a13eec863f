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

// Ranges by value, one range for each method.
using RangesOfTensors = std::map<ValueId, std::vector<ValueRange>>;

// Ranges of all values by all methods. They do not depend on the number of threads. A method may
// try hundreds of ranges of a value (kl2 takes 30 ms), so `goes_on` is called after every few
// values. Empty if `goes_on` returned false.
std::optional<RangesOfTensors> RangesBy(const std::map<ValueId, TensorStatistics>& statistics,
                                        std::span<const CalibrationChoice> methods,
                                        const ThreadPool& pool,
                                        const std::function<bool()>& goes_on);

}  // namespace halftone
