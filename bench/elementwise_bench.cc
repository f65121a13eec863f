// Every entry of the element-wise, softmax, normalisation and reduction tables, at sizes that fit
// L1, L2 and DRAM of the development machine (48 KiB, 1 MiB, beyond the L3 share). One thread. Each
// result is compared with the specification once, before timing.
//   halftone_bench --benchmark_filter='unary.exp.*/f32/4096'
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/benches.h"
#include "bench/peak/roof.h"
#include "kernels/binary/binary.h"
#include "kernels/kernel_table.h"
#include "kernels/normalization/normalization.h"
#include "kernels/parallel.h"
#include "kernels/reduce/reduce.h"
#include "kernels/softmax/softmax.h"
#include "kernels/unary/unary.h"
#include "src/base/rng.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

constexpr std::array<std::int64_t, 3> kElementCounts = {1 << 12, 1 << 17, 1 << 24};
constexpr std::int64_t kRow = 512;  // the reduced or normalised axis

Tensor RandomOperand(DType dtype, Shape shape, double low, double high) {
  Tensor tensor(dtype, std::move(shape));
  Rng rng(1);
  for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
    StoreDouble(dtype, tensor.mutable_data(), i, rng.Uniform(low, high));
  }
  return tensor;
}

// True for normalizations whose scale and bias have the shape of a row.
bool IsRowNormalization(OpKind op) {
  return op == OpKind::kLayerNormalization || op == OpKind::kRmsNormalization;
}

// Operands for any operator of these families: a matrix of rows, a second operand by the letter of
// its signature.
std::vector<Tensor> OperandsFor(OpKind op, DType dtype, std::int64_t count) {
  const Shape shape{count / kRow, kRow};
  const auto signature = ParseSignature(InfoOf(op).inputs);
  std::vector<Tensor> operands;
  for (std::size_t i = 0; i < signature.size() && !signature[i].optional; ++i) {
    switch (signature[i].letter) {
      case 'F':
        operands.push_back(RandomOperand(DType::kFloat32, {kRow}, 0.5, 2));
        break;
      case 'B':
        operands.push_back(RandomOperand(DType::kBool, shape, 0, 2));
        break;
      default:
        operands.push_back(
            RandomOperand(dtype, IsRowNormalization(op) && i > 0 ? Shape{kRow} : shape, 0.1, 4));
    }
  }
  if (InfoOf(op).inputs == "TL?") {
    const std::int64_t axis = 1;
    operands.push_back(Tensor::From<std::int64_t>({1}, {&axis, 1}));
  }
  return operands;
}

struct Prepared {
  Attributes attributes;
  Fusion fusion;
  std::vector<Tensor> operands;
  std::vector<Tensor> outputs;
  KernelQuery query;
};

void FillQuery(Prepared& call, OpKind op) {
  ShapeQuery shapes{call.attributes, {}, {}, 1};
  for (const Tensor& operand : call.operands) {
    const bool constant = operand.dtype() == DType::kInt64;
    shapes.inputs.push_back(&operand.type());
    shapes.constants.push_back(constant ? &operand : nullptr);
  }
  for (const TensorType& type : InfoOf(op).shape_rule(shapes)) {
    call.outputs.emplace_back(type);
  }
  call.query.op = op;
  call.query.attributes = &call.attributes;
  call.query.fusion = &call.fusion;
  call.query.inputs = shapes.inputs;
  call.query.constants = shapes.constants;
  for (const Tensor& output : call.outputs) {
    call.query.outputs.push_back(&output.type());
  }
}

void RunOnce(const KernelEntry& entry, const KernelState& state, Prepared& call,
             std::byte* scratch) {
  std::vector<const void*> inputs;
  for (const Tensor& operand : call.operands) {
    inputs.push_back(operand.data());
  }
  std::vector<void*> outputs;
  for (Tensor& output : call.outputs) {
    outputs.push_back(output.mutable_data());
  }
  entry.run({&state, inputs, outputs, scratch});
}

Tensor Scratch(const KernelEntry& entry, const KernelState& state) {
  const std::size_t size = entry.scratch_bytes != nullptr ? entry.scratch_bytes(state) : 0;
  return Tensor(DType::kUInt8, {static_cast<std::int64_t>(size)});
}

