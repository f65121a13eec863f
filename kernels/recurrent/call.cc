#include <fmt/format.h>

#include <algorithm>

#include "kernels/recurrent/recurrent.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Reads f, g and h of each direction from the attributes. alpha and beta go, in order, to the
// functions that take them.
void ReadActivations(const Attributes& attributes, RecurrentCall& call) {
  const std::size_t each = call.op == OpKind::kLstm ? 3 : call.op == OpKind::kGru ? 2 : 1;
  const std::string fallback = call.op == OpKind::kLstm  ? "Sigmoid Tanh Tanh"
                               : call.op == OpKind::kGru ? "Sigmoid Tanh"
                                                         : "Tanh";
  std::string text = attributes.Text("activations", "");
  if (text.empty()) {
    text = call.directions == 2 ? fallback + " " + fallback : fallback;
  }
  const auto names = Split(text, ' ');
  if (names.size() != each * static_cast<std::size_t>(call.directions)) {
    throw Error(ErrorKind::kModel,
                fmt::format("attribute 'activations': expected {} names, got {}",
                            each * static_cast<std::size_t>(call.directions), names.size()));
  }
  const std::vector<float> alphas = attributes.Floats("activation_alpha");
  const std::vector<float> betas = attributes.Floats("activation_beta");
  auto alpha = alphas.begin();
  auto beta = betas.begin();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ActivationRow* row = FindActivation(names[i]);
    if (row == nullptr) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("attribute 'activations': '{}' is not supported", names[i]));
    }
    Activation& activation = call.activations[i / each][i % each];
    activation = {row->kind, row->alpha, row->beta};
    if (row->takes_alpha && alpha != alphas.end()) {
      activation.alpha = *alpha++;
    }
    if (row->takes_beta && beta != betas.end()) {
      activation.beta = *beta++;
    }
  }
}

}  // namespace

std::int64_t RecurrentCall::Length(const KernelArgs& args, std::int64_t b) const noexcept {
  if (!has[kSequenceLens]) {
    return steps;
  }
  const void* lengths = args.inputs[kSequenceLens];
  const std::int64_t length = wide_lengths ? static_cast<const std::int64_t*>(lengths)[b]
                                           : static_cast<const std::int32_t*>(lengths)[b];
  return std::clamp<std::int64_t>(length, 0, steps);
}

RecurrentCall RecurrentCallOf(const KernelQuery& query) {
  RecurrentCall call;
  const Attributes& attributes = *query.attributes;
  const Shape& x = query.inputs.at(kX)->shape;
  const Shape& r = query.inputs.at(kR)->shape;
  call.op = query.op;
  call.dtype = query.inputs[kX]->dtype;
  call.batch_first = attributes.Int("layout", 0) == 1;
  call.steps = x[call.batch_first ? 1 : 0];
  call.batch = x[call.batch_first ? 0 : 1];
  call.input = x[2];
  call.directions = r[0];
  call.hidden = r[2];
  call.gates = query.op == OpKind::kLstm ? 4 : query.op == OpKind::kGru ? 3 : 1;
  call.first_reversed = attributes.Text("direction", "forward") == "reverse";
  if (const float clip = attributes.Float("clip", 0); clip > 0) {
    call.clip = clip;
  }
  call.linear_before_reset = attributes.Int("linear_before_reset", 0) != 0;
  call.input_forget = attributes.Int("input_forget", 0) != 0;
  for (std::size_t i = 0; i < call.has.size(); ++i) {
    call.has[i] = query.Input(i) != nullptr;
  }
  call.wide_lengths =
      call.has[kSequenceLens] && query.inputs[kSequenceLens]->dtype == DType::kInt64;
  ReadActivations(attributes, call);
  return call;
}

}  // namespace halftone
