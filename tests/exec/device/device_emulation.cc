#include "tests/exec/device/device_emulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "src/exec/checked_run.h"
#include "src/exec/executable.h"
#include "src/ir/ir_type.h"
#include "tests/support/node_in_double.h"

namespace halftone::testing {
namespace {

// Binary floating formats: significant bits, least exponent of a normal number, largest number.
struct Format {
  DType dtype;
  int bits;
  int least_exponent;
  double largest;
};

constexpr Format kFormats[] = {
    {DType::kFloat16, 11, -14, 65504},
    {DType::kBFloat16, 8, -126, 0x1.FEp127},
    {DType::kFloat32, 24, -126, 0x1.FFFFFEp127},
};

// To nearest even; beyond the largest number by half a step: an infinity, or that number.
double RoundTo(double value, DType dtype, bool saturate) {
  const auto* format = std::ranges::find(kFormats, dtype, &Format::dtype);
  if (format == std::end(kFormats) || value == 0) {
    return value;
  }
  const bool limited = saturate && dtype == DType::kFloat16;
  if (std::isnan(value)) {
    return limited ? 0 : value;
  }
  if (std::isinf(value)) {
    return limited ? std::copysign(format->largest, value) : value;
  }
  const int exponent = std::max(std::ilogb(value), format->least_exponent);
  const double step = std::ldexp(1.0, exponent - format->bits + 1);
  const double rounded = std::nearbyint(value / step) * step;
  if (std::abs(rounded) <= format->largest) {
    return rounded;
  }
  return std::copysign(limited ? format->largest : HUGE_VAL, value);
}

bool IsFinite(const Tensor& tensor) {
  return !IsFloating(tensor.dtype()) ||
         std::ranges::all_of(DoublesOf(tensor), [](double x) { return std::isfinite(x); });
}

// Elements of the value in another format, saturated where the target does.
Tensor InFormat(const Tensor& tensor, DType dtype, bool saturate) {
  if (!IsFloating(tensor.dtype()) || !IsFloating(dtype)) {
    return tensor;
  }
  Tensor rounded(dtype, tensor.shape());
  const std::vector<double> values = DoublesOf(tensor);
  for (std::size_t i = 0; i < values.size(); ++i) {
    StoreDouble(dtype, rounded.mutable_data(), static_cast<std::int64_t>(i),
                RoundTo(values[i], dtype, saturate));
  }
  return rounded;
}

Tensor Magnitudes(const Tensor& tensor) {
  if (!IsFloating(tensor.dtype())) {
    return tensor;
  }
  Tensor magnitudes(tensor.type());
  const std::vector<double> values = DoublesOf(tensor);
  for (std::size_t i = 0; i < values.size(); ++i) {
    StoreDouble(tensor.dtype(), magnitudes.mutable_data(), static_cast<std::int64_t>(i),
                std::abs(values[i]));
  }
  return magnitudes;
}

double Largest(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

constexpr double kUnit = 0x1p-24;  // unit roundoff of float32, in which kernels add

bool IsSum(OpKind op) {
  return op == OpKind::kMatMul || op == OpKind::kGemm || op == OpKind::kConv ||
         op == OpKind::kConvTranspose || op == OpKind::kReduceMean;
}

// No operator here has more terms than its largest operand has elements.
double TermsOf(const std::vector<Tensor>& operands) {
  std::int64_t terms = 1;
  for (const Tensor& operand : operands) {
    terms = std::max(terms, operand.ElementCount());
  }
  return static_cast<double>(terms);
}

// What one run made: by value of the network, the results of its steps.
class RecordedRun {
 public:
  RecordedRun(const Graph& graph, const PrecisionPlan& plan, const std::vector<Tensor>& sample)
      : executable_(Compile(graph, plan)) {
    const bool saturate = plan.overflow == OverflowArithmetic::kSaturate;
    inputs_ = executable_.ConvertInputs(sample);
    Workspace workspace = executable_.NewWorkspace();
    outputs_ = executable_.NewOutputs();
    executable_.RunObserved(
        workspace, inputs_, outputs_,
        [&](std::size_t step, std::span<void* const> results) { Record(step, results, saturate); });
  }

  [[nodiscard]] const Executable& executable() const { return executable_; }

  [[nodiscard]] const std::vector<Tensor>& inputs() const { return inputs_; }

  [[nodiscard]] const std::vector<Tensor>& outputs() const { return outputs_; }

  [[nodiscard]] const Tensor* Find(ValueId value, DType dtype) const {
    const auto found = made_.find({value, dtype});
    return found == made_.end() ? nullptr : &found->second;
  }

 private:
  void Record(std::size_t step, std::span<void* const> results, bool saturate) {
    const StepInfo& info = executable_.steps()[step];
    for (std::size_t i = 0; i < results.size(); ++i) {
      const TensorType& type = executable_.step_output_types(step)[i];
      if (results[i] == nullptr || info.values[i] == kNoValue || info.rearranged) {
        continue;
      }
      Tensor made(type);
      for (std::int64_t at = 0; at < type.shape.ElementCount() && IsFloating(type.dtype); ++at) {
        const double value = DoubleAt(type.dtype, results[i], at);
        if (!std::isfinite(value) && saturate && type.dtype == DType::kFloat16) {
          StoreDouble(type.dtype, results[i], at, RoundTo(value, type.dtype, true));
        }
      }
      std::memcpy(made.mutable_data(), results[i], made.size_bytes());
      made_[{info.values[i], type.dtype}] = info.channels_last ? ChannelsFirst(made) : made;
    }
  }

  // [N, ..., C] as [N, C, ...].
  static Tensor ChannelsFirst(const Tensor& tensor) {
    std::vector<std::int64_t> dims = tensor.shape().dims();
    std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
    Tensor turned(tensor.dtype(), Shape(dims));
    const std::int64_t channels = dims[1];
    const std::int64_t inner = tensor.ElementCount() / (dims[0] * channels);
    for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
      const std::int64_t image = i / (inner * channels);
      const std::int64_t place = i / channels % inner;
      const std::int64_t to = (image * channels + i % channels) * inner + place;
      StoreDouble(tensor.dtype(), turned.mutable_data(), to,
                  DoubleAt(tensor.dtype(), tensor.data(), i));
    }
    return turned;
  }

  Executable executable_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  std::map<std::pair<ValueId, DType>, Tensor> made_;
};

class Emulation {
 public:
  Emulation(const Graph& graph, const PrecisionPlan& plan, const TargetSpec& target,
            const RecordedRun& run, DeviceCounts& counts)
      : graph_(graph),
        plan_(plan),
        target_(target),
        run_(run),
        counts_(counts),
        saturate_(target.overflow == OverflowArithmetic::kSaturate) {}

