// Source of values: ATC Instructions, --allow_hf32. The types are lines of
// src/precision/impl_modes/allow_hf32_matmul_*_conv_*.ini.
#include "src/precision/resolve/allow_hf32.h"

#include <fmt/format.h>

#include <string>

#include "src/base/error.h"

namespace halftone {
namespace {

struct ValueRow {
  std::string_view text;
  AllowHf32 value;
};

constexpr ValueRow kValues[] = {
    {"true", {true, true}}, {"false", {false, false}}, {"1", {true, true}},   {"0", {false, false}},
    {"00", {false, false}}, {"01", {false, true}},     {"10", {true, false}}, {"11", {true, true}},
};

}  // namespace

std::string_view AllowHf32::file() const {
  constexpr std::string_view kFiles[2][2] = {
      {"allow_hf32_matmul_f_conv_f", "allow_hf32_matmul_f_conv_t"},
      {"allow_hf32_matmul_t_conv_f", "allow_hf32_matmul_t_conv_t"}};
  return kFiles[matrix_products ? 1 : 0][convolutions ? 1 : 0];
}

std::optional<AllowHf32> ParseAllowHf32(std::string_view text) {
  if (text.empty()) {
    return std::nullopt;
  }
  for (const ValueRow& row : kValues) {
    if (row.text == text) {
      return row.value;
    }
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("E10005: --allow_hf32 has the value '{}', which is none of: true, false, "
                          "0, 1, 00, 01, 10, 11 (convolutions, then matrix products)",
                          text));
}

}  // namespace halftone
