#include "halftone/c_api.h"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "halftone/error.h"
#include "halftone/precision.h"
#include "halftone/ranges.h"
#include "halftone/session.h"
#include "halftone/version.h"
#include "halftone/words.h"
#include "src/c_api/calls.h"
#include "src/c_api/open_objects.h"

namespace halftone {
namespace {

// Sizes of halftone_options so far, by version.
constexpr std::size_t kOptionSizes[] = {sizeof(halftone_options)};

OpenObjects<Session>& Sessions() {
  // Never destroyed: threads may run sessions while the process ends.
  static OpenObjects<Session>& sessions = *new OpenObjects<Session>("session");
  return sessions;
}

void CheckSize(const halftone_options& options) {
  for (const std::size_t size : kOptionSizes) {
    if (options.size == size) {
      return;
    }
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("halftone_options: expected size {}, found {}; set it to "
                          "sizeof(halftone_options), with the header of this library (version {})",
                          kOptionSizes[0], options.size, HALFTONE_C_VERSION));
}

Session OpenSession(const char* model, const halftone_options* given) {
  ModelOptions network;
  network.path = model;
  SessionOptions options;
  if (given == nullptr) {
    return Session(network, std::move(options));
  }
  CheckSize(*given);
  network.input_shape = TextOf(given->input_shape);
  options.point = TextOf(given->point);
  options.bank = TextOf(given->bank);
  options.select = TextOf(given->select);
  options.target.soc_version = TextOf(given->soc_version);
  options.threads = given->threads;
  options.allocation_free = given->allocation_free != 0;
  if (const std::string text = TextOf(given->precision); !text.empty()) {
    options.precision = ReadOptionSet(text, options.target).options;
  }
  return Session(network, std::move(options));
}

DType DTypeOf(int32_t number, const char* what, std::size_t index) {
  const std::optional<DType> dtype = DTypeFromOnnx(number);
  if (!dtype) {
    throw Error(ErrorKind::kUsage, fmt::format("{} {}: expected a halftone_dtype, found {}; the "
                                               "header has them",
                                               what, index, number));
  }
  return *dtype;
}

// A halftone_input or halftone_output as a view, if its size is that of its elements.
template <typename View, typename Given>
View ViewOf(const Given& given, const char* what, std::size_t index) {
  if (given.rank > limits::kMostRank) {
    throw Error(ErrorKind::kUsage, fmt::format("{} {}: expected a rank of at most {}, found {}",
                                               what, index, limits::kMostRank, given.rank));
  }
  if (given.rank > 0) {
    Require(given.shape, what);
  }
  View view{.data = given.data,
            .dtype = DTypeOf(given.dtype, what, index),
            .shape = {given.shape, given.rank}};
  // Unsigned: extents that are negative or large give another number, not undefined behaviour.
  std::size_t expected = SizeOf(view.dtype);
  for (const std::int64_t extent : view.shape) {
    expected *= static_cast<std::size_t>(extent);
  }
  if (expected != given.size_bytes) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{} {}: expected {} bytes for its dtype and shape, found size_bytes {}; "
                    "give the size of all elements",
                    what, index, expected, given.size_bytes));
  }
  return view;
}

halftone_tensor_info DescriptionOf(std::span<const SessionTensor> tensors, std::size_t index) {
  if (index >= tensors.size()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("expected an index below {}, found {}", tensors.size(), index));
  }
  const SessionTensor& tensor = tensors[index];
  return {.name = tensor.name.c_str(),
          .shape = tensor.shape.data(),
          .rank = tensor.shape.size(),
          .size_bytes = static_cast<std::size_t>(tensor.type().size_bytes()),
          .dtype = RowOf(tensor.dtype).onnx_type};
}

