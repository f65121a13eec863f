#include "src/exec/checked_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/nonfinite.h"
#include "src/ir/layout.h"

namespace halftone {

// Elements of the reference that are not finite on one sample.
class CheckedRunner::ReferenceRun {
 public:
  ReferenceRun(const Graph& graph, const Executable& reference, std::span<const Tensor> sample)
      : graph_(graph), reference_(reference) {
    const std::vector<Tensor> inputs = reference.ConvertInputs(sample);
    const std::vector<int> input_buffers = reference.input_buffers();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Keep(input_buffers[i], inputs[i].type(), inputs[i].data(), false);
    }
    Workspace workspace = reference.NewWorkspace();
    std::vector<Tensor> outputs = reference.NewOutputs();
    reference.RunObserved(workspace, inputs, outputs,
                          [&](std::size_t step, std::span<void* const> data) {
                            const auto types = reference.step_output_types(step);
                            for (std::size_t i = 0; i < data.size(); ++i) {
                              const StepInfo& info = reference.steps()[step];
                              Keep(info.writes[i], types[i], data[i], info.channels_last);
                            }
                          });
  }

  // True if every element of the value is finite in the reference; constants count as finite.
  [[nodiscard]] bool IsFinite(ValueId value) const {
    return graph_.value(value).constant || !not_finite_.contains(reference_.BufferOf(value));
  }

  [[nodiscard]] bool IsFinite(ValueId value, std::int64_t element) const {
    if (const auto& constant = graph_.value(value).constant) {
      return std::isfinite(DoubleAt(constant->dtype(), constant->data(), element));
    }
    const auto found = not_finite_.find(reference_.BufferOf(value));
    return found == not_finite_.end() || !found->second[static_cast<std::size_t>(element)];
  }

 private:
  // Bits stand in the order of the graph's layout.
  void Keep(int buffer, const TensorType& type, const void* data, bool channels_last) {
    const std::int64_t count = type.shape.ElementCount();
    if (data == nullptr || !FirstNonFinite(type.dtype, data, count)) {
      return;
    }
    std::vector<bool>& bits = not_finite_[buffer];
    bits.resize(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t element = channels_last ? ChannelsFirstElement(type.shape, i) : i;
      bits[static_cast<std::size_t>(element)] = !std::isfinite(DoubleAt(type.dtype, data, i));
    }
  }

  const Graph& graph_;
  const Executable& reference_;
  std::map<int, std::vector<bool>> not_finite_;  // by buffer; all finite: no entry
};

struct CheckedRunner::Tally {
  std::int64_t infinities = 0;
  std::int64_t nans = 0;
  std::int64_t first = 0;  // in the order of the graph's layout
  double first_value = 0;

  [[nodiscard]] bool empty() const { return infinities + nans == 0; }
};

CheckedRunner::CheckedRunner(const Graph& graph, const Executable& executable, Reference reference)
    : graph_(graph),
      executable_(executable),
      reference_(std::move(reference)),
      workspace_(executable.NewWorkspace()) {}

CheckedRunner::~CheckedRunner() = default;

std::vector<Tensor> CheckedRunner::Run(std::span<const Tensor> sample, std::string_view name) {
  sample_ = sample;
  sample_name_ = name;
  reference_run_.reset();
  tainted_.assign(executable_.buffer_count(), false);
  ended_.assign(executable_.buffer_count(), false);
  const std::vector<Tensor> inputs = executable_.ConvertInputs(sample);
  CheckInputs(sample, inputs);
  std::vector<Tensor> outputs = executable_.NewOutputs();
  executable_.RunObserved(
      workspace_, inputs, outputs,
      [this](std::size_t step, std::span<void* const> data) { CheckStep(step, data); });
  ++tally_.samples_;
  return outputs;
}

void CensusTally::Add(const CensusTally& later) {
  for (const auto& [place, found] : later.findings_) {
    const auto [entry, is_new] = findings_.try_emplace(place, found);
    OverflowFinding& finding = entry->second;
    if (is_new) {
      finding.first_sample += samples_;
      continue;
    }
    finding.infinities += found.infinities;
    finding.nans += found.nans;
    finding.samples += found.samples;
  }
  samples_ += later.samples_;
  status_ = status_ || later.status_;
}

OverflowCensus CensusTally::census() const {
  OverflowCensus census{.samples = samples_, .status = status_, .findings = {}};
  for (const auto& [place, finding] : findings_) {
    census.findings.push_back(finding);
  }
  return census;
}

bool CheckedRunner::outputs_overflowed() const {
  const std::vector<int> buffers = executable_.output_buffers();
  return std::any_of(buffers.begin(), buffers.end(), [this](int buffer) {
    return buffer >= 0 && tainted_.at(static_cast<std::size_t>(buffer));
  });
}

