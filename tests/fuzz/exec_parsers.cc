// Models on their way to results: import with a sample, passes, a plan in float32 and one in
// float16, memory, kernels. Large networks are left out: what is looked for are writes and reads
// outside of buffers, endless loops and internal errors.
#include <algorithm>

#include "src/base/rng.h"
#include "src/exec/executable.h"
#include "src/onnx/reader.h"
#include "src/passes/passes.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

namespace halftone::testing {
namespace {

constexpr std::size_t kMostNodes = 200;
constexpr std::int64_t kMostElements = 1 << 14;

bool IsSmall(const Graph& graph) {
  return graph.nodes.size() <= kMostNodes &&
         std::all_of(graph.values.begin(), graph.values.end(), [](const Value& value) {
           return value.type.shape.ElementCount() <= kMostElements;
         });
}

std::vector<Tensor> SampleFor(const Graph& graph) {
  Rng rng(1);
  std::vector<Tensor> sample;
  for (const ValueId id : graph.inputs) {
    const TensorType& type = graph.value(id).type;
    if (type.shape.ElementCount() > kMostElements) {
      throw Error(ErrorKind::kUnsupported, "an input is too large to be tried");
    }
    Tensor tensor(type);
    for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
      StoreDouble(type.dtype, tensor.mutable_data(), i,
                  IsFloating(type.dtype) ? rng.Uniform(-2, 2) : static_cast<double>(rng.Below(4)));
    }
    sample.push_back(std::move(tensor));
  }
  return sample;
}

// Every float32 operand and result in float16.
PrecisionPlan Halves(const Graph& graph) {
  PrecisionPlan plan = ReferencePlan(graph);
  for (NodePrecision& node : plan.nodes) {
    for (auto* dtypes : {&node.inputs, &node.outputs}) {
      std::replace(dtypes->begin(), dtypes->end(), DType::kFloat32, DType::kFloat16);
    }
  }
  return plan;
}

void ModelRun(std::string_view bytes) {
  const MemoryFile file(bytes);
  ValueOrError([&] {
    ImportOptions options;
    options.sample = SampleFor;
    Graph graph = ImportOnnx(file.path(), options).graph;
    if (!IsSmall(graph)) {
      return true;
    }
    Optimize(graph);
    const std::vector<Tensor> sample = SampleFor(graph);
    for (const PrecisionPlan& plan : {ReferencePlan(graph), Halves(graph)}) {
      const Executable executable = Compile(graph, plan);
      Require(executable.peak_arena_bytes() >= executable.liveness_bound_bytes(),
              "an arena is smaller than what is alive in it");
      static_cast<void>(executable.Run(executable.ConvertInputs(sample)));
    }
    return true;
  });
}

const FuzzedParsers kExecParsers = {
    {"model_run", ModelRun},
};

}  // namespace
}  // namespace halftone::testing