void Run(halftone_session number, std::span<const halftone_input> inputs,
         std::span<const halftone_output> outputs) {
  // Kept by the thread, so that later runs allocate nothing.
  thread_local std::vector<ConstTensorView> from;
  thread_local std::vector<TensorView> to;
  from.clear();
  to.clear();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    from.push_back(ViewOf<ConstTensorView>(inputs[i], "input", i));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    to.push_back(outputs[i].data == nullptr ? TensorView()
                                            : ViewOf<TensorView>(outputs[i], "output", i));
  }
  Sessions().Find(number)->Run(from, to);
}

}  // namespace
}  // namespace halftone

using halftone::Guarded;
using halftone::Require;
using halftone::Sessions;

int32_t halftone_c_version(void) {
  return HALFTONE_C_VERSION;
}

const char* halftone_version(void) {
  return halftone::Version().data();
}

const char* halftone_last_error(void) {
  return halftone::LastError();
}

halftone_status halftone_session_open(const char* model, const halftone_options* options,
                                      halftone_session* session) {
  return Guarded([&] {
    Require(session, "session");
    *session = 0;
    Require(model, "model");
    *session =
        Sessions().Add(std::make_shared<halftone::Session>(halftone::OpenSession(model, options)));
  });
}

halftone_status halftone_session_close(halftone_session session) {
  return Guarded([&] {
    if (session != 0) {
      Sessions().Remove(session);
    }
  });
}

halftone_status halftone_session_counts(halftone_session session, size_t* inputs, size_t* outputs) {
  return Guarded([&] {
    const auto found = Sessions().Find(session);
    Require(inputs, "inputs");
    Require(outputs, "outputs");
    *inputs = found->inputs().size();
    *outputs = found->outputs().size();
  });
}

halftone_status halftone_session_input(halftone_session session, size_t shape, size_t index,
                                       halftone_tensor_info* info) {
  return Guarded([&] {
    Require(info, "info");
    *info = halftone::DescriptionOf(Sessions().Find(session)->inputs(shape), index);
  });
}

halftone_status halftone_session_output(halftone_session session, size_t shape, size_t index,
                                        halftone_tensor_info* info) {
  return Guarded([&] {
    Require(info, "info");
    *info = halftone::DescriptionOf(Sessions().Find(session)->outputs(shape), index);
  });
}

halftone_status halftone_session_add_shape(halftone_session session, const char* input_shape,
                                           size_t* place) {
  return Guarded([&] {
    Require(input_shape, "input_shape");
    const std::size_t added = Sessions().Find(session)->AddShape(input_shape);
    if (place != nullptr) {
      *place = added;
    }
  });
}

halftone_status halftone_session_reserve(halftone_session session, size_t runs) {
  return Guarded([&] { Sessions().Find(session)->Reserve(runs); });
}

halftone_status halftone_session_run(halftone_session session, const halftone_input* inputs,
                                     size_t input_count, const halftone_output* outputs,
                                     size_t output_count) {
  return Guarded([&] {
    if (input_count > 0) {
      Require(inputs, "inputs");
    }
    if (output_count > 0) {
      Require(outputs, "outputs");
    }
    halftone::Run(session, {inputs, input_count}, {outputs, output_count});
  });
}

halftone_status halftone_session_plan_digest(halftone_session session, char digest[33]) {
  return Guarded([&] {
    Require(digest, "digest");
    halftone::WriteDigest(Sessions().Find(session)->plan_digest(), digest);
  });
}

halftone_status halftone_session_explain(halftone_session session, const char* format,
                                         char** text) {
  return Guarded([&] {
    Require(text, "text");
    *text = nullptr;
    const std::string name = halftone::TextOf(format);
    *text = halftone::NewText(Sessions().Find(session)->Explain(name.empty() ? "table" : name));
  });
}

halftone_status halftone_session_notes(halftone_session session, char** text) {
  return Guarded([&] {
    Require(text, "text");
    *text = nullptr;
    std::string lines;
    for (const std::string& note : Sessions().Find(session)->notes()) {
      lines += halftone::InWordsOf(halftone::Language::kC, note) + "\n";
    }
    *text = halftone::NewText(lines);
  });
}

void halftone_text_free(char* text) {
  std::free(text);
}
