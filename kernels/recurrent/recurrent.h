// LSTM, GRU and RNN over a sequence.
//
// The gates have the order of ONNX: LSTM i, o, f, c; GRU z, r, h. The packed entries first compute
// the products of all inputs with W as one matrix product, and then, step by step, the product of
// the state with R. Arithmetic inside a step is float32. Between steps the cell stays float32, and
// h has the dtype of the operator, so that a step reads the h that Y holds. A GRU that resets
// before the product also rounds r h to that dtype, because the product reads it.
//
// Error of a step, with u = 2^-24, u_T that of the dtype (2^-11 for float16, 2^-8 for bfloat16, 0
// for float32), g(n) = n u / (1 - n u), I inputs and H hidden elements: the argument of an
// activation has an error of at most g(I + H + 4) (sum |x W| + sum |h R| + |b|), plus |R| dh from
// the error dh of h, plus the error of the cell before the step where a peephole reads it. The
// activation multiplies that by its slope (1/4 for Sigmoid, 1 for Tanh) and adds 4u
// (kernels/vector_math-inl.h). The sums of products behind it and the roundings of h and r h add
// their errors, those of the roundings u_T |h| and u_T |r h|. float16 on the bfloat16 units rounds
// its operands first, which adds 2^-7 of the products; sums in float16 add the terms of
// kernels/gemm/packed.h. RecurrentTest computes these bounds along with its oracle.
//
// `clip` bounds the arguments of the gates, not that of the activation of the cell, as in ONNX
// Runtime. A row of a batch whose sequence has ended keeps its state; Y is zero there.
#pragma once

#include <array>
#include <limits>
#include <span>

#include "kernels/kernel_table.h"
#include "kernels/recurrent/activation.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> RecurrentKernels();

// Operand indices.
enum RecurrentInput : std::size_t {
  kX = 0,
  kW = 1,
  kR = 2,
  kB = 3,
  kSequenceLens = 4,
  kInitialH = 5,
  kInitialC = 6,
  kPeepholes = 7,
};

// LSTM, GRU or RNN with all attributes and operands resolved.
struct RecurrentCall {
  OpKind op = OpKind::kLstm;
  DType dtype = DType::kFloat32;
  std::int64_t steps = 0;
  std::int64_t batch = 0;
  std::int64_t input = 0;
  std::int64_t hidden = 0;
  std::int64_t directions = 1;
  std::int64_t gates = 4;
  bool first_reversed = false;  // the second direction always is
  bool batch_first = false;     // layout 1
  float clip = std::numeric_limits<float>::infinity();
  bool linear_before_reset = false;
  bool input_forget = false;
  std::array<std::array<Activation, 3>, 2> activations;  // by direction: f, g, h
  std::array<bool, 8> has{};                             // by RecurrentInput
  bool wide_lengths = false;                             // sequence_lens is int64

  [[nodiscard]] bool reversed(std::int64_t direction) const {
    return direction == 1 || first_reversed;
  }

  // Row indices in X, in Y, and in states.
  [[nodiscard]] std::int64_t XRow(std::int64_t step, std::int64_t b) const {
    return batch_first ? b * steps + step : step * batch + b;
  }

  [[nodiscard]] std::int64_t YRow(std::int64_t step, std::int64_t d, std::int64_t b) const {
    return batch_first ? (b * steps + step) * directions + d : (step * directions + d) * batch + b;
  }

  [[nodiscard]] std::int64_t StateRow(std::int64_t d, std::int64_t b) const {
    return batch_first ? b * directions + d : d * batch + b;
  }

  // Number of steps of row `b` of the batch.
  [[nodiscard]] std::int64_t Length(const KernelArgs& args, std::int64_t b) const noexcept;
};

// Error kModel for another number of activations than the operator has, kUnsupported for an unknown
// one.
RecurrentCall RecurrentCallOf(const KernelQuery& query);

// Specification in double (reference.cc).
std::unique_ptr<KernelState> PrepareRecurrentReference(const KernelQuery& query);
std::size_t RecurrentReferenceScratch(const KernelState& state);
void RunRecurrentReference(const KernelArgs& args) noexcept;

}  // namespace halftone
