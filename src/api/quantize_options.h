// Names of the quantisation modes and of the bias corrections.
#pragma once

#include <string_view>

#include "halftone/quantize.h"
#include "src/base/enum_table.h"

namespace halftone {

inline constexpr EnumRow<QuantizeMode> kQuantizeModes[] = {
    {QuantizeMode::kOff, "off", "no operator computes in 8 bits"},
    {QuantizeMode::kOn, "on", "operators compute in 8 bits, in 16 bits or in float32"},
    {QuantizeMode::kOnly, "only", "operators compute in 8 bits or in float32"},
};

constexpr std::string_view NameOf(QuantizeMode mode) {
  return NameIn(kQuantizeModes, mode);
}

inline constexpr EnumRow<BiasCorrection> kBiasCorrections[] = {
    {BiasCorrection::kNone, "none", "biases stay as they are"},
    {BiasCorrection::kLocal, "local",
     "the mean error of each product on float32 operands goes off by its bias"},
    {BiasCorrection::kSequential, "sequential",
     "and in each plan that is measured, that on what its corrected predecessors make"},
};

constexpr std::string_view NameOf(BiasCorrection correction) {
  return NameIn(kBiasCorrections, correction);
}

}  // namespace halftone
