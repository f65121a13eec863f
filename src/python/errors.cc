#include "src/python/errors.h"

#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>

#include "halftone/error.h"
#include "halftone/words.h"

namespace py = pybind11;

namespace halftone {
namespace {

struct ExceptionRow {
  ErrorKind kind;
  const char* name;  // in halftone/errors.py
};

constexpr ExceptionRow kExceptions[] = {
    {ErrorKind::kUsage, "UsageError"},
    {ErrorKind::kModel, "ModelError"},
    {ErrorKind::kUnsupported, "UnsupportedError"},
    {ErrorKind::kIo, "IoError"},
    {ErrorKind::kDatabase, "DatabaseError"},
    {ErrorKind::kInternal, "InternalError"},
};

// The classes, parallel to kExceptions; they live as long as the process.
std::array<PyObject*, std::size(kExceptions)>& Classes() {
  static std::array<PyObject*, std::size(kExceptions)> classes = {};
  return classes;
}

PyObject* ClassOf(ErrorKind kind) {
  for (std::size_t i = 0; i < std::size(kExceptions); ++i) {
    if (kExceptions[i].kind == kind) {
      return Classes()[i];
    }
  }
  return PyExc_RuntimeError;
}

}  // namespace

void RegisterErrors() {
  const py::module_ errors = py::module_::import("halftone.errors");
  for (std::size_t i = 0; i < std::size(kExceptions); ++i) {
    Classes()[i] = py::object(errors.attr(kExceptions[i].name)).release().ptr();
  }
  py::register_exception_translator([](std::exception_ptr raised) {
    try {
      std::rethrow_exception(raised);
    } catch (const Error& error) {
      PyErr_SetString(ClassOf(error.kind()), InWordsOf(Language::kPython, error.what()).c_str());
    }
  });
}

}  // namespace halftone
