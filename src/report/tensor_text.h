// One tensor in 8 bits, or one weight, as text: figures, and pictures of characters.
#pragma once

#include <cstddef>
#include <string>

#include "src/quantization/calibration_record.h"

namespace halftone {

// Lines with what is known of a tensor, its histogram in at most 32 rows with logarithmic bars, and
// the constant weights that it is multiplied with.
std::string TensorText(const CalibrationRecord& record, const TensorRecord& tensor,
                       std::size_t columns);

// The same of a weight, with a row for each place of its picture.
std::string WeightText(const WeightRecord& weight, std::size_t columns);

// Rows "from,to,values,clipped" of a histogram: "clipped" is yes, no or partly. Without a
// histogram the header alone.
std::string TensorCsv(const CalibrationRecord& record, const TensorRecord& tensor);
// Rows "first_channel,last_channel,lowest,highest,scale".
std::string WeightCsv(const WeightRecord& weight);

}  // namespace halftone
