// Sets of element types, and the names of element types in files.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "halftone/dtype.h"

namespace halftone {

// True for the types that a precision mode may change: float32, float16, bfloat16.
constexpr bool IsTunable(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

constexpr bool IsFloating(DType dtype) {
  return IsTunable(dtype) || dtype == DType::kFloat64;
}

// Returns the dtype with this name, in any case; "float" is float32 and "float64" is double. Empty:
// there is none.
std::optional<DType> DTypeFromName(std::string_view name);

// A set of dtypes, one bit each.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;

  template <typename... Types>
  constexpr explicit DTypeSet(DType first, Types... rest) : bits_((Bit(first) | ... | Bit(rest))) {}

  [[nodiscard]] constexpr bool Has(DType dtype) const { return (bits_ & Bit(dtype)) != 0; }

  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }

  constexpr void Add(DType dtype) { bits_ |= Bit(dtype); }

  friend constexpr DTypeSet operator|(DTypeSet a, DTypeSet b) {
    DTypeSet both;
    both.bits_ = a.bits_ | b.bits_;
    return both;
  }

  friend constexpr bool operator==(DTypeSet, DTypeSet) = default;

 private:
  static constexpr std::uint32_t Bit(DType dtype) { return 1U << static_cast<unsigned>(dtype); }

  std::uint32_t bits_ = 0;
};

inline constexpr DTypeSet kTunableDTypes{DType::kFloat32, DType::kFloat16, DType::kBFloat16};
inline constexpr DTypeSet kIntegerDTypes{DType::kInt8,   DType::kUInt8, DType::kInt16,
                                         DType::kUInt16, DType::kInt32, DType::kUInt32,
                                         DType::kInt64,  DType::kUInt64};
// Types of quantised data. Matrix operators take kByteDTypes only.
inline constexpr DTypeSet kByteDTypes{DType::kInt8, DType::kUInt8};
inline constexpr DTypeSet kQuantizedDTypes = kByteDTypes | DTypeSet(DType::kInt16, DType::kUInt16);
inline constexpr DTypeSet kAllDTypes =
    kTunableDTypes | kIntegerDTypes | DTypeSet(DType::kFloat64, DType::kBool);

}  // namespace halftone
