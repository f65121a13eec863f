#include "src/python/arrays.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "halftone/error.h"

namespace py = pybind11;

namespace halftone {
namespace {

struct NumpyRow {
  DType dtype;
  char kind;  // numpy.dtype.kind
  int size;   // bytes
  const char* name;
};

constexpr NumpyRow kTypes[] = {
    {DType::kFloat32, 'f', 4, "float32"},  {DType::kFloat16, 'f', 2, "float16"},
    {DType::kFloat64, 'f', 8, "float64"},  {DType::kInt8, 'i', 1, "int8"},
    {DType::kInt16, 'i', 2, "int16"},      {DType::kInt32, 'i', 4, "int32"},
    {DType::kInt64, 'i', 8, "int64"},      {DType::kUInt8, 'u', 1, "uint8"},
    {DType::kUInt16, 'u', 2, "uint16"},    {DType::kUInt32, 'u', 4, "uint32"},
    {DType::kUInt64, 'u', 8, "uint64"},    {DType::kBool, 'b', 1, "bool"},
    {DType::kBFloat16, 'f', 4, "float32"},
};

std::vector<py::ssize_t> DimsOf(const Shape& shape) {
  return {shape.dims().begin(), shape.dims().end()};
}

// An array over the bytes of the tensor, which it keeps alive.
py::array ViewOf(Tensor tensor) {
  const py::dtype dtype = NumpyType(tensor.dtype());
  std::vector<py::ssize_t> dims = DimsOf(tensor.shape());
  auto owner = std::make_unique<Tensor>(std::move(tensor));
  std::byte* const data = owner->mutable_data();
  const py::capsule keeper(owner.release(), [](void* held) { delete static_cast<Tensor*>(held); });
  return {dtype, std::move(dims), data, keeper};
}

}  // namespace

std::optional<DType> DTypeOf(const py::dtype& dtype) {
  for (const NumpyRow& row : kTypes) {
    if (row.kind == dtype.kind() && row.size == dtype.itemsize()) {
      return row.dtype;
    }
  }
  return std::nullopt;
}

py::dtype NumpyType(DType dtype) {
  for (const NumpyRow& row : kTypes) {
    if (row.dtype == dtype) {
      return py::dtype(row.name);
    }
  }
  throw Error(ErrorKind::kUnsupported,
              fmt::format("NumPy has no type for {} elements", NameOf(dtype)));
}

Tensor TensorOf(const py::array& array, const std::string& what) {
  const auto dtype = DTypeOf(array.dtype());
  if (!dtype) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: an array of dtype {}, expected floats, integers or booleans", what,
                            py::str(array.dtype()).cast<std::string>()));
  }
  Tensor tensor(*dtype,
                Shape(std::vector<std::int64_t>(array.shape(), array.shape() + array.ndim())));
  if (tensor.ElementCount() > 0) {
    py::module_::import("numpy").attr("copyto")(ViewOf(tensor), array, "equiv");
  }
  return tensor;
}

py::array ArrayOf(Tensor tensor) {
  return ViewOf(tensor.dtype() == DType::kBFloat16 ? Convert(tensor, DType::kFloat32)
                                                   : std::move(tensor));
}

}  // namespace halftone
