// Cell functions: one row of a batch in one step, in float32.
#pragma once

#include <vector>

#include "kernels/recurrent/recurrent.h"

namespace halftone {

struct CellConstants {
  std::array<Activation, 3> activations;  // f, g, h
  std::vector<float> peepholes;           // LSTM: [3, hidden], empty: none
  std::vector<float> reset_bias;          // GRU, linear before reset: Rbh, empty: none
};

struct CellRow {
  const float* inputs;  // [gates, hidden]: x W^T and biases
  float* gates;         // [gates, hidden]: h R^T; overwritten
  float* h;             // [hidden]: the state before the step, and after it
  float* cell;  // LSTM: [hidden], the cell before, and after. GRU: the product of the candidate
  float* work;  // [hidden]
};

// Runs a whole step of an LSTM, an RNN, or a GRU that resets after the product.
void RunCell(const RecurrentCall& call, const CellConstants& constants,
             const CellRow& row) noexcept;

// Two halves of a step of a GRU that resets before the product. ResetGru() computes the gates z and
// r, and r h at `work`; FinishGru() computes the new state from the candidate's product at `cell`.
void ResetGru(const RecurrentCall& call, const CellConstants& constants,
              const CellRow& row) noexcept;
void FinishGru(const RecurrentCall& call, const CellConstants& constants,
               const CellRow& row) noexcept;

}  // namespace halftone
