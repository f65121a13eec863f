// Options of quantisation: whether 8-bit operators are searched, and how their tensors are
// calibrated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/enum_table.h"

namespace halftone {

enum class QuantizeMode : std::uint8_t { kOff, kOn };

inline constexpr EnumRow<QuantizeMode> kQuantizeModes[] = {
    {QuantizeMode::kOff, "off", "no operator computes in 8 bits"},
    {QuantizeMode::kOn, "on", "the search may compute operators in 8 bits"},
};

constexpr std::string_view NameOf(QuantizeMode mode) {
  return NameIn(kQuantizeModes, mode);
}

struct QuantizeOptions {
  QuantizeMode mode = QuantizeMode::kOff;
};

}  // namespace halftone
