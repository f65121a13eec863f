#include "src/accuracy/input_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "src/accuracy/tensor_file.h"
#include "src/base/error.h"
#include "src/onnx/tensor_proto.h"

namespace halftone {
namespace {

// Whether every value of an integer or bool tensor is the same in `dtype`.
bool AllFit(const Tensor& tensor, DType dtype) {
  const Tensor converted = Convert(tensor, dtype);
  // As int64, the upper half of uint64 looks negative: it fits no other type, and no negative fits
  // it.
  const bool has_unsigned = tensor.dtype() == DType::kUInt64 || dtype == DType::kUInt64;
  for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
    const std::int64_t value = IntegerAt(tensor.dtype(), tensor.data(), i);
    if (value != IntegerAt(dtype, converted.data(), i) || (has_unsigned && value < 0)) {
      return false;
    }
  }
  return true;
}

// Without a branch in the loop: at the speed of memory.
bool AllFinite(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7f800000;  // all of it set: infinity or NaN
  bool finite = true;
  for (const float value : values) {
    finite &= (std::bit_cast<std::uint32_t>(value) & kExponent) != kExponent;
  }
  return finite;
}

}  // namespace

Tensor ReadTensorFile(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".npy") {
    return ReadNpy(path);
  }
  if (extension == ".pb") {
    return ReadTensorProto(path);
  }
  throw Error(ErrorKind::kIo, fmt::format("'{}': expected a .npy or .pb file", path.string()));
}

Tensor ConvertedFor(const Value& input, const InputFile& file) {
  const DType from = file.tensor.dtype();
  const DType to = input.type.dtype;
  if (from == to) {
    return file.tensor;
  }
  const bool to_float32 =
      to == DType::kFloat32 && (from == DType::kFloat64 || from == DType::kFloat16);
  const bool integers = !IsFloating(from) && !IsFloating(to) && AllFit(file.tensor, to);
  if (!to_float32 && !integers) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("'{}': input '{}' expects {}, found {}{}: write the file as {}",
                    file.path.string(), input.name, NameOf(to), NameOf(from),
                    !IsFloating(from) && !IsFloating(to) ? " with values that do not fit" : "",
                    NameOf(to)));
  }
  return Convert(file.tensor, to);
}

void CheckFinite(const Value& input, const InputFile& file) {
  const DType dtype = file.tensor.dtype();
  if (!IsFloating(dtype) || (dtype == DType::kFloat32 && AllFinite(file.tensor.values<float>()))) {
    return;
  }
  const std::int64_t count = file.tensor.ElementCount();
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = DoubleAt(dtype, file.tensor.data(), i);
    if (!std::isfinite(value)) {
      const std::int64_t each = std::max<std::int64_t>(input.type.shape.ElementCount(), 1);
      throw Error(ErrorKind::kModel,
                  fmt::format("'{}': input '{}': expected finite values, element {} of sample {} "
                              "is {}: mend that sample or leave it out",
                              file.path.string(), input.name, i % each, i / each, value));
    }
  }
}

}  // namespace halftone
