// A tensor in 8 bits, or a weight, as text: figures, and pictures of characters.
#pragma once

#include <cstddef>
#include <string>

#include "src/quantization/calibration_record.h"

namespace halftone {

// Lines with what is known of a tensor, its histogram in 32 rows with logarithmic bars, and the
// constant weights that it is multiplied with.
std::string TensorText(const CalibrationRecord& record, const TensorRecord& tensor,
                       std::size_t columns);

// The same for a weight, with a row for each place of its picture.
std::string WeightText(const WeightRecord& weight, std::size_t columns);

// Rows "from,to,values,clipped" of a histogram, where "clipped" is yes, no or partly. Without a
// histogram, the header alone.
std::string TensorCsv(const CalibrationRecord& record, const TensorRecord& tensor);
// Rows "first_channel,last_channel,lowest,highest,scale", one for each place of the picture.
std::string WeightCsv(const WeightRecord& weight);

}  // namespace halftone
