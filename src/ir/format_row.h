// Row type of the table of number formats (src/ir/numeric_format.h).
#pragma once

#include <cstdint>
#include <string_view>

#include "src/base/enum_table.h"
#include "src/ir/dtype.h"

namespace halftone {

// Source of the scale of a number format.
enum class ScaleSource : std::uint8_t { kNone, kTensor, kRow };

inline constexpr EnumRow<ScaleSource> kScaleSources[] = {
    {ScaleSource::kNone, "none", "the format has no scale"},
    {ScaleSource::kTensor, "tensor", "one of each tensor, from its calibrated range"},
    {ScaleSource::kRow, "row", "one of each row of a matrix, from its values in the run"},
};

struct FormatRow {
  std::string_view name;  // in plans, banks and reports; must not change
  DType dtype;            // element type of tensors in this format
  // Three members of floating formats; 0 for integers and bool. Bits of the significand behind the
  // leading bit; for a format with a scale, those of its largest values.
  int mantissa_bits = 0;
  double smallest_normal = 0;  // 0 for a format with a scale
  double largest = 0;          // largest finite value; for a format with a scale that of the dtype
  // Rounds to the nearest value of the format, ties to even; NaN stays NaN. Null: the format is a
  // dtype, or needs a scale.
  float (*round)(float value) = nullptr;
  ScaleSource scale = ScaleSource::kNone;
  std::string_view shown = {};  // name in tables and messages; empty: `name`
  // Dtype of the stored integers, for ScaleSource::kTensor.
  DType stored = DType::kUInt8;
};

}  // namespace halftone
