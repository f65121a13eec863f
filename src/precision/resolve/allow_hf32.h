// --allow_hf32: whether float32 matrix operators may compute in HF32, on the targets that have it.
#pragma once

#include <optional>
#include <string_view>

#include "src/ir/impl_mode.h"

namespace halftone {

struct AllowHf32 {
  bool convolutions = true;
  bool matrix_products = false;

  // The table of implementation modes that the option stands for (builtin_impl_modes.h), which
  // lists convolutions and matrix products.
  [[nodiscard]] std::string_view file() const;
};

// "true", "false", "0", "1", or two digits, convolutions first. Empty text: not given. Error kUsage
// E10005 for another value.
std::optional<AllowHf32> ParseAllowHf32(std::string_view text);

}  // namespace halftone
