#include "src/api/session/shape_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>

#include "src/base/error.h"
#include "src/base/lack_of_memory.h"
#include "src/base/limits.h"
#include "src/base/machine_memory.h"
#include "src/base/text.h"

namespace halftone {

// The mutable part of a run.
struct ShapeRunner::Context {
  Workspace workspace;
  std::unique_ptr<ThreadPool> pool;  // null: that of the caller
  // Addresses of this run.
  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> outputs;
  // Room for copies of what cannot be used in place.
  std::vector<Tensor> input_copies;
  std::vector<Tensor> output_copies;
};

class ShapeRunner::TakenContext {
 public:
  explicit TakenContext(const ShapeRunner& all) : all_(all) {
    const std::scoped_lock lock(all_.mutex_);
    if (all_.free_.empty()) {
      all_.MakeContext();
    }
    context_ = all_.free_.back();  // the one used last: its arena is in the caches
    all_.free_.pop_back();
  }

  ~TakenContext() {
    const std::scoped_lock lock(all_.mutex_);
    all_.free_.push_back(context_);
  }

  TakenContext(const TakenContext&) = delete;
  TakenContext& operator=(const TakenContext&) = delete;

  Context& operator*() const { return *context_; }

 private:
  const ShapeRunner& all_;
  Context* context_ = nullptr;
};

namespace {

bool IsAligned(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % Tensor::kAlignment == 0;
}

bool Overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(a);
  const auto second = reinterpret_cast<std::uintptr_t>(b);
  return first < second + b_bytes && second < first + a_bytes;
}

SessionTensor Named(const Graph& graph, ValueId id, const TensorType& type) {
  return {.name = graph.value(id).name, .dtype = type.dtype, .shape = type.shape.dims()};
}

std::vector<std::size_t> BytesOf(std::span<const TensorType> types) {
  std::vector<std::size_t> bytes;
  for (const TensorType& type : types) {
    bytes.push_back(static_cast<std::size_t>(type.size_bytes()));
  }
  return bytes;
}

std::vector<Tensor> TensorsOf(std::span<const TensorType> types) {
  std::vector<Tensor> tensors;
  for (const TensorType& type : types) {
    tensors.emplace_back(type);
  }
  return tensors;
}

[[noreturn]] void Refuse(std::string_view what, const SessionTensor& expected, DType dtype,
                         std::span<const std::int64_t> shape, std::string_view advice) {
  throw Error(
      ErrorKind::kUsage,
      fmt::format("{} '{}': expected {}, found {}; {}", what, expected.name,
                  TypeText(expected.dtype, expected.shape), TypeText(dtype, shape), advice));
}

void CheckCount(std::string_view what, std::size_t expected, std::size_t found) {
  if (expected != found) {
    throw Error(ErrorKind::kUsage, fmt::format("expected {} {}{}, found {}; give each of the "
                                               "network's, in its order",
                                               expected, what, expected == 1 ? "" : "s", found));
  }
}

}  // namespace

std::string TypeText(DType dtype, std::span<const std::int64_t> shape) {
  return TensorType{dtype, Shape(std::vector<std::int64_t>(shape.begin(), shape.end()))}.ToString();
}

ShapeRunner::ShapeRunner(const Graph& graph, Executable executable, SessionThreads threads)
    : executable_(std::move(executable)),
      threads_(std::move(threads)),
      input_bytes_(BytesOf(executable_.input_types())),
      output_bytes_(BytesOf(executable_.output_types())) {
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    inputs_.push_back(Named(graph, graph.inputs[i], executable_.input_types()[i]));
  }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    outputs_.push_back(Named(graph, graph.outputs[i], executable_.output_types()[i]));
  }
}

ShapeRunner::~ShapeRunner() = default;

void ShapeRunner::MakeContext() const {
  auto made = std::make_unique<Context>();
  made->workspace = executable_.NewWorkspace();
  if (threads_.pool == nullptr) {
    made->pool = std::make_unique<ThreadPool>(threads_.count);
  }
  made->inputs.resize(inputs_.size());
  made->outputs.resize(outputs_.size());
  made->input_copies = TensorsOf(executable_.input_types());
  made->output_copies = TensorsOf(executable_.output_types());
  contexts_.reserve(contexts_.size() + 1);
  free_.reserve(contexts_.size() + 1);  // so that returning a context never allocates
  free_.push_back(made.get());
  contexts_.push_back(std::move(made));
}

