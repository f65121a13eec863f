#include "tests/fuzz/run_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "kernels/parallel.h"
#include "src/exec/checked_run.h"
#include "src/exec/executable.h"
#include "src/exec/host_target.h"
#include "src/exec/tunable_steps.h"
#include "src/onnx/reader.h"
#include "src/passes/passes.h"
#include "src/precision/resolve/modes.h"
#include "src/precision/resolve/resolve.h"
#include "tests/fuzz/compare_network.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

namespace halftone::testing {
namespace {

// A value larger than this is refused by the importer, and with it everything that would take long.
constexpr std::int64_t kMostBytes = 1 << 18;
constexpr std::int64_t kMostElements = 1 << 13;
// Products of the elements of an operand and of the result, summed over nodes: no operator takes
// more steps than that, and it is some 10 ms of a reference under sanitizers.
constexpr std::int64_t kMostWork = 1 << 24;

bool IsSmall(const Graph& graph) {
  std::int64_t work = 0;
  for (const Node& node : graph.nodes) {
    std::int64_t largest = 1;
    std::int64_t made = 1;
    for (const ValueId id : node.inputs) {
      largest = std::max(largest, id == kNoValue ? 0 : graph.value(id).type.shape.ElementCount());
    }
    for (const ValueId id : node.outputs) {
      made = std::max(made, id == kNoValue ? 0 : graph.value(id).type.shape.ElementCount());
    }
    work += largest * made;
    if (largest > kMostElements || made > kMostElements || work > kMostWork) {
      return false;
    }
  }
  return true;
}

// The first sample, in the order of the graph's inputs.
std::vector<Tensor> FirstSample(const Network& network, const Graph& graph) {
  std::vector<Tensor> sample;
  for (const ValueId id : graph.inputs) {
    const Value& input = graph.value(id);
    const auto found =
        std::find_if(network.graph.inputs.begin(), network.graph.inputs.end(),
                     [&](ValueId own) { return network.graph.value(own).name == input.name; });
    Require(found != network.graph.inputs.end(), "the importer made up an input");
    sample.push_back(network.samples.at(*found));
    Require(sample.back().type() == input.type, "the importer changed the type of an input");
  }
  return sample;
}

std::vector<Tensor> OtherSample(const Graph& graph, Rng& rng) {
  std::vector<Tensor> sample;
  for (const ValueId id : graph.inputs) {
    const TensorType& type = graph.value(id).type;
    sample.push_back(rng.Below(2) == 0 ? TameTensor(type, rng) : WildTensor(type, rng));
  }
  return sample;
}

FusionNames FusionsOff(Rng& rng) {
  FusionNames off;
  const double share = rng.Below(2) == 0 ? 0.0 : rng.Uniform();
  for (const Pass& pass : AllPasses()) {
    if (pass.fusion != FusionKind::kNone && rng.Uniform() < share) {
      off.insert(std::string(pass.name));
    }
  }
  return off;
}

DType AnyFloat(Rng& rng) {
  constexpr DType kFloats[] = {DType::kFloat16,  DType::kFloat16,  DType::kFloat32, DType::kFloat32,
                               DType::kBFloat16, DType::kBFloat16, DType::kFloat64};
  return kFloats[rng.Below(std::size(kFloats))];
}

// Every floating tensor of every node in a dtype of its own, or all in one.
void ChangeDTypes(PrecisionPlan& plan, Rng& rng) {
  const bool mixed = rng.Below(2) == 0;
  const DType one = rng.Below(2) == 0 ? DType::kFloat16 : DType::kBFloat16;
  for (NodePrecision& node : plan.nodes) {
    for (auto* dtypes : {&node.inputs, &node.outputs}) {
      for (NumericFormat& format : *dtypes) {
        format = !IsFloating(format.dtype()) ? format : mixed ? AnyFloat(rng) : one;
      }
    }
    node.engine = mixed && rng.Below(6) == 0 ? Engine::kAiCpu : Engine::kAiCore;
  }
}

// As the rules of a mode resolve it on this CPU, with some nodes kept.
PrecisionPlan ResolvedPlan(const Graph& graph, Rng& rng) {
  static const TargetSpec kTarget = HostTarget();
  PrecisionOptions options;
  const auto modes = AllPrecisionModes();
  options.precision_mode = modes[rng.Below(modes.size())].name;
  for (const Node& node : graph.nodes) {
    if (rng.Below(4) == 0) {
      options.keep_dtype.push_back(node.name);
    }
  }
  std::sort(options.keep_dtype.begin(), options.keep_dtype.end());
  return ResolvePrecision(graph, options, kTarget, {.unknown_names_are_warnings = true});
}

PrecisionPlan AnyPlan(const Graph& graph, Rng& rng) {
  if (rng.Below(4) == 0) {
    return ResolvedPlan(graph, rng);
  }
  PrecisionPlan plan = ReferencePlan(graph);
  if (rng.Below(3) != 0) {
    ChangeDTypes(plan, rng);
  }
  for (NodePrecision& node : plan.nodes) {
    constexpr ImplMode kModes[] = {ImplMode::kHighPrecision, ImplMode::kHighPrecision,
                                   ImplMode::kHighPerformance, ImplMode::kDefault};
    node.impl_mode = rng.Below(4) == 0 ? kImplModes[rng.Below(std::size(kImplModes))].value
                                       : kModes[rng.Below(std::size(kModes))];
  }
  return plan;
}

IsaMask AnyIsa(Rng& rng) {
  const std::span<const InstructionSet> sets = InstructionSets();
  const std::size_t which = rng.Below(2 * (sets.size() + 1));
  return which > sets.size()    ? DetectIsa()
         : which == sets.size() ? kIsaAny
                                : DetectIsa() & WithIncluded(sets[which].bit);
}

// Kernels that operator tuning could have found, where there is a choice.
KernelChoices AnyChoices(const Graph& graph, const PrecisionPlan& plan,
                         const CompileOptions& options, int threads, Rng& rng) {
  KernelChoices choices(threads);
  for (const TunableStep& step : TunableSteps(graph, plan, threads, options)) {
    choices.Set(step.signature, step.kernels[rng.Below(step.kernels.size())]);
  }
  return choices;
}

bool SameElements(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type()) {
    return false;
  }
  if (std::memcmp(a.data(), b.data(), a.size_bytes()) == 0) {
    return true;
  }
  if (!IsFloating(a.dtype())) {
    return false;
  }
  const std::vector<double> left = DoublesOf(a);
  const std::vector<double> right = DoublesOf(b);
  for (std::size_t i = 0; i < left.size(); ++i) {
    // NaN is NaN: which of two operands it is taken from is left to the compiler.
    const bool same = std::isnan(left[i])
                          ? std::isnan(right[i])
                          : left[i] == right[i] && std::signbit(left[i]) == std::signbit(right[i]);
    if (!same) {
      return false;
    }
  }
  return true;
}

// Tensors whose bytes nothing has written: what a kernel leaves out shows.
std::vector<Tensor> DirtyOutputs(const Executable& executable, int byte) {
  std::vector<Tensor> outputs = executable.NewOutputs();
  for (Tensor& output : outputs) {
    std::memset(output.mutable_data(), byte, output.size_bytes());
  }
  return outputs;
}

// Never destroyed: workers may still leave a pool when the process ends, and oneTBB's note of them
// would count as leaked.
const ThreadPool& PoolOf(int threads) {
  static const auto& one = *new ThreadPool(1);
  static const auto& two = *new ThreadPool(2);
  return threads == 1 ? one : two;
}

// The first sample, others over what it left in the workspace, and the first again, on another
// number of threads: the same bits.
void RunPlan(const Executable& executable, const Graph& graph, const std::vector<Tensor>& sample,
             Rng& rng, RunCounts& counts) {
  Workspace workspace = executable.NewWorkspace();
  const int threads = 1 + static_cast<int>(rng.Below(2));
  const auto run = [&](const std::vector<Tensor>& inputs, int byte, int on) {
    std::vector<Tensor> outputs = DirtyOutputs(executable, byte);
    PoolOf(on).Run([&] { executable.Run(workspace, inputs, outputs); });
    ++counts.runs;
    return outputs;
  };
  const std::vector<Tensor> first = executable.ConvertInputs(sample);
  const std::vector<Tensor> expected = run(first, 0x55, threads);
  const bool has_result = executable.OtherCount(workspace).empty();
  // A run costs less than a plan by far: operands of many kinds for each.
  for (std::size_t count = 1 + rng.Below(15), i = 0; i < count; ++i) {
    run(executable.ConvertInputs(OtherSample(graph, rng)), 0x77, threads);
    static_cast<void>(executable.OtherCount(workspace));
  }
  const std::vector<Tensor> again = run(first, 0x33, 3 - threads);
  Require(has_result == executable.OtherCount(workspace).empty(),
          "the same inputs found another number of elements the second time");
  for (std::size_t i = 0; has_result && i < expected.size(); ++i) {
    Require(SameElements(expected[i], again[i]),
            fmt::format("output {} differs between two runs on the same inputs", i));
  }
}

void TryPlan(const Graph& graph, const std::vector<Tensor>& sample, Rng& rng, RunCounts& counts) {
  ValueOrError([&] {
    PrecisionPlan plan = AnyPlan(graph, rng);
    CompileOptions options;
    options.kernels.isa = AnyIsa(rng);
    options.kernels.reference_only = rng.Below(16) == 0;
    if (rng.Below(2) == 0) {
      options.choices = AnyChoices(graph, plan, options, 1 + static_cast<int>(rng.Below(2)), rng);
    }
    const Executable executable = Compile(graph, plan, options);
    Require(executable.peak_arena_bytes() >= executable.liveness_bound_bytes(),
            "an arena is smaller than what is alive in it");
    ++counts.plans;
    RunPlan(executable, graph, sample, rng, counts);
    if (rng.Below(8) == 0) {
      plan.overflow = OverflowArithmetic::kSaturate;
      const Executable saturating = Compile(graph, plan, options);
      const Executable reference = Compile(graph, ReferencePlan(graph));
      CheckedRunner runner(graph, saturating, [&]() -> const Executable& { return reference; });
      static_cast<void>(runner.Run(OtherSample(graph, rng), "wild"));
      static_cast<void>(Describe(runner.census(), kAllFindings));
      ++counts.runs;
    }
    return true;
  });
}

std::optional<Graph> Load(const Network& network) {
  const MemoryFile file(SerializedModel(network));
  return ValueOrError([&] {
    ImportOptions options;
    options.max_bytes = kMostBytes;
    options.sample = [&](const Graph& graph) { return FirstSample(network, graph); };
    for (const ValueId id : network.graph.inputs) {  // else an extent of 0 is a free one
      const Value& input = network.graph.value(id);
      options.input_shapes[input.name] = input.type.shape.dims();
    }
    return ImportOnnx(file.path(), options).graph;
  });
}

}  // namespace

void RunCounts::Add(const RunCounts& other) {
  networks += other.networks;
  loaded += other.loaded;
  large += other.large;
  plans += other.plans;
  runs += other.runs;
  compared += other.compared;
}

void RunNetwork(const Network& network, std::uint64_t seed, RunCounts& counts) {
  Rng rng(seed);
  ++counts.networks;
  const std::optional<Graph> loaded = Load(network);
  if (!loaded) {
    return;
  }
  ++counts.loaded;
  if (!IsSmall(*loaded)) {
    ++counts.large;
    return;
  }
  const std::vector<Tensor> sample = FirstSample(network, *loaded);
  if (rng.Below(4) == 0) {
    ValueOrError([&] {
      CompileOptions options;
      options.kernels.isa = AnyIsa(rng);
      counts.compared += CompareWithReferences(*loaded, sample, options);
      return true;
    });
  }
  const std::optional<Graph> graph = ValueOrError([&] {
    Graph optimized = *loaded;
    Canonicalize(optimized, FusionsOff(rng));
    return optimized;
  });
  constexpr int kPlans = 2;
  for (int i = 0; graph && i < kPlans; ++i) {
    TryPlan(*graph, sample, rng, counts);
  }
}

}  // namespace halftone::testing
