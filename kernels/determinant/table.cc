#include <cmath>
#include <utility>

#include "kernels/determinant/determinant.h"
#include "kernels/parallel.h"
#include "kernels/table_rows.h"

namespace halftone {
namespace {

struct DetState final : KernelState {
  DType dtype = DType::kFloat32;
  std::int64_t size = 1;      // M
  std::int64_t matrices = 1;  // of M * M elements
};

std::unique_ptr<KernelState> Prepare(const KernelQuery& query) {
  auto state = std::make_unique<DetState>();
  const TensorType& x = *query.inputs.at(0);
  state->dtype = x.dtype;
  state->size = x.shape[x.shape.rank() - 1];
  state->matrices = query.outputs.at(0)->shape.ElementCount();
  return state;
}

std::size_t Scratch(const KernelState& state) {
  const auto& s = static_cast<const DetState&>(state);
  return static_cast<std::size_t>(s.matrices * s.size * s.size) * sizeof(double);
}

// The row at or below `step` with the element of largest magnitude in column `step`; NaN counts as
// largest.
std::int64_t PivotRow(const double* a, std::int64_t size, std::int64_t step) {
  std::int64_t best = step;
  for (std::int64_t row = step; row < size; ++row) {
    const double value = std::abs(a[row * size + step]);
    best = std::isnan(value) || value > std::abs(a[best * size + step]) ? row : best;
  }
  return best;
}

// Determinant of a matrix [size, size], which is overwritten.
double Determinant(double* a, std::int64_t size) {
  double product = 1;
  for (std::int64_t step = 0; step < size; ++step) {
    const std::int64_t pivot = PivotRow(a, size, step);
    for (std::int64_t k = step; pivot != step && k < size; ++k) {
      std::swap(a[pivot * size + k], a[step * size + k]);
    }
    const double divisor = a[step * size + step];
    product *= pivot != step ? -divisor : divisor;
    if (divisor == 0) {
      return product;  // the whole column is 0
    }
    for (std::int64_t row = step + 1; row < size; ++row) {
      const double factor = a[row * size + step] / divisor;
      for (std::int64_t k = step + 1; k < size; ++k) {
        a[row * size + k] -= factor * a[step * size + k];
      }
    }
  }
  return product;
}

void Run(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const DetState&>(*args.state);
  auto* scratch = reinterpret_cast<double*>(args.scratch);
  const std::int64_t elements = s.size * s.size;
  const std::int64_t grain = 25'000 / (elements * s.size + 1) + 1;  // 1 ns a product
  ParallelFor(s.matrices, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t m = begin; m < end; ++m) {
      double* a = scratch + m * elements;
      for (std::int64_t i = 0; i < elements; ++i) {
        a[i] = DoubleAt(s.dtype, args.inputs[0], m * elements + i);
      }
      StoreDouble(s.dtype, args.outputs[0], m, Determinant(a, s.size));
    }
  });
}

constexpr Component kDeterminant{.name = "determinant"};

constexpr KernelEntry kRows[] = {
    {"det.any.reference", OpKind::kDet, kTunableDTypes | DTypeSet(DType::kFloat64),
     ImplMode::kDefault, kIsaAny, nullptr, Prepare, Scratch, Run, true},
};

constexpr auto kEntries = MadeOf({&kDeterminant}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> DeterminantKernels() {
  return kEntries;
}

}  // namespace halftone
