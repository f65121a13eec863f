// The row of a number format.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/base/enum_table.h"
#include "src/ir/dtype.h"

namespace halftone {

// Source of the scale of a format whose values depend on one.
enum class ScaleSource : std::uint8_t { kNone, kTensor, kRow };

inline constexpr EnumRow<ScaleSource> kScaleSources[] = {
    {ScaleSource::kNone, "none", "the format has no scale"},
    {ScaleSource::kTensor, "tensor", "one of each tensor, from its calibrated range"},
    {ScaleSource::kRow, "row", "one of each row of a matrix, from its values in the run"},
};

struct FormatRow {
  std::string_view name;  // in plans, banks and reports; never changed
  DType dtype;
  // Numbers of a floating format: bits of the significand behind its first, the smallest normal
  // number, the largest finite one; 0 for other kinds. Numbers of a scaled format: bits of the
  // largest values of a tensor, 0, and the limit of the dtype.
  int mantissa_bits = 0;
  double smallest_normal = 0;
  double largest = 0;
  // Rounds to the nearest value of the format, ties to even; NaN stays NaN. Null: rounding to the
  // dtype is enough, or the format needs a scale.
  float (*round)(float value) = nullptr;
  ScaleSource scale = ScaleSource::kNone;
  std::string_view shown = {};  // in tables and messages; empty: the name
  // Dtype of the stored integers of a format with a scale for each tensor.
  DType stored = DType::kUInt8;
};

}  // namespace halftone
