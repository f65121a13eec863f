#include "src/ir/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>

#include "src/base/error.h"
#include "src/base/lack_of_memory.h"

namespace halftone {
namespace {

// Calls body(T{}) with the element type of `dtype`.
template <typename Body>
decltype(auto) WithElementType(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::kFloat32:
      return body(float{});
    case DType::kFloat16:
      return body(Float16{});
    case DType::kBFloat16:
      return body(BFloat16{});
    case DType::kFloat64:
      return body(double{});
    case DType::kInt8:
      return body(std::int8_t{});
    case DType::kUInt8:
      return body(std::uint8_t{});
    case DType::kInt16:
      return body(std::int16_t{});
    case DType::kUInt16:
      return body(std::uint16_t{});
    case DType::kInt32:
      return body(std::int32_t{});
    case DType::kUInt32:
      return body(std::uint32_t{});
    case DType::kInt64:
      return body(std::int64_t{});
    case DType::kUInt64:
      return body(std::uint64_t{});
    case DType::kBool:
      break;
  }
  return body(bool{});
}

template <typename T>
double ToDouble(T value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return value.ToFloat();
  } else {
    return static_cast<double>(value);
  }
}

template <typename T>
T FromDouble(double value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return T::FromDouble(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    if (std::isnan(value)) {
      return 0;
    }
    if (value <= static_cast<double>(std::numeric_limits<T>::min())) {
      return std::numeric_limits<T>::min();
    }
    if (value >= static_cast<double>(std::numeric_limits<T>::max())) {
      return std::numeric_limits<T>::max();
    }
    return static_cast<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

template <typename T>
T LoadAs(const void* data, std::int64_t index) {
  return static_cast<const T*>(data)[index];
}

}  // namespace

std::string TensorType::ToString() const {
  return fmt::format("{} {}", NameOf(dtype), shape.ToString());
}

Tensor::Tensor(TensorType type) : type_(std::move(type)) {
  const std::int64_t count = type_.shape.ElementCount();
  if (count > std::numeric_limits<std::int64_t>::max() / 16) {
    throw Error(ErrorKind::kModel,
                fmt::format("a tensor of shape {} is too large", type_.shape.ToString()));
  }
  size_bytes_ = static_cast<std::size_t>(count) * SizeOf(type_.dtype);
  const std::size_t allocated =
      std::max<std::size_t>((size_bytes_ + kAlignment - 1) / kAlignment, 1) * kAlignment;
  // Not std::aligned_alloc(): the pieces around what it aligns are too small for the next tensor,
  // so that with glibc 2.36 a million tensors of 256 bytes, one at a time, take 200 MiB.
  void* const block = std::malloc(allocated + kAlignment);
  if (block == nullptr) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("a tensor of {} needs {} bytes of memory, the system refused them: {}",
                            type_.ToString(), allocated, kMoreMemory));
  }
  void* aligned = block;
  std::size_t room = allocated + kAlignment;
  auto* bytes = static_cast<std::byte*>(std::align(kAlignment, allocated, aligned, room));
  // Not std::calloc(), which leaves large blocks to page faults at their first use: a session that
  // was prepared would have them in its first run, and a tensor that is read before it is written
  // would be one page, which is always in the cache.
  std::memset(bytes, 0, allocated);
  bytes_ = std::shared_ptr<std::byte[]>(bytes, [block](std::byte* /*p*/) { std::free(block); });
}

Tensor::Tensor(TensorType type, std::shared_ptr<const std::byte[]> bytes)
    : type_(std::move(type)), size_bytes_(static_cast<std::size_t>(type_.size_bytes())) {
  Check(reinterpret_cast<std::uintptr_t>(bytes.get()) % kAlignment == 0,
        "a tensor over other bytes needs them aligned");
  bytes_ = std::const_pointer_cast<std::byte[]>(std::move(bytes));
}

