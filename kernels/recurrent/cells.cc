#include "kernels/recurrent/cells.h"

#include <algorithm>
#include <cmath>

namespace halftone {
namespace {

void Clip(float limit, float* x, std::int64_t count) {
  if (!std::isinf(limit)) {
    for (std::int64_t i = 0; i < count; ++i) {
      x[i] = x[i] > limit ? limit : (x[i] < -limit ? -limit : x[i]);
    }
  }
}

void Add(const float* x, float* sums, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    sums[i] += x[i];
  }
}

void AddProduct(const float* a, const float* b, float* sums, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    sums[i] += a[i] * b[i];
  }
}

void RunLstm(const RecurrentCall& call, const CellConstants& constants, const CellRow& row) {
  const std::int64_t n = call.hidden;
  float* i = row.gates;
  float* o = i + n;
  float* f = i + 2 * n;
  float* c = i + 3 * n;
  const float* peepholes = constants.peepholes.empty() ? nullptr : constants.peepholes.data();
  Add(row.inputs, row.gates, 4 * n);
  if (peepholes != nullptr) {
    AddProduct(peepholes, row.cell, i, n);
    AddProduct(peepholes + 2 * n, row.cell, f, n);
  }
  // The output gate is computed after the new cell, which a peephole may read.
  std::copy_n(o, n, row.work);
  Clip(call.clip, row.gates, 4 * n);
  ActivateRow(constants.activations[0], row.gates, 3 * n);
  ActivateRow(constants.activations[1], c, n);
  for (std::int64_t j = 0; j < n; ++j) {
    const float forget = call.input_forget ? 1 - i[j] : f[j];
    row.cell[j] = forget * row.cell[j] + i[j] * c[j];
  }
  if (peepholes != nullptr) {
    std::copy_n(row.work, n, o);
    AddProduct(peepholes + n, row.cell, o, n);
    Clip(call.clip, o, n);
    ActivateRow(constants.activations[0], o, n);
  }
  std::copy_n(row.cell, n, row.work);
  ActivateRow(constants.activations[2], row.work, n);
  for (std::int64_t j = 0; j < n; ++j) {
    row.h[j] = o[j] * row.work[j];
  }
}

// z and the candidate, both activated, make the new state.
void Blend(const float* z, const float* candidate, float* h, std::int64_t count) {
  for (std::int64_t j = 0; j < count; ++j) {
    h[j] = (1 - z[j]) * candidate[j] + z[j] * h[j];
  }
}

void RunGru(const RecurrentCall& call, const CellConstants& constants, const CellRow& row) {
  const std::int64_t n = call.hidden;
  float* r = row.gates + n;
  float* candidate = row.gates + 2 * n;
  Add(row.inputs, row.gates, 2 * n);
  Clip(call.clip, row.gates, 2 * n);
  ActivateRow(constants.activations[0], row.gates, 2 * n);
  if (!constants.reset_bias.empty()) {
    Add(constants.reset_bias.data(), candidate, n);
  }
  for (std::int64_t j = 0; j < n; ++j) {
    candidate[j] = row.inputs[2 * n + j] + r[j] * candidate[j];
  }
  Clip(call.clip, candidate, n);
  ActivateRow(constants.activations[1], candidate, n);
  Blend(row.gates, candidate, row.h, n);
}

}  // namespace

void RunCell(const RecurrentCall& call, const CellConstants& constants,
             const CellRow& row) noexcept {
  if (call.op == OpKind::kLstm) {
    RunLstm(call, constants, row);
  } else if (call.op == OpKind::kGru) {
    RunGru(call, constants, row);
  } else {
    Add(row.inputs, row.gates, call.hidden);
    Clip(call.clip, row.gates, call.hidden);
    ActivateRow(constants.activations[0], row.gates, call.hidden);
    std::copy_n(row.gates, call.hidden, row.h);
  }
}

void ResetGru(const RecurrentCall& call, const CellConstants& constants,
              const CellRow& row) noexcept {
  const std::int64_t n = call.hidden;
  Add(row.inputs, row.gates, 2 * n);
  Clip(call.clip, row.gates, 2 * n);
  ActivateRow(constants.activations[0], row.gates, 2 * n);
  for (std::int64_t j = 0; j < n; ++j) {
    row.work[j] = row.gates[n + j] * row.h[j];
  }
}

void FinishGru(const RecurrentCall& call, const CellConstants& constants,
               const CellRow& row) noexcept {
  Add(row.inputs + 2 * call.hidden, row.cell, call.hidden);
  Clip(call.clip, row.cell, call.hidden);
  ActivateRow(constants.activations[1], row.cell, call.hidden);
  Blend(row.gates, row.cell, row.h, call.hidden);
}

}  // namespace halftone
