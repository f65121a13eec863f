// Number formats of operands and results in plans. A format is a set of values and the element type
// of the tensors that hold them.
//
// Every dtype is a format. Other formats hold fewer values than their dtype: a value is rounded to
// the format after the node that makes it and before each node that reads it in the format. Kernels
// compute in the dtype, or on the integers of a scaled format. To add a format, write a file in
// src/ir/formats/ with its row, and add that to kOtherFormats; targets list the formats that they
// search (TargetSpec::formats).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/dtype.h"
#include "src/ir/format_row.h"
#include "src/ir/formats/dint8.h"
#include "src/ir/formats/float32_m10.h"
#include "src/ir/formats/qint16.h"
#include "src/ir/formats/qint8.h"

namespace halftone {

// Limits of the floating dtypes (IEEE 754-2019, table 3.5; bfloat16:
// Intel BFLOAT16 hardware numerics definition, 2018).
inline constexpr FormatRow kFloatingDTypes[] = {
    {"float32", DType::kFloat32, 23, 0x1p-126, 0x1.fffffep127},
    {"float16", DType::kFloat16, 10, 0x1p-14, 65504},
    {"bfloat16", DType::kBFloat16, 7, 0x1p-126, 0x1.fep127},
    {"double", DType::kFloat64, 52, 0x1p-1022, 0x1.fffffffffffffp1023},
};

inline constexpr std::array kOtherFormats = {kFloat32M10, kQInt8, kDynamicInt8, kQInt16};

// The table of all formats: one of each dtype, by enumerator, then the others.
inline constexpr std::size_t kFormatCount = std::size(kDTypes) + kOtherFormats.size();

inline constexpr std::array<FormatRow, kFormatCount> kNumberFormats = [] {
  std::array<FormatRow, kFormatCount> rows{};
  for (std::size_t i = 0; i < std::size(kDTypes); ++i) {
    rows[i] = {.name = kDTypes[i].name, .dtype = kDTypes[i].dtype};
    for (const FormatRow& floating : kFloatingDTypes) {
      if (floating.dtype == rows[i].dtype) {
        rows[i] = floating;
      }
    }
  }
  for (std::size_t i = 0; i < kOtherFormats.size(); ++i) {
    rows[std::size(kDTypes) + i] = kOtherFormats.data()[i];
  }
  return rows;
}();

// A row of the table. A regular value.
class NumericFormat {
 public:
  // float32
  constexpr NumericFormat() = default;

  // The format with all values of the dtype.
  constexpr NumericFormat(DType dtype)  // NOLINT(google-explicit-constructor): each is one
      : index_(static_cast<std::uint8_t>(dtype)) {}

  // Empty: there is none of this name.
  static constexpr std::optional<NumericFormat> Named(std::string_view name) {
    for (std::size_t i = 0; i < kFormatCount; ++i) {
      if (kNumberFormats[i].name == name) {
        NumericFormat format;
        format.index_ = static_cast<std::uint8_t>(i);
        return format;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] constexpr const FormatRow& row() const { return kNumberFormats[index_]; }

  [[nodiscard]] constexpr DType dtype() const { return row().dtype; }

  // True if it has all values of its dtype.
  [[nodiscard]] constexpr bool is_dtype() const { return *this == NumericFormat(dtype()); }

  // True if its values depend on the scale of the tensor, which stores integers.
  [[nodiscard]] constexpr bool is_scaled() const { return row().scale == ScaleSource::kTensor; }

  // True if kernels compute on its integers: 8 bits.
  [[nodiscard]] constexpr bool has_integer_kernels() const {
    return is_scaled() && row().stored == DType::kUInt8;
  }

  // True if its values depend on a scale, of the tensor or of a row.
  [[nodiscard]] constexpr bool has_scale() const { return row().scale != ScaleSource::kNone; }

  // True if kernels round their operands to it by scales of the run; no tensor is stored in it.
  [[nodiscard]] constexpr bool is_dynamic() const { return row().scale == ScaleSource::kRow; }

  friend constexpr bool operator==(NumericFormat, NumericFormat) = default;

  // Order by index, for maps.
  friend constexpr auto operator<=>(NumericFormat, NumericFormat) = default;

 private:
  std::uint8_t index_ = 0;
};

constexpr std::string_view NameOf(NumericFormat format) {
  return format.row().name;
}

inline std::vector<NumericFormat> FormatsOf(std::span<const DType> dtypes) {
  return {dtypes.begin(), dtypes.end()};
}

inline std::vector<DType> DTypesOf(std::span<const NumericFormat> formats) {
  std::vector<DType> dtypes;
  for (const NumericFormat format : formats) {
    dtypes.push_back(format.dtype());
  }
  return dtypes;
}

// The name in tables and messages.
constexpr std::string_view ShownNameOf(NumericFormat format) {
  return format.row().shown.empty() ? NameOf(format) : format.row().shown;
}

// The name in lists of operands: f16, bf16; a format that is no dtype has no shorter name.
constexpr std::string_view ShortNameOf(NumericFormat format) {
  return format.is_dtype() ? ShortNameOf(format.dtype()) : ShownNameOf(format);
}

// `text`, such as "qint8 to float32", with the format name at its begin as tables show it.
inline std::string ShownFormat(std::string_view text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const auto format = NumericFormat::Named(text.substr(0, end));
  return format ? std::string(ShownNameOf(*format)).append(text.substr(end)) : std::string(text);
}

// Below float32: a format that may lose accuracy against it.
constexpr bool IsReduced(NumericFormat format) {
  return IsTunable(format.dtype()) && format != DType::kFloat32;
}

// True if every value of `format` is one of `holder`.
constexpr bool Holds(NumericFormat holder, NumericFormat format) {
  return holder == format ||
         (holder.is_dtype() && (holder.dtype() == format.dtype() || holder == DType::kFloat64 ||
                                (holder == DType::kFloat32 && format != DType::kFloat64)));
}

// True if values of `from` have more bits than `to` holds; for floating formats. Values of a scaled
// format have as many bits as its dtype, being products of an integer and a scale. Nothing is lost
// to a dynamic format: its reader rounds, and no conversion does.
constexpr bool LosesBits(NumericFormat from, NumericFormat to) {
  if (to.is_dynamic()) {
    return false;
  }
  if (to.is_scaled()) {
    return from != to;
  }
  const NumericFormat made = from.is_scaled() ? NumericFormat(from.dtype()) : from;
  return made.row().mantissa_bits > to.row().mantissa_bits;
}

}  // namespace halftone
