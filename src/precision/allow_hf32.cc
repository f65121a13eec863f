// Source of values and types: ATC Instructions, --allow_hf32, and the four files
// allow_hf32_matmul_*_conv_*.ini of the built-in implementation modes.
#include "src/precision/allow_hf32.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr std::string_view kConvolutions[] = {
    "Conv2D",
    "Conv2DBackpropFilter",
    "Conv2DBackpropFilterD",
    "Conv2DBackpropInput",
    "Conv2DBackpropInputD",
    "Conv2DTranspose",
    "Conv2DTransposeD",
    "Conv3D",
    "Conv3DBackpropFilter",
    "Conv3DBackpropFilterD",
    "Conv3DBackpropInput",
    "Conv3DBackpropInputD",
    "Conv3DTranspose",
    "Conv3DTransposeD",
    "Deconvolution",
    "DepthwiseConv2D",
    "DepthwiseConv2DBackpropFilter",
    "DepthwiseConv2DBackpropInput",
};

constexpr std::string_view kMatrixProducts[] = {"MatMul",        "MatMulV2",        "BatchMatMul",
                                                "BatchMatMulV2", "FullyConnection", "GEMM"};

struct ValueRow {
  std::string_view text;
  AllowHf32 value;
};

constexpr ValueRow kValues[] = {
    {"true", {true, true}}, {"false", {false, false}}, {"1", {true, true}},   {"0", {false, false}},
    {"00", {false, false}}, {"01", {false, true}},     {"10", {true, false}}, {"11", {true, true}},
};

template <std::size_t kCount>
bool Has(const std::string_view (&types)[kCount], std::string_view type) {
  return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

}  // namespace

std::optional<ImplMode> AllowHf32::ModeOf(std::string_view ir_type) const {
  const bool convolution = Has(kConvolutions, ir_type);
  if (!convolution && !Has(kMatrixProducts, ir_type)) {
    return std::nullopt;
  }
  return (convolution ? convolutions : matrix_products) ? ImplMode::kEnableHiFloat32Execution
                                                        : ImplMode::kEnableFloat32Execution;
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
