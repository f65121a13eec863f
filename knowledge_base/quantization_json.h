// JSON of the quantisation in a stored configuration.
#pragma once

#include <nlohmann/json.hpp>

#include "src/quantization/quantization.h"

namespace halftone {

nlohmann::json QuantizationToJson(const SharedQuantization& quantization);

// The inverse, to the bit. Error kDatabase: unknown keys; nlohmann's for other JSON.
SharedQuantization QuantizationFromJson(const nlohmann::json& value);

}  // namespace halftone
