// Number formats of operands and results in plans. A format is a set of values, and the element
// type of the tensors that hold them.
//
// Every dtype is a format. Another format has fewer values than its dtype: a result in the format
// is rounded to it, and so is an operand before a node that reads it in the format. Kernels compute
// in the dtype, or on the integers of a scaled format.
//
// To add a format, write a file with its row in src/ir/formats/, and add the row to kOtherFormats.
// Targets list the formats that they search (TargetSpec::formats).
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

// Rows of the floating dtypes. Limits: IEEE 754-2019, table 3.5; for bfloat16, Intel BFLOAT16
// hardware numerics definition, 2018.
inline constexpr FormatRow kFloatingDTypes[] = {
    {"float32", DType::kFloat32, 23, 0x1p-126, 0x1.fffffep127},
    {"float16", DType::kFloat16, 10, 0x1p-14, 65504},
    {"bfloat16", DType::kBFloat16, 7, 0x1p-126, 0x1.fep127},
    {"double", DType::kFloat64, 52, 0x1p-1022, 0x1.fffffffffffffp1023},
};

inline constexpr std::array kOtherFormats = {kFloat32M10, kQInt8, kDynamicInt8, kQInt16};

// Table of all formats: the dtypes in the order of their enumerators, then the others.
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

// A number format: a row of the table. A value.
class NumericFormat {
 public:
  // float32.
  constexpr NumericFormat() = default;

  // The format with all values of the dtype.
  constexpr NumericFormat(DType dtype)  // NOLINT(google-explicit-constructor): a dtype is a format
      : index_(static_cast<std::uint8_t>(dtype)) {}

  // Returns the format with this name; empty: there is none.
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

  // True if the format has all values of its dtype.
  [[nodiscard]] constexpr bool is_dtype() const { return *this == NumericFormat(dtype()); }

  // True if each tensor has a scale and stores integers.
  [[nodiscard]] constexpr bool is_scaled() const { return row().scale == ScaleSource::kTensor; }

  // True if kernels compute on the stored integers, which have 8 bits.
  [[nodiscard]] constexpr bool has_integer_kernels() const {
    return is_scaled() && row().stored == DType::kUInt8;
  }

  // True if each tensor, or each row of a matrix, has a scale.
  [[nodiscard]] constexpr bool has_scale() const { return row().scale != ScaleSource::kNone; }

  // True if kernels round operands to the format with scales that they compute in the run. No
  // tensor is stored in such a format.
  [[nodiscard]] constexpr bool is_dynamic() const { return row().scale == ScaleSource::kRow; }

  friend constexpr bool operator==(NumericFormat, NumericFormat) = default;

  // Order by index, for maps.
  friend constexpr auto operator<=>(NumericFormat,
                                    NumericFormat) = default;  // NOLINT(modernize-use-nullptr)

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

// Returns the name in tables and messages.
constexpr std::string_view ShownNameOf(NumericFormat format) {
  return format.row().shown.empty() ? NameOf(format) : format.row().shown;
}

// Returns the short name of a dtype, for lists of operands ("f16", "bf16"), and ShownNameOf() for
// other formats.
constexpr std::string_view ShortNameOf(NumericFormat format) {
  return format.is_dtype() ? ShortNameOf(format.dtype()) : ShownNameOf(format);
}

// Returns `text`, such as "qint8 to float32", with ShownNameOf() in place of the format name at its
// begin: "int8 to float32".
inline std::string ShownFormat(std::string_view text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const auto format = NumericFormat::Named(text.substr(0, end));
  return format ? std::string(ShownNameOf(*format)).append(text.substr(end)) : std::string(text);
}

// True for a format that may lose accuracy against float32.
constexpr bool IsReduced(NumericFormat format) {
  return IsTunable(format.dtype()) && format != DType::kFloat32;
}

// True if `holder` has every value of `format`. For floating formats.
constexpr bool Holds(NumericFormat holder, NumericFormat format) {
  return holder == format ||
         (holder.is_dtype() && (holder.dtype() == format.dtype() || holder == DType::kFloat64 ||
                                (holder == DType::kFloat32 && format != DType::kFloat64)));
}

// True if a conversion from `from` to `to` may cut off bits of the significand. For floating
// formats. Values of a scaled format have as many bits as its dtype, because they are products of
// an integer and a scale. A conversion to a dynamic format loses nothing: the kernel that reads the
// tensor rounds it.
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