void ShapeRunner::CheckReserved(std::size_t runs) const {
  if (runs > limits::kMostReservedRuns) {
    throw Error(ErrorKind::kUsage,
                fmt::format("expected memory for at most {} concurrent runs to be asked for, found "
                            "{}; reserve what runs at once",
                            limits::kMostReservedRuns, runs));
  }
  constexpr std::size_t kSlotBytes = 1024;  // of a thread in a pool of oneTBB, rounded up
  std::size_t each =
      executable_.peak_arena_bytes() + kSlotBytes * static_cast<std::size_t>(threads_.count);
  for (const std::vector<std::size_t>& copies : {input_bytes_, output_bytes_}) {
    each = std::accumulate(copies.begin(), copies.end(), each);
  }
  const std::int64_t machine = MachineMemoryBytes();
  if (machine > 0 && runs > static_cast<std::size_t>(machine) / each) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{} concurrent runs need {} each, there is {} for all: {}", runs,
                            FormatBytes(static_cast<double>(each)),
                            FormatBytes(static_cast<double>(machine)), kMoreMemory));
  }
}

void ShapeRunner::Reserve(std::size_t runs) const {
  CheckReserved(runs);
  const std::scoped_lock lock(mutex_);
  while (contexts_.size() < runs) {
    MakeContext();
  }
}

bool ShapeRunner::HasShapes(std::span<const ConstTensorView> inputs) const {
  return std::ranges::equal(inputs, inputs_, [](const auto& found, const auto& expected) {
    return std::ranges::equal(found.shape, expected.shape);
  });
}

void ShapeRunner::CheckTypes(std::span<const ConstTensorView> inputs,
                             std::span<const TensorView> outputs) const {
  CheckCount("input", inputs_.size(), inputs.size());
  CheckCount("output", outputs_.size(), outputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ConstTensorView& input = inputs[i];
    if (input.dtype != inputs_[i].dtype) {
      Refuse("input", inputs_[i], input.dtype, input.shape,
             "nothing is converted; convert it before the run");
    }
    if (input.data == nullptr && input_bytes_[i] > 0) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("input '{}': expected {}, found no data; give "
                              "the address of its elements",
                              inputs_[i].name, TypeText(inputs_[i].dtype, inputs_[i].shape)));
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const TensorView& output = outputs[i];
    if (output.data != nullptr && (output.dtype != outputs_[i].dtype ||
                                   !std::ranges::equal(output.shape, outputs_[i].shape))) {
      Refuse("output", outputs_[i], output.dtype, output.shape,
             "give memory of that type and shape, or none for an output that is not wanted");
    }
  }
}

void ShapeRunner::CheckOverlap(std::span<const TensorView> outputs) const {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (outputs[i].data != nullptr && outputs[j].data != nullptr &&
          Overlap(outputs[i].data, output_bytes_[i], outputs[j].data, output_bytes_[j])) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("outputs '{}' and '{}': expected memory of their own, found that "
                                "they overlap; give each its own",
                                outputs_[j].name, outputs_[i].name));
      }
    }
  }
}

const std::byte* ShapeRunner::Place(Context& context, std::size_t i, const ConstTensorView& input,
                                    std::span<const TensorView> outputs) const {
  bool in_place = IsAligned(input.data) && input.data != nullptr;
  for (std::size_t o = 0; in_place && o < outputs.size(); ++o) {
    in_place = outputs[o].data == nullptr ||
               !Overlap(input.data, input_bytes_[i], outputs[o].data, output_bytes_[o]);
  }
  if (in_place) {
    return static_cast<const std::byte*>(input.data);
  }
  Tensor& copy = context.input_copies[i];
  if (input_bytes_[i] > 0) {
    std::memcpy(copy.mutable_data(), input.data, input_bytes_[i]);
  }
  return copy.data();
}

std::byte* ShapeRunner::Place(Context& context, std::size_t i, const TensorView& output) const {
  return output.data != nullptr && IsAligned(output.data) ? static_cast<std::byte*>(output.data)
                                                          : context.output_copies[i].mutable_data();
}

void ShapeRunner::Run(std::span<const ConstTensorView> inputs,
                      std::span<const TensorView> outputs) const {
  CheckTypes(inputs, outputs);
  CheckOverlap(outputs);
  const TakenContext taken(*this);
  Context& context = *taken;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    context.inputs[i] = Place(context, i, inputs[i], outputs);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    context.outputs[i] = Place(context, i, outputs[i]);
  }
  const ThreadPool& pool = context.pool != nullptr ? *context.pool : *threads_.pool;
  pool.Run([&] { executable_.RunOn(context.workspace, context.inputs, context.outputs); });
  if (const std::string other = executable_.OtherCount(context.workspace); !other.empty()) {
    throw Error(ErrorKind::kUnsupported, other);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].data != nullptr && outputs[i].data != context.outputs[i] &&
        output_bytes_[i] > 0) {
      std::memcpy(outputs[i].data, context.outputs[i], output_bytes_[i]);
    }
  }
}

std::size_t ShapeRunner::contexts() const {
  const std::scoped_lock lock(mutex_);
  return contexts_.size();
}

std::size_t ShapeRunner::arena_bytes() const {
  return contexts() * executable_.peak_arena_bytes();
}

}  // namespace halftone
