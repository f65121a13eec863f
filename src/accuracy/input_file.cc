#include "src/accuracy/input_file.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <span>

#include "src/accuracy/stored_tensor.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// Whether every value of an integer or bool tensor is the same in `dtype`.
bool AllFit(const Tensor& tensor, DType dtype) {
  const Tensor converted = Convert(tensor, dtype);
  // The upper half of uint64 looks negative as int64: it fits no other type, and no negative number
  // fits it.
  const bool has_unsigned = tensor.dtype() == DType::kUInt64 || dtype == DType::kUInt64;
  for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
    const std::int64_t value = IntegerAt(tensor.dtype(), tensor.data(), i);
    if (value != IntegerAt(dtype, converted.data(), i) || (has_unsigned && value < 0)) {
      return false;
    }
  }
  return true;
}

// The loop has no branch, so that it runs at the speed of memory.
bool AllFinite(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7f800000;  // all of it set: infinity or NaN
  bool finite = true;
  for (const float value : values) {
    finite &= (std::bit_cast<std::uint32_t>(value) & kExponent) != kExponent;
  }
  return finite;
}

bool ToFloat32(DType from, DType to) {
  return to == DType::kFloat32 && (from == DType::kFloat64 || from == DType::kFloat16);
}

bool Integers(DType from, DType to) {
  return !IsFloating(from) && !IsFloating(to);
}

[[noreturn]] void ThrowDType(const Value& input, const std::filesystem::path& path, DType from) {
  const DType to = input.type.dtype;
  throw Error(ErrorKind::kModel,
              fmt::format("'{}': input '{}' expects {}, found {}{}: write the file as {}",
                          path.string(), input.name, NameOf(to), NameOf(from),
                          Integers(from, to) ? " with values that do not fit" : "", NameOf(to)));
}

}  // namespace

Tensor ReadTensorFile(const std::filesystem::path& path) {
  return StoredTensor(path).ReadAll();
}

void CheckConvertible(const Value& input, const std::filesystem::path& path, DType from) {
  const DType to = input.type.dtype;
  if (from != to && !ToFloat32(from, to) && !Integers(from, to)) {
    ThrowDType(input, path, from);
  }
}

Tensor ConvertedFor(const Value& input, const std::filesystem::path& path, const Tensor& tensor) {
  const DType from = tensor.dtype();
  const DType to = input.type.dtype;
  CheckConvertible(input, path, from);
  if (from != to && Integers(from, to) && !AllFit(tensor, to)) {
    ThrowDType(input, path, from);
  }
  return Convert(tensor, to);
}

void CheckFinite(const Value& input, const std::filesystem::path& path, std::int64_t sample,
                 const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (!IsFloating(dtype) || (dtype == DType::kFloat32 && AllFinite(tensor.values<float>()))) {
    return;
  }
  for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
    const double value = DoubleAt(dtype, tensor.data(), i);
    if (!std::isfinite(value)) {
      throw Error(ErrorKind::kModel,
                  fmt::format("'{}': input '{}': expected finite values, element {} of sample {} "
                              "is {}: mend that sample or leave it out",
                              path.string(), input.name, i, sample, value));
    }
  }
}

}  // namespace halftone