  std::vector<std::string> Run() {
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      values_[graph_.inputs[i]] = run_.inputs()[i];
    }
    CheckSteps();
    for (NodeId n = 0; n < std::ssize(graph_.nodes); ++n) {
      Compare(n);
    }
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      CompareOutput(i);
    }
    return std::move(differences_);
  }

 private:
  void Differ(std::string sentence) { differences_.push_back(std::move(sentence)); }

  // Whether a row of the target's data lets the parts run as one: by their types, in one precision.
  [[nodiscard]] bool TargetFuses(const std::vector<const Node*>& parts) const {
    std::set<DType> dtypes;
    for (const Node* part : parts) {
      const NodePrecision& precision =
          plan_.nodes[static_cast<std::size_t>(part - graph_.nodes.data())];
      dtypes.insert({precision.inputs.at(0).dtype(), precision.outputs.at(0).dtype()});
    }
    return dtypes.size() == 1 &&
           std::ranges::any_of(*target_.fusions, [&](const TargetFusion& fusion) {
             return fusion.main.contains(IrTypeOf(graph_, *parts.front())) &&
                    std::all_of(parts.begin() + 1, parts.end(), [&](const Node* node) {
                      return fusion.others.contains(IrTypeOf(graph_, *node));
                    });
           });
  }

