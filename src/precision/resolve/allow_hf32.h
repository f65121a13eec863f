// Option --allow_hf32: permission for float32 matrix operators to compute in HF32, on targets that
// have it.
#pragma once

#include <optional>
#include <string_view>

#include "src/ir/impl_mode.h"

namespace halftone {

struct AllowHf32 {
  bool convolutions = true;
  bool matrix_products = false;

  // Name of the table of implementation modes that these values choose (BuiltinFile() in
  // builtin_impl_modes.h). It lists convolutions and matrix products.
  [[nodiscard]] std::string_view file() const;
};

// Parses "true", "false", "0", "1", or two digits, of which the first is for convolutions and the
// second for matrix products. Empty: the text is empty, so the option is not given. Error kUsage
// E10005: another text.
std::optional<AllowHf32> ParseAllowHf32(std::string_view text);

}  // namespace halftone
