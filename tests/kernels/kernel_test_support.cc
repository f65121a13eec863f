#include "tests/kernels/kernel_test_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "kernels/parallel.h"
#include "src/base/error.h"
#include "src/ir/fused_operands.h"
#include "src/ir/layout.h"
#include "src/ir/op_table.h"
#include "tests/kernels/traps/instruction_traps.h"

namespace halftone::testing {
namespace {

constexpr std::size_t kGuardBytes = 256;
constexpr std::byte kGarbage{0xA5};

// Bytes with a guard behind them; aligned as the memory plan aligns.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t size_bytes)
      : size_bytes_(size_bytes),
        storage_(DType::kInt8, Shape{static_cast<std::int64_t>(size_bytes + kGuardBytes)}) {
    std::fill_n(storage_.mutable_data(), size_bytes + kGuardBytes, kGarbage);
  }

  std::byte* data() { return storage_.mutable_data(); }

  [[nodiscard]] bool GuardIsIntact() const {
    return std::all_of(storage_.data() + size_bytes_, storage_.data() + size_bytes_ + kGuardBytes,
                       [](std::byte b) { return b == kGarbage; });
  }

 private:
  std::size_t size_bytes_;
  Tensor storage_;
};

bool IsConstant(const KernelCall& call, std::size_t i) {
  return i < call.constant.size() && call.constant[i] && call.inputs[i].has_value();
}

// The query of a call; points into `call` and `outputs`.
KernelQuery QueryOf(const KernelCall& call, const std::vector<TensorType>& outputs) {
  KernelQuery query;
  query.op = call.op;
  query.attributes = &call.attributes;
  query.fusion = &call.fusion;
  query.layout = call.layout;
  query.impl_mode = call.impl_mode;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const auto& input = call.inputs[i];
    query.inputs.push_back(input ? &input->type() : nullptr);
    query.constants.push_back(IsConstant(call, i) ? &*input : nullptr);
  }
  for (const TensorType& output : outputs) {
    query.outputs.push_back(&output);
  }
  return query;
}

DType PrecisionDType(const KernelCall& call) {
  const auto signature = ParseSignature(InfoOf(call.op).inputs);
  for (std::size_t i = 0; i < signature.size() && i < call.inputs.size(); ++i) {
    if (signature[i].letter == 'T' && call.inputs[i]) {
      return call.inputs[i]->dtype();
    }
  }
  return !call.inputs.empty() && call.inputs[0] ? call.inputs[0]->dtype()
                                                : OutputTypesOf(call).at(0).dtype;
}

template <typename Visit>
void ForEachEntry(Visit visit) {
  for (const auto& table : AllKernelTables()) {
    for (const KernelEntry& entry : table) {
      visit(entry);
    }
  }
}

// `value` rounded once to `dtype`, as double.
double Rounded(DType dtype, double value) {
  alignas(8) std::byte storage[8] = {};
  StoreDouble(dtype, storage, 0, value);
  return DoubleAt(dtype, storage, 0);
}

bool IsWithin(DType dtype, double got, double exact, double allowed) {
  if (std::isnan(exact) || std::isnan(got)) {
    return std::isnan(exact) && std::isnan(got);
  }
  if (std::abs(got - exact) <= allowed || got == Rounded(dtype, exact)) {
    return true;
  }
  const double low = Rounded(dtype, exact - allowed);
  const double high = Rounded(dtype, exact + allowed);
  if (dtype == DType::kFloat16 || dtype == DType::kBFloat16) {
    return got >= low && got <= high;
  }
  // The bound of a float32 result contains its rounding; only overflow may round once more.
  return std::isinf(got) && (got == low || got == high);
}

}  // namespace

std::vector<TensorType> OutputTypesOf(const KernelCall& call) {
  if (!call.outputs.empty()) {
    return call.outputs;
  }
  ShapeQuery query{.attributes = call.attributes, .fusion = call.fusion};
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    query.inputs.push_back(call.inputs[i] ? &call.inputs[i]->type() : nullptr);
    query.constants.push_back(IsConstant(call, i) ? &*call.inputs[i] : nullptr);
  }
  return InfoOf(call.op).shape_rule(query);
}