  void CheckSteps() {
    std::map<std::string, const Node*> by_name;
    for (const Node& node : graph_.nodes) {
      by_name.emplace(node.name, &node);
    }
    for (const StepInfo& step : run_.executable().steps()) {
      std::vector<const Node*> parts;
      for (const std::string& part : step.parts) {
        const Node* node = by_name.at(part);
        if (!InfoOf(node->op).Is(kMovesData) && !InfoOf(node->op).Is(kIsView)) {
          parts.push_back(node);
        }
      }
      if (parts.size() > 1 && !TargetFuses(parts)) {
        std::string names;
        for (const Node* node : parts) {
          names += fmt::format(" {}", Describe(*node));
        }
        Differ(fmt::format("one step computes{}, which {} does not fuse", names, target_.name));
      }
      for (std::size_t i = 1; parts.size() > 1 && i < parts.size(); ++i) {
        fused_into_[parts[i - 1]] = parts[i];
      }
    }
  }

  // The value as `node` reads it; empty: it is inside a fusion.
  [[nodiscard]] std::optional<Tensor> Operand(NodeId n, std::size_t i) const {
    const ValueId id = graph_.node(n).inputs[i];
    const DType read = plan_.node(n).inputs[i].dtype();
    if (id == kNoValue) {
      return Tensor(DType::kFloat32, Shape{0});
    }
    if (graph_.value(id).constant) {
      return InFormat(*graph_.value(id).constant, read, saturate_);
    }
    const auto made = values_.find(id);
    return made == values_.end() ? std::nullopt
                                 : std::optional(InFormat(made->second, read, saturate_));
  }

