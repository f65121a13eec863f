// Cell functions, which compute one step of one row of a batch in float32.
#pragma once

#include <vector>

#include "kernels/recurrent/recurrent.h"

namespace halftone {

struct CellConstants {
  std::array<Activation, 3> activations;  // f, g, h
  std::vector<float> peepholes;           // LSTM: [3, hidden]; empty: none
  std::vector<float> reset_bias;          // GRU that resets after the product: Rbh; empty: none
};

struct CellRow {
  const float* inputs;  // [gates, hidden]: x W^T and biases
  float* gates;         // [gates, hidden]: h R^T; overwritten
  float* h;             // [hidden]: the state before the step, then after it
  // LSTM: [hidden], the cell before the step, then after it. GRU that resets before the product:
  // the product of the candidate.
  float* cell;
  // [hidden]: space for intermediate results; r h between ResetGru() and FinishGru().
  float* work;
};

// Runs a whole step of an LSTM, an RNN, or a GRU that resets after the product.
void RunCell(const RecurrentCall& call, const CellConstants& constants,
             const CellRow& row) noexcept;

// The two halves of a step of a GRU that resets before the product. ResetGru() computes the gates z
// and r, and writes r h to `work`. The caller then writes the product of the candidate to `cell`,
// and FinishGru() computes the new state.
void ResetGru(const RecurrentCall& call, const CellConstants& constants,
              const CellRow& row) noexcept;
void FinishGru(const RecurrentCall& call, const CellConstants& constants,
               const CellRow& row) noexcept;

}  // namespace halftone