Tensor WithChannelsLast(const Tensor& tensor) {
  const Shape& from = tensor.shape();
  Tensor result(tensor.dtype(), ChannelsLastOf(from));
  const std::size_t element = SizeOf(tensor.dtype());
  const std::int64_t pixels = from.ElementCount(2, from.rank());
  for (std::int64_t i = 0; i < from.ElementCount(); ++i) {
    const std::int64_t image = i / (from[1] * pixels);
    const std::int64_t channel = i / pixels % from[1];
    const std::int64_t to = (image * pixels + i % pixels) * from[1] + channel;
    std::copy_n(tensor.data() + static_cast<std::size_t>(i) * element, element,
                result.mutable_data() + static_cast<std::size_t>(to) * element);
  }
  return result;
}

std::vector<KernelCall> BothLayouts(const KernelCall& call) {
  std::vector<KernelCall> calls = {call};
  if (HasChannelsLast(call.inputs[0]->shape().rank())) {
    KernelCall last = call;
    last.layout.channels_last = true;
    last.inputs[0] = WithChannelsLast(*call.inputs[0]);
    if (IsFusedOperand(InfoOf(call.op), kResidualOperand) &&
        call.inputs.size() > kResidualOperand && call.inputs[kResidualOperand]) {
      last.inputs[kResidualOperand] = WithChannelsLast(*call.inputs[kResidualOperand]);
    }
    const bool linear = call.op == OpKind::kQLinearConv;
    if (linear && call.inputs.size() > kLinearResidualOperand) {
      last.inputs[kLinearResidualOperand] = WithChannelsLast(*call.inputs[kLinearResidualOperand]);
    }
    last.outputs = OutputTypesOf(call);
    last.outputs[0].shape = ChannelsLastOf(last.outputs[0].shape);
    calls.push_back(std::move(last));
  }
  return calls;
}

std::vector<const KernelEntry*> EntriesFor(const KernelCall& call) {
  const auto outputs = OutputTypesOf(call);
  const KernelQuery query = QueryOf(call, outputs);
  const DType dtype = PrecisionDType(call);
  const IsaMask isa = DetectIsa();
  const IsaMask trapped = IsaOfTrapRun();
  // Plain C++ is the same with fewer instruction sets, and takes long.
  const bool is_limited = (CpuIsa() & ~isa) != 0;
  std::vector<const KernelEntry*> entries;
  ForEachEntry([&](const KernelEntry& entry) {
    if (entry.op == call.op && entry.dtypes.Has(dtype) && (entry.isa & isa) == entry.isa &&
        !(entry.emulates && is_limited) &&
        (trapped == kIsaAny || (entry.isa & trapped) != 0 || entry.is_reference) &&
        (entry.refusal == nullptr || entry.refusal(query).empty())) {
      entries.push_back(&entry);
    }
  });
  if (IsaOfTrapRun() == kIsaAny) {
    return entries;
  }
  const auto rest = std::stable_partition(entries.begin(), entries.end(), [](const auto* entry) {
    return (entry->isa & IsaOfTrapRun()) != 0;
  });
  if (rest != entries.begin()) {
    entries.erase(rest, entries.end());
  } else {
    std::erase_if(entries, [](const KernelEntry* entry) { return !entry->is_reference; });
  }
  return entries;
}

bool IsTestedHere(const KernelCall& call) {
  if (IsaOfTrapRun() == kIsaAny) {
    return true;
  }
  const auto entries = EntriesFor(call);
  return !entries.empty() && !entries.front()->is_reference;
}

const KernelEntry& EntryNamed(std::string_view name) {
  const KernelEntry* found = nullptr;
  ForEachEntry([&](const KernelEntry& entry) { found = entry.name == name ? &entry : found; });
  if (found == nullptr) {
    throw Error(ErrorKind::kUsage, fmt::format("no kernel is named {}", name));
  }
  return *found;
}