  void Compare(NodeId n) {
    const Node& node = graph_.node(n);
    if (fused_into_.contains(&node)) {
      ++counts_.fused;
      const auto begun = open_.find(node.inputs.at(0));
      std::vector<NodeId> chain = begun == open_.end() ? std::vector<NodeId>() : begun->second;
      chain.push_back(n);
      open_[node.outputs[0]] = std::move(chain);
      return;
    }
    std::vector<Tensor> operands;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      auto operand = Operand(n, i);
      if (!operand) {
        CompareFused(n);
        return;
      }
      operands.push_back(*std::move(operand));
    }
    const std::vector<Tensor> exact = InDouble(graph_, node, operands);
    const std::vector<double> error = ErrorsOf(node, operands, exact.at(0));
    const bool finite = std::ranges::all_of(operands, IsFinite);
    Settle(n, exact.at(0), finite && IsCompared(n) ? &error : nullptr);
  }

  // Nodes that the target runs as one, of which `last` makes the result: a convolution and the
  // norms behind it. Weights and bias are those of the model with the factors of the norms, rounded
  // once: |error| <= (2 u + (n + 32) 2^-24) (sum |x w'| + |b'|), u of the format of the weights.
  void CompareFused(NodeId last) {
    const Node& end = graph_.node(last);
    const auto begun = open_.find(end.inputs.at(0));
    if (begun == open_.end()) {
      Differ(fmt::format("{} reads what nothing made", Describe(end)));
      return;
    }
    std::vector<NodeId> chain = begun->second;
    chain.push_back(last);
    const NodeId main = chain.front();
    const Node& product = graph_.node(main);
    const auto x = Operand(main, 0);
    const bool known = std::all_of(chain.begin() + 1, chain.end(), [&](NodeId n) {
      return graph_.node(n).op == OpKind::kBatchNormalization;
    });
    if (product.op != OpKind::kConv || !known || !x) {
      Differ(fmt::format("{} to {} are one step, which this check does not know", Describe(product),
                         Describe(end)));
      return;
    }
    std::vector<Tensor> operands = {*x};
    for (std::size_t i = 1; i < product.inputs.size(); ++i) {
      operands.push_back(*graph_.value(product.inputs[i]).constant);
    }
    std::vector<Tensor> magnitudes;
    for (const Tensor& operand : operands) {
      magnitudes.push_back(Magnitudes(operand));
    }
    Tensor y = InDouble(graph_, product, operands).at(0);
    std::vector<double> all = DoublesOf(InDouble(graph_, product, magnitudes).at(0));
    for (const NodeId n : std::span(chain).subspan(1)) {
      Normalize(graph_.node(n), y, all);
    }
    const DType weights = plan_.node(main).inputs.at(1).dtype();
    const double u = weights == DType::kFloat16    ? 0x1p-11
                     : weights == DType::kBFloat16 ? 0x1p-8
                                                   : kUnit;
    const double half_step = weights == DType::kFloat16 ? 0x1p-25 : 0;  // of subnormal weights
    for (double& error : all) {
      error = (2 * u + (TermsOf(operands) + 32) * kUnit) * error +
              half_step * TermsOf(operands) * Largest(DoublesOf(*x));
    }
    Settle(last, y, IsFinite(*x) ? &all : nullptr);
  }

  // y becomes the norm of y, `all` the sum of magnitudes behind it.
  void Normalize(const Node& norm, Tensor& y, std::vector<double>& all) const {
    const auto parameter = [&](std::size_t i) {
      return DoublesOf(*graph_.value(norm.inputs.at(i)).constant);
    };
    const std::vector<double> scale = parameter(1);
    const std::vector<double> bias = parameter(2);
    const std::vector<double> mean = parameter(3);
    const std::vector<double> variance = parameter(4);
    const double epsilon = norm.attributes.Float("epsilon", 1e-5F);
    const auto inner = static_cast<std::size_t>(y.ElementCount() / y.shape()[1] / y.shape()[0]);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t c = i / inner % scale.size();
      const double factor = scale[c] / std::sqrt(variance[c] + epsilon);
      const auto at = static_cast<std::int64_t>(i);
      StoreDouble(DType::kFloat64, y.mutable_data(), at,
                  (DoubleAt(DType::kFloat64, y.data(), at) - mean[c]) * factor + bias[c]);
      all[i] = std::abs(factor) * (all[i] + std::abs(mean[c])) + std::abs(bias[c]);
    }
  }

  // Kernels in other modes have bounds of their own, which their tests have.
  [[nodiscard]] bool IsCompared(NodeId n) const {
    const OpInfo& info = InfoOf(graph_.node(n).op);
    const ImplMode mode = plan_.node(n).impl_mode;
    const bool moves = info.Is(kMovesData) || info.Is(kIsView);
    return moves || mode == ImplMode::kHighPrecision || mode == ImplMode::kDefault;
  }

  // An output is the value of its node, in the type of the interface.
  void CompareOutput(std::size_t i) {
    const Tensor& got = run_.outputs()[i];
    const auto made = values_.find(graph_.outputs[i]);
    if (made == values_.end()) {
      Differ(fmt::format("output {} has no value of its own", i));
      return;
    }
    const Tensor want = InFormat(made->second, got.dtype(), saturate_);
    const std::vector<double> left = DoublesOf(got);
    const std::vector<double> right = DoublesOf(want);
    for (std::size_t at = 0; at < left.size(); ++at) {
      if (left[at] != right[at] && !(std::isnan(left[at]) && std::isnan(right[at]))) {
        Differ(fmt::format("output {}: element {} is {}, its node made {}", i, at, left[at],
                           right[at]));
        return;
      }
    }
    counts_.exact += std::ssize(left);
    counts_.values += std::ssize(left);
  }

  // By element, before rounding; zeros: equal to the bit.
  [[nodiscard]] std::vector<double> ErrorsOf(const Node& node, const std::vector<Tensor>& operands,
                                             const Tensor& exact) const {
    const std::vector<double> y = DoublesOf(exact);
    std::vector<double> errors(y.size(), 0);
    const OpInfo& info = InfoOf(node.op);
    if (info.Is(kMovesData) || info.Is(kIsView) || node.op == OpKind::kRelu ||
        node.op == OpKind::kClip) {
      return errors;
    }
    std::vector<double> sums = y;
    double units = 32;  // 16 units in the last place
    double largest = 0;
    for (const Tensor& operand : operands) {
      largest = std::max(largest, Largest(DoublesOf(operand)));
    }
    if (IsSum(node.op)) {
      std::vector<Tensor> magnitudes;
      for (const Tensor& operand : operands) {
        magnitudes.push_back(Magnitudes(operand));
      }
      sums = DoublesOf(InDouble(graph_, node, magnitudes).at(0));
      units = TermsOf(operands) + 32;
    } else if (node.op == OpKind::kSoftmax) {
      units = TermsOf(operands) + 32 + 4 * largest;
    } else if (node.op == OpKind::kBatchNormalization) {
      const double factor = Largest(DoublesOf(operands[1])) / std::sqrt(0.25);
      const double all =
          factor * (Largest(DoublesOf(operands[0])) + Largest(DoublesOf(operands[3])));
      std::ranges::fill(sums, all + Largest(DoublesOf(operands[2])));
    } else {
      for (double& sum : sums) {
        sum = std::max(std::abs(sum), largest);
      }
    }
    for (std::size_t i = 0; i < errors.size(); ++i) {
      errors[i] = units * kUnit * std::abs(sums[i]) + 0x1p-149;
    }
    return errors;
  }

  // Compares what the run made of the node, and takes it for what follows. Null: too many
  // infinities, or a kernel with another bound; that it was made in its format is checked all the
  // same.
  void Settle(NodeId n, const Tensor& exact, const std::vector<double>* errors) {
    const Node& node = graph_.node(n);
    const ValueId id = node.outputs[0];
    const DType dtype = plan_.node(n).outputs[0].dtype();
    const bool moves = InfoOf(node.op).Is(kMovesData) || InfoOf(node.op).Is(kIsView);
    const Tensor* made = run_.Find(id, dtype);
    if (moves) {  // rounded where its way begins, or read in another order: its
      values_[id] = InFormat(exact, dtype, saturate_);  // readers tell
      return;
    }
    if (made == nullptr) {
      Differ(fmt::format("{} makes no value in {}", Describe(node), NameOf(dtype)));
      values_[id] = InFormat(exact, dtype, saturate_);
      return;
    }
    values_[id] = *made;
    const std::vector<double> got = DoublesOf(*made);
    for (const double value : got) {
      counts_.saturated +=
          saturate_ && dtype == DType::kFloat16 && std::abs(value) == 65504 ? 1 : 0;
      counts_.not_finite += std::isfinite(value) ? 0 : 1;
    }
    if (errors == nullptr) {
      return;
    }
    const std::vector<double> want = DoublesOf(exact);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double low = RoundTo(want[i] - (*errors)[i], dtype, saturate_);
      const double high = RoundTo(want[i] + (*errors)[i], dtype, saturate_);
      ++counts_.values;
      counts_.exact += (*errors)[i] == 0 ? 1 : 0;
      if (!(low <= got[i] && got[i] <= high)) {
        Differ(fmt::format("{} of {} in {}: element {} is {}, by itself it would be {} +- {}",
                           Describe(node), NameOf(plan_.node(n).inputs[0]), NameOf(dtype), i,
                           got[i], want[i], (*errors)[i]));
        return;
      }
    }
  }

  const Graph& graph_;
  const PrecisionPlan& plan_;
  const TargetSpec& target_;
  const RecordedRun& run_;
  DeviceCounts& counts_;
  bool saturate_;
  std::map<ValueId, Tensor> values_;             // as their nodes made them
  std::map<ValueId, std::vector<NodeId>> open_;  // results inside fusions, and what makes them
  std::map<const Node*, const Node*> fused_into_;
  std::vector<std::string> differences_;
};

}  // namespace

std::vector<std::string> DifferencesOf(const Graph& graph, const PrecisionPlan& plan,
                                       const TargetSpec& target, const std::vector<Tensor>& sample,
                                       DeviceCounts& counts) {
  const RecordedRun run(graph, plan, sample);
  std::vector<std::string> differences = Emulation(graph, plan, target, run, counts).Run();
  // What accuracy is measured on has the same bits.
  const Executable executable = Compile(graph, plan);
  const Executable reference = Compile(graph, ReferencePlan(graph), {.fuse = false});
  CheckedRunner runner(graph, executable, [&]() -> const Executable& { return reference; });
  const std::vector<Tensor> measured = runner.Run(sample, "sample");
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (std::memcmp(measured[i].data(), run.outputs()[i].data(), measured[i].size_bytes()) != 0 &&
        IsFinite(measured[i])) {
      differences.push_back(fmt::format("output {} has other bits in a checked run", i));
    }
  }
  ++counts.plans;
  return differences;
}

}  // namespace halftone::testing
