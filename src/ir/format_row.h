// The row of a number format.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/base/enum_table.h"
#include "src/ir/dtype.h"

namespace halftone {

// Where the scale of a format comes from that is not a set of values by itself.
enum class ScaleSource : std::uint8_t { kNone, kTensor, kRow };

inline constexpr EnumRow<ScaleSource> kScaleSources[] = {
    {ScaleSource::kNone, "none", "the format has no scale"},
    {ScaleSource::kTensor, "tensor", "one of each tensor, from its calibrated range"},
    {ScaleSource::kRow, "row", "one of each row of a matrix, from its values in the run"},
};

struct FormatRow {
  std::string_view name;  // in plans, banks and reports; never changed
  DType dtype;
  // Of floating formats: bits of the significand behind its first, the smallest normal number, the
  // largest finite one. 0: another kind. Of a scaled format: bits of the largest values of a
  // tensor, none, and no limit but that of the dtype.
  int mantissa_bits = 0;
  double smallest_normal = 0;
  double largest = 0;
  // To the nearest value of the format, ties to even; NaN stays NaN. Null: the dtype's own, or it
  // takes a scale.
  float (*round)(float value) = nullptr;
  ScaleSource scale = ScaleSource::kNone;
  std::string_view shown = {};  // in tables and messages; empty: the name
  // Dtype of the stored integers, of a format with a scale of the tensor.
  DType stored = DType::kUInt8;
};

}  // namespace halftone