std::vector<Tensor> RunEntry(const KernelEntry& entry, const KernelCall& call, int threads,
                             bool* other_count) {
  const auto outputs = OutputTypesOf(call);
  const auto state = entry.prepare(QueryOf(call, outputs));
  std::vector<const void*> inputs;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const bool consumed =
        i < call.constant.size() && call.constant[i] && state != nullptr && state->Consumed(i);
    inputs.push_back(call.inputs[i] && !consumed ? call.inputs[i]->data() : nullptr);
  }
  std::vector<GuardedBuffer> buffers;
  std::vector<void*> targets;
  for (const TensorType& output : outputs) {
    buffers.emplace_back(static_cast<std::size_t>(output.size_bytes()));
    targets.push_back(buffers.back().data());
  }
  const std::size_t scratch_bytes =
      entry.scratch_bytes != nullptr ? entry.scratch_bytes(*state) : 0;
  GuardedBuffer scratch(scratch_bytes);
  const KernelArgs args{state.get(), inputs, targets, scratch.data(), other_count};
  ThreadPool(threads).Run([&] { entry.run(args); });

  EXPECT_TRUE(scratch.GuardIsIntact()) << entry.name << " writes behind its scratch";
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_TRUE(buffers[i].GuardIsIntact()) << entry.name << " writes behind output " << i;
    results.emplace_back(outputs[i]);
    std::memcpy(results[i].mutable_data(), buffers[i].data(), results[i].size_bytes());
  }
  return results;
}

std::vector<Tensor> RunSelected(const KernelCall& call, int threads) {
  const auto outputs = OutputTypesOf(call);
  return RunEntry(*SelectKernel(QueryOf(call, outputs)).entry, call, threads);
}

std::vector<Tensor> ExactResult(const KernelCall& call) {
  KernelCall exact = call;
  exact.outputs = OutputTypesOf(call);
  for (auto& input : exact.inputs) {
    if (input && IsFloating(input->dtype())) {
      input = Convert(*input, DType::kFloat64);
    }
  }
  for (TensorType& output : exact.outputs) {
    if (IsFloating(output.dtype)) {
      output.dtype = DType::kFloat64;
    }
  }
  for (const KernelEntry* entry : EntriesFor(exact)) {
    if (entry->is_reference) {
      return RunEntry(*entry, exact);
    }
  }
  throw Error(ErrorKind::kInternal,
              fmt::format("no reference entry of {} computes in double", InfoOf(call.op).name));
}

::testing::AssertionResult AllWithin(const Tensor& got, const Tensor& exact,
                                     const ErrorBound& bound) {
  return AllWithin(got, exact, [&](std::int64_t, double value) {
    return std::isfinite(value) ? bound.relative * std::abs(value) + bound.absolute : 0.0;
  });
}

::testing::AssertionResult AllWithin(const Tensor& got, const Tensor& exact,
                                     const ElementBound& bound) {
  if (got.shape() != exact.shape()) {
    return ::testing::AssertionFailure()
           << "shape " << got.shape().ToString() << ", expected " << exact.shape().ToString();
  }
  const std::vector<double> values = DoublesOf(got);
  const std::vector<double> wanted = DoublesOf(exact);
  std::int64_t wrong_count = 0;
  std::int64_t worst = -1;
  double worst_excess = -1;
  for (std::int64_t i = 0; i < got.ElementCount(); ++i) {
    const double value = values[static_cast<std::size_t>(i)];
    const double want = wanted[static_cast<std::size_t>(i)];
    if (value == want) {
      continue;
    }
    const double allowed = bound(i, want);
    if (IsWithin(got.dtype(), value, want, allowed)) {
      continue;
    }
    ++wrong_count;
    const double error = std::abs(value - want);
    const double excess = std::isnan(error) ? std::numeric_limits<double>::infinity()
                                            : error / std::max(allowed, 1e-300);
    if (excess > worst_excess) {
      worst_excess = excess;
      worst = i;
    }
  }
  if (worst < 0) {
    return ::testing::AssertionSuccess();
  }
  const double value = values[static_cast<std::size_t>(worst)];
  const double want = wanted[static_cast<std::size_t>(worst)];
  return ::testing::AssertionFailure() << fmt::format(
             "{} of {} elements of {} out of bound; the worst at index {}: got {:.9g} ({:a}), "
             "exact "
             "{:.17g}, error {:.3g}, allowed {:.3g} before rounding",
             wrong_count, got.ElementCount(), got.type().ToString(), worst, value, value, want,
             std::abs(value - want), bound(worst, want));
}

