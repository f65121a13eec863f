// JSON of a quantisation, as stored candidates contain it.
#pragma once

#include <nlohmann/json.hpp>

#include "src/quantization/quantization.h"

namespace halftone {

nlohmann::json QuantizationToJson(const SharedQuantization& quantization);

// The inverse of QuantizationToJson(), bit for bit. Error kDatabase: an unknown key, or a name in
// hexadecimal digits that are invalid. Other JSON throws nlohmann::json::exception.
SharedQuantization QuantizationFromJson(const nlohmann::json& value);

}  // namespace halftone