void Tensor::CheckElementType(DType expected, DType actual) {
  if (expected != actual) {  // the text is built only on failure: this stands in loops
    Check(false, fmt::format("tensor of {} read as {}", NameOf(actual), NameOf(expected)));
  }
}

Tensor Tensor::Reshaped(Shape shape) const {
  Check(shape.ElementCount() == ElementCount(), "Reshaped() must keep the element count");
  Tensor result = *this;
  result.type_.shape = std::move(shape);
  return result;
}

double DoubleAt(DType dtype, const void* data, std::int64_t index) {
  return WithElementType(
      dtype, [&](auto tag) -> double { return ToDouble(LoadAs<decltype(tag)>(data, index)); });
}

std::int64_t IntegerAt(DType dtype, const void* data, std::int64_t index) {
  return WithElementType(dtype, [&](auto tag) -> std::int64_t {
    using T = decltype(tag);
    if constexpr (std::is_integral_v<T>) {
      return static_cast<std::int64_t>(LoadAs<T>(data, index));
    } else {
      return FromDouble<std::int64_t>(ToDouble(LoadAs<T>(data, index)));
    }
  });
}

void StoreDouble(DType dtype, void* data, std::int64_t index, double value) {
  WithElementType(dtype, [&](auto tag) {
    using T = decltype(tag);
    static_cast<T*>(data)[index] = FromDouble<T>(value);
  });
}

std::vector<std::int64_t> IntegersOf(const Tensor& tensor) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(tensor.ElementCount()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = IntegerAt(tensor.dtype(), tensor.data(), static_cast<std::int64_t>(i));
  }
  return values;
}

std::vector<double> DoublesOf(const Tensor& tensor) {
  std::vector<double> values(static_cast<std::size_t>(tensor.ElementCount()));
  WithElementType(tensor.dtype(), [&](auto tag) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = ToDouble(LoadAs<decltype(tag)>(tensor.data(), static_cast<std::int64_t>(i)));
    }
  });
  return values;
}

Tensor Convert(const Tensor& tensor, DType dtype) {
  return Convert(tensor, NumericFormat(dtype));
}

namespace {

// Types whose conversions from and to float32 need no double, which takes longer.
template <typename T>
constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

template <typename T>
float FloatOf(T value) {
  if constexpr (kIsHalf<T>) {
    return value.ToFloat();
  } else {
    return static_cast<float>(ToDouble(value));
  }
}

template <typename To, typename From>
To ElementAs(From value) {
  if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    return static_cast<To>(value);  // wraps, as a cast in C does
  } else if constexpr (std::is_same_v<From, float> && kIsHalf<To>) {
    return To::FromFloat(value);
  } else if constexpr (std::is_same_v<To, float> && kIsHalf<From>) {
    return FloatOf(value);
  } else {
    return FromDouble<To>(ToDouble(value));
  }
}

}  // namespace

Tensor Convert(const Tensor& tensor, NumericFormat format) {
  const DType dtype = format.dtype();
  if (!format.is_dtype()) {
    Check(format.row().round != nullptr, "a format of scales needs that of the tensor or row");
    const Tensor source = Convert(tensor, dtype);
    Tensor result(dtype, tensor.shape());
    for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
      const auto value = static_cast<float>(DoubleAt(dtype, source.data(), i));
      StoreDouble(dtype, result.mutable_data(), i, format.row().round(value));
    }
    return result;
  }
  if (tensor.dtype() == dtype) {
    return tensor;
  }
  Tensor result(dtype, tensor.shape());
  const std::int64_t count = tensor.ElementCount();
  WithElementType(tensor.dtype(), [&](auto from) {
    WithElementType(dtype, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      const auto* source = reinterpret_cast<const From*>(tensor.data());
      auto* target = reinterpret_cast<To*>(result.mutable_data());
      for (std::int64_t i = 0; i < count; ++i) {
        target[i] = ElementAs<To>(source[i]);
      }
    });
  });
  return result;
}

}  // namespace halftone