::testing::AssertionResult AllWithinOrSpecial(const KernelEntry& entry, const Tensor& got,
                                              const Tensor& exact, double float32) {
  const ErrorBound bound{.relative = entry.product.Relative(float32)};
  if (entry.product.part_products == 1) {
    return AllWithin(got, exact, bound);
  }
  const auto finite_or_nan = [](const Tensor& tensor) {
    std::vector<double> values = DoublesOf(tensor);
    for (double& value : values) {
      value = std::isfinite(value) ? value : std::nan("");
    }
    return TensorOf(tensor.dtype(), tensor.shape(), values);
  };
  return AllWithin(finite_or_nan(got), finite_or_nan(exact), bound);
}

::testing::AssertionResult AllEqual(const Tensor& got, const Tensor& want) {
  if (got.type() != want.type()) {
    return ::testing::AssertionFailure()
           << got.type().ToString() << ", expected " << want.type().ToString();
  }
  if (got.size_bytes() == 0 || std::memcmp(got.data(), want.data(), got.size_bytes()) == 0) {
    return ::testing::AssertionSuccess();
  }
  const std::size_t size = SizeOf(got.dtype());
  for (std::int64_t i = 0; i < got.ElementCount(); ++i) {
    const double a = DoubleAt(got.dtype(), got.data(), i);
    const double b = DoubleAt(want.dtype(), want.data(), i);
    const auto at = static_cast<std::size_t>(i) * size;
    if (!(std::isnan(a) && std::isnan(b)) &&
        std::memcmp(got.data() + at, want.data() + at, size) != 0) {
      return ::testing::AssertionFailure()
             << fmt::format("at index {}: got {:.17g}, expected {:.17g}", i, a, b);
    }
  }
  return ::testing::AssertionSuccess();
}

Tensor RandomTensor(const TensorType& type, Rng& rng, double low, double high) {
  Tensor tensor(type);
  for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
    const double value = rng.Uniform(low, high);
    const double stored = type.dtype == DType::kBool ? static_cast<double>(value > (low + high) / 2)
                          : IsFloating(type.dtype)   ? value
                                                     : std::floor(value);
    StoreDouble(type.dtype, tensor.mutable_data(), i, stored);
  }
  return tensor;
}

std::vector<double> SpecialValues(DType dtype) {
  if (!IsFloating(dtype)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return {Rounded(dtype, -infinity), Rounded(dtype, infinity), 0, 1, Rounded(dtype, -1)};
  }
  // Least subnormal, least normal and largest finite number.
  double least = 0x1p-149;
  double normal = 0x1p-126;
  double largest = std::numeric_limits<float>::max();
  if (dtype == DType::kFloat16) {
    least = 0x1p-24;
    normal = 0x1p-14;
    largest = kFloat16Max;
  } else if (dtype == DType::kBFloat16) {
    least = 0x1p-133;
    largest = 0x1.fep127;
  }
  std::vector<double> values = {std::numeric_limits<double>::quiet_NaN()};
  for (const double value : {0.0, std::numeric_limits<double>::infinity(), least, normal - least,
                             normal, largest, 1.0, 2.0, 0.5, 1.5, 2.5, 88.0, 104.0}) {
    values.push_back(value);
    values.push_back(-value);
  }
  return values;
}

Tensor WithSpecialValues(const Tensor& tensor, Rng& rng, std::size_t every) {
  Tensor result(tensor.type());
  std::memcpy(result.mutable_data(), tensor.data(), tensor.size_bytes());
  const auto special = SpecialValues(tensor.dtype());
  for (std::int64_t i = 0; i < result.ElementCount(); ++i) {
    if (rng.Below(every) == 0) {
      StoreDouble(result.dtype(), result.mutable_data(), i, special[rng.Below(special.size())]);
    }
  }
  return result;
}

Tensor TensorOf(DType dtype, Shape shape, std::span<const double> values) {
  Tensor tensor(dtype, std::move(shape));
  Check(static_cast<std::size_t>(tensor.ElementCount()) == values.size(), "one value per element");
  for (std::size_t i = 0; i < values.size(); ++i) {
    StoreDouble(dtype, tensor.mutable_data(), static_cast<std::int64_t>(i), values[i]);
  }
  return tensor;
}

Tensor TensorOf(DType dtype, Shape shape, std::initializer_list<double> values) {
  return TensorOf(dtype, std::move(shape), std::span<const double>(values.begin(), values.size()));
}

}  // namespace halftone::testing