void CheckedRunner::CheckInputs(std::span<const Tensor> sample, std::span<const Tensor> converted) {
  const std::vector<int> buffers = executable_.input_buffers();
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const TensorType& type = converted[i].type();
    const auto first = FirstNonFinite(type.dtype, converted[i].data(), type.shape.ElementCount());
    if (!first || type == sample[i].type()) {
      continue;
    }
    const ValueId value = graph_.inputs[i];
    const Tally tally = Count(type, converted[i].data(), *first, value, Order::kOfGraph);
    if (!tally.empty()) {
      tainted_[static_cast<std::size_t>(buffers[i])] = true;
      OverflowFinding names;
      names.node = fmt::format("input {}", graph_.value(value).name);
      names.op = "Cast";
      Note({0, i}, names, type, tally);
    }
  }
}

void CheckedRunner::CheckStep(std::size_t step, std::span<void* const> outputs) {
  const StepInfo& info = executable_.steps()[step];
  const auto types = executable_.step_output_types(step);
  const auto reads = [&info](const std::vector<bool>& marked) {
    return std::ranges::any_of(info.reads, [&](int buffer) {
      return buffer >= 0 && marked[static_cast<std::size_t>(buffer)];
    });
  };
  const bool follows = reads(tainted_);
  const bool follows_end = reads(ended_);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const TensorType& type = types[i];
    const std::int64_t count = type.shape.ElementCount();
    if (outputs[i] == nullptr || info.writes[i] < 0) {
      continue;
    }
    ended_[static_cast<std::size_t>(info.writes[i])] = follows_end;
    const auto first = FirstNonFinite(type.dtype, outputs[i], count);
    if (!first) {
      continue;
    }
    tally_.status_ =
        tally_.status_ || type.dtype == DType::kFloat16 || type.dtype == DType::kBFloat16;
    const Order order = info.rearranged      ? Order::kOther
                        : info.channels_last ? Order::kChannelsLast
                                             : Order::kOfGraph;
    const Tally tally = Count(type, outputs[i], *first, info.values[i], order);
    const bool saturates =
        executable_.overflow() == OverflowArithmetic::kSaturate && type.dtype == DType::kFloat16;
    OverflowFinding names;
    names.node = info.node;
    names.op = info.node_op;
    names.output = static_cast<int>(i);
    names.saturated = saturates;
    const TensorType of_graph{type.dtype,
                              info.channels_last ? ChannelsFirstOf(type.shape) : type.shape};
    if (saturates) {
      const Tally ended = Count(type, outputs[i], *first, info.values[i], order, Where::kNotFinite);
      if (!ended.empty() && !follows_end) {
        OverflowFinding too = names;
        too.in_float32_too = true;
        Note({step + 1, outputs.size() + i}, too, of_graph, ended);
      }
      ended_[static_cast<std::size_t>(info.writes[i])] = follows_end || !ended.empty();
      SaturateFloat16(outputs[i], count);
    } else {
      tainted_[static_cast<std::size_t>(info.writes[i])] = !tally.empty();
    }
    if (!tally.empty() && !follows) {
      Note({step + 1, i}, names, of_graph, tally);
    }
  }
}

CheckedRunner::Tally CheckedRunner::Count(const TensorType& type, const void* data,
                                          std::int64_t first, ValueId value, Order order,
                                          Where where) {
  if (reference_run_ == nullptr) {
    reference_run_ = std::make_unique<ReferenceRun>(graph_, reference_(), sample_);
  }
  Tally tally;
  const bool counts_finite = where == Where::kFinite;
  if (order == Order::kOther && (!counts_finite || !reference_run_->IsFinite(value))) {
    return tally;  // which elements are not finite is not known: the next step tells
  }
  const std::int64_t count = type.shape.ElementCount();
  for (std::int64_t i = first; i < count; ++i) {
    const double element = DoubleAt(type.dtype, data, i);
    const std::int64_t place =
        order == Order::kChannelsLast ? ChannelsFirstElement(type.shape, i) : i;
    if (std::isfinite(element) || (!counts_finite && std::isnan(element)) ||
        (order != Order::kOther && reference_run_->IsFinite(value, place) != counts_finite)) {
      continue;
    }
    if (tally.empty() || place < tally.first) {
      tally.first = place;
      tally.first_value = element;
    }
    ++(std::isnan(element) ? tally.nans : tally.infinities);
  }
  return tally;
}

void CheckedRunner::Note(const std::pair<std::size_t, std::size_t>& place,
                         const OverflowFinding& names, const TensorType& type, const Tally& tally) {
  OverflowFinding& finding = tally_.findings_.try_emplace(place, names).first->second;
  if (finding.samples == 0) {
    finding.dtype = type.dtype;
    finding.first_sample = tally_.samples_;
    finding.first_sample_name = sample_name_;
    finding.first_value = std::isnan(tally.first_value) ? "NaN"
                          : tally.first_value < 0       ? "-Inf"
                                                        : "Inf";
    finding.first_element.resize(static_cast<std::size_t>(type.shape.rank()));
    std::int64_t rest = tally.first;
    for (int axis = type.shape.rank() - 1; axis >= 0; --axis) {
      finding.first_element[static_cast<std::size_t>(axis)] = rest % type.shape[axis];
      rest /= type.shape[axis];
    }
  }
  finding.infinities += tally.infinities;
  finding.nans += tally.nans;
  ++finding.samples;
}

}  // namespace halftone
