#include "halftone/session.h"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "halftone/error.h"
#include "halftone/precision.h"
#include "src/python/arrays.h"
#include "src/python/functions.h"
#include "src/python/gil.h"
#include "src/python/options.h"

namespace py = pybind11;

namespace halftone {
namespace {

// "tensor(float)", as ONNX Runtime names types.
std::string OnnxType(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "tensor(float)";
    case DType::kFloat64:
      return "tensor(double)";
    default:
      return fmt::format("tensor({})", NameOf(dtype));
  }
}

// (name, type, shape) of each.
py::list Described(std::span<const SessionTensor> tensors) {
  py::list list;
  for (const SessionTensor& tensor : tensors) {
    list.append(py::make_tuple(tensor.name, OnnxType(tensor.dtype), tensor.shape));
  }
  return list;
}

std::unique_ptr<Session> MakeSession(const py::dict& options) {
  SessionOptions session;
  session.point = Text(options, "point");
  session.bank = Text(options, "bank");
  session.select = Text(options, "select");
  session.target = TargetOptionsOf(options);
  session.input_shapes = Get(options, "input_shapes", session.input_shapes);
  session.threads = ThreadsOf(options);
  session.tuned_kernels = Get(options, "tuned_kernels", session.tuned_kernels);
  if (Get(options, "has_precision", false)) {
    session.precision =
        ReadPrecisionOptions(ConfigurationOf(options).precision, session.target).options;
  }
  const ModelOptions model = WithFusionSwitches(ModelOptionsOf(options, {}), options);
  const GilReleased unlocked;
  return std::make_unique<Session>(model, std::move(session));
}

// Elements of a type of the session, in row-major order at any address.
py::array Prepared(const SessionTensor& input, const py::handle& value) {
  py::array array = py::array::ensure(value);
  if (!array) {
    PyErr_Clear();
    throw Error(ErrorKind::kUsage, fmt::format("input '{}': expected an array", input.name));
  }
  const auto dtype = DTypeOf(array.dtype());
  const bool is_bfloat16 = input.dtype == DType::kBFloat16 && dtype == DType::kFloat32;
  if (dtype != input.dtype && !is_bfloat16) {
    throw Error(ErrorKind::kUsage,
                fmt::format("input '{}': an array of dtype {}, expected {}: convert it with "
                            ".astype({})",
                            input.name, py::str(array.dtype()).cast<std::string>(),
                            py::str(NumpyType(input.dtype)).cast<std::string>(),
                            py::str(NumpyType(input.dtype)).cast<std::string>()));
  }
  const bool is_plain = (array.flags() & py::array::c_style) != 0 &&
                        array.dtype().attr("isnative").cast<bool>() && !is_bfloat16;
  if (is_plain) {
    return array;
  }
  Tensor tensor = TensorOf(array, fmt::format("input '{}'", input.name));
  if (is_bfloat16) {
    tensor = Convert(tensor, DType::kBFloat16);
    Tensor bits(TensorType{DType::kUInt16, tensor.shape()});
    std::ranges::copy(tensor.bytes(), bits.mutable_data());
    return ArrayOf(std::move(bits));
  }
  return ArrayOf(std::move(tensor));
}

// The place of the shapes of these arrays; 0 where the session does not have them, so that its run
// says what it has.
std::size_t PlaceOf(const Session& session, const std::vector<py::array>& arrays) {
  const std::size_t count = session.input_shapes().size();
  for (std::size_t place = 0; place < count; ++place) {
    const auto inputs = session.inputs(place);
    bool fits = true;
    for (std::size_t i = 0; fits && i < arrays.size(); ++i) {
      const std::span<const py::ssize_t> shape(arrays[i].shape(),
                                               static_cast<std::size_t>(arrays[i].ndim()));
      fits = std::ranges::equal(shape, inputs[i].shape);
    }
    if (fits) {
      return place;
    }
  }
  return 0;
}

// `feeds`: arrays in the order of inputs(). Returns arrays in the order of outputs().
py::list RunSession(const Session& session, const py::list& feeds) {
  const auto inputs = session.inputs();
  std::vector<py::array> arrays;
  std::vector<std::vector<std::int64_t>> shapes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    arrays.push_back(Prepared(inputs[i], feeds[i]));
    shapes.emplace_back(arrays.back().shape(), arrays.back().shape() + arrays.back().ndim());
  }
  std::vector<ConstTensorView> views;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    views.push_back(
        {.data = arrays[i].data(), .dtype = inputs[i].dtype, .shape = std::span(shapes[i])});
  }
  std::vector<Tensor> outputs;
  std::vector<TensorView> targets;
  for (const SessionTensor& output : session.outputs(PlaceOf(session, arrays))) {
    outputs.emplace_back(output.type());
  }
  for (Tensor& output : outputs) {
    targets.push_back(MutableViewOf(output));
  }
  {
    const GilReleased unlocked;
    session.Run(views, targets);
  }
  py::list results;
  for (Tensor& output : outputs) {
    results.append(ArrayOf(std::move(output)));
  }
  return results;
}

// Methods take the holder: pybind11 refuses an object without __init__, which has none, and would
// give a reference memory that nothing has set.
using SharedSession = std::shared_ptr<Session>;

}  // namespace

void DefineSession(py::module_& module) {
  py::class_<Session, SharedSession>(module, "Session")
      .def(py::init([](const py::dict& options) {
        return WithShapeWords([&] { return MakeSession(options); });
      }))
      .def("inputs", [](const SharedSession& session) { return Described(session->inputs()); })
      .def("outputs", [](const SharedSession& session) { return Described(session->outputs()); })
      .def("input_shapes", [](const SharedSession& session) { return session->input_shapes(); })
      .def(
          "add_shape",
          [](const SharedSession& session, const std::string& shape) {
            return WithShapeWords([&] { return session->AddShape(shape); });
          },
          py::call_guard<GilReleased>())
      .def("run", [](const SharedSession& session,
                     const py::list& feeds) { return RunSession(*session, feeds); })
      .def(
          "explain",
          [](const SharedSession& session, const std::string& format) {
            return session->Explain(format);
          },
          py::call_guard<GilReleased>())
      .def_property_readonly("configuration",
                             [](const SharedSession& session) { return session->configuration(); })
      .def_property_readonly("plan_digest",
                             [](const SharedSession& session) { return session->plan_digest(); })
      .def_property_readonly("notes",
                             [](const SharedSession& session) {
                               return InPython(session->notes(), Language::kPythonShapes);
                             })
      .def_property_readonly("threads",
                             [](const SharedSession& session) { return session->threads(); });
}

}  // namespace halftone