// A gross check: 2 % plus a 16-bit rounding; the tests hold the bounds. Errors of arithmetic in
// float16 are relative to the largest element, because differences of neighbours cancel.
bool AgreesWithReference(const KernelEntry& entry, Prepared& call) {
  const KernelChoice choice = SelectKernel(call.query, {.reference_only = true});
  const auto state = choice.entry->prepare(call.query);
  Tensor scratch = Scratch(*choice.entry, *state);
  const std::vector<double> got = DoublesOf(call.outputs[0]);
  RunOnce(*choice.entry, *state, call, scratch.mutable_data());
  const std::vector<double> want = DoublesOf(call.outputs[0]);
  double largest = 0;
  for (const double value : want) {
    largest = entry.float16_arithmetic && std::isfinite(value) ? std::max(largest, std::abs(value))
                                                               : largest;
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isfinite(want[i]) &&
        !(std::abs(got[i] - want[i]) <= 0.02 * std::max(std::abs(want[i]), largest) + 1e-3)) {
      return false;
    }
  }
  return true;
}

// Softmax with scale and mask, as attention has it.
enum class Form : std::uint8_t { kPlain, kMasked };

void Measure(benchmark::State& timing, const KernelEntry& entry, DType dtype, std::int64_t count,
             Form form) {
  Prepared call;
  call.operands = OperandsFor(entry.op, dtype, count);
  if (form == Form::kMasked) {
    call.operands.push_back(RandomOperand(dtype, {kRow}, -4, 0));
    call.fusion.softmax = StepSoftmax{.scale = 0.125F};
  }
  if (entry.op == OpKind::kArgMax || entry.op == OpKind::kArgMin) {
    call.attributes.Set("axis", std::int64_t{1});
  }
  if (entry.op == OpKind::kMeanVarianceNormalization) {
    call.attributes.Set("axes", std::vector<std::int64_t>{1});
  }
  if (entry.op == OpKind::kMod) {
    call.attributes.Set("fmod", std::int64_t{1});
  }
  FillQuery(call, entry.op);
  if (entry.refusal != nullptr && !entry.refusal(call.query).empty()) {
    timing.SkipWithError(std::string(entry.refusal(call.query)).c_str());
    return;
  }
  const auto state = entry.prepare(call.query);
  Tensor scratch = Scratch(entry, *state);
  const ThreadPool pool(1);
  pool.Run([&] { RunOnce(entry, *state, call, scratch.mutable_data()); });
  if (count <= kElementCounts[0] && !AgreesWithReference(entry, call)) {
    timing.SkipWithError("the result differs from the reference");
    return;
  }
  pool.Run([&] {
    for (auto _ : timing) {
      RunOnce(entry, *state, call, scratch.mutable_data());
      benchmark::ClobberMemory();
    }
  });
  KernelWork work{.written = static_cast<double>(call.outputs[0].size_bytes())};
  for (const Tensor& tensor : call.operands) {
    work.read += static_cast<double>(tensor.size_bytes());
  }
  using benchmark::Counter;
  timing.SetItemsProcessed(timing.iterations() * count);
  timing.counters["bytes"] = Counter(work.read + work.written, Counter::kIsIterationInvariantRate);
  timing.counters["of_roof"] =
      Counter(RoofSeconds(entry, work), Counter::kIsIterationInvariantRate);
}

// References, operators whose operands are unlike the above, and the squares and cubes of Pow are
// left out.
bool IsMeasured(const KernelEntry& entry) {
  return !entry.is_reference && entry.name != "binary.pow.product" &&
         entry.op != OpKind::kInstanceNormalization && entry.op != OpKind::kGroupNormalization &&
         entry.op != OpKind::kLrn && (entry.isa & DetectIsa()) == entry.isa;
}

void Register(const KernelEntry& entry, DType dtype, std::int64_t count, Form form) {
  const std::string name = std::string(entry.name) + (form == Form::kMasked ? "/masked/" : "/") +
                           std::string(ShortNameOf(dtype)) + "/" + std::to_string(count);
  benchmark::RegisterBenchmark(name.c_str(),
                               [&entry, dtype, count, form](benchmark::State& timing) {
                                 Measure(timing, entry, dtype, count, form);
                               });
}

void RegisterCounts(const KernelEntry& entry, DType dtype) {
  for (const std::int64_t count : kElementCounts) {
    Register(entry, dtype, count, Form::kPlain);
    if (entry.op == OpKind::kSoftmax && !entry.float16_arithmetic) {  // takes no mask
      Register(entry, dtype, count, Form::kMasked);
    }
  }
}

void RegisterEntry(const KernelEntry& entry) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    if (IsMeasured(entry) && entry.dtypes.Has(dtype)) {
      RegisterCounts(entry, dtype);
    }
  }
}

}  // namespace

void RegisterElementwiseBenches() {
  for (const auto table : {UnaryKernels(), BinaryKernels(), SoftmaxKernels(), ReduceKernels(),
                           NormalizationKernels()}) {
    for (const KernelEntry& entry : table) {
      RegisterEntry(entry);
    }
  }
}

}  // namespace halftone
