// How far fused and unfused form may lie apart.
#include <algorithm>
#include <numeric>

#include "tests/exec/fusion_rows.h"

namespace halftone::fusion_rows {

struct Moments {
  double mean = 0;
  double variance = 0;
};

// Of the row that element i is in.
Moments RowOf(const Element& e, bool centers) {
  const auto row = e.inputs[0].begin() + e.i / kLength * kLength;
  Moments moments;
  if (centers) {
    moments.mean = std::accumulate(row, row + kLength, 0.0) / kLength;
  }
  for (auto at = row; at < row + kLength; ++at) {
    moments.variance += (*at - moments.mean) * (*at - moments.mean) / kLength;
  }
  return moments;
}

// Second order: a value is off by 2 (6 q + 7) u at most before the root, a relative 32 u.
double SecondOrder(const Element& e) {
  return e.u * (1 + 32 * e.u);
}

// tests/passes/fuse/fuse_norms_test.cc, TwoPasses, with every value of the chain made and read:
// twice.
double TwoPasses(const Element& e) {
  const Moments row = RowOf(e, true);
  const double s = std::sqrt(row.variance + ExactNet::kEpsilon);
  const double q = std::abs(row.mean) / s;
  const double n = std::abs(e.inputs[0][static_cast<std::size_t>(e.i)] - row.mean) / s;
  const double gamma = std::abs(e.Constant("gamma"));
  return 2 * SecondOrder(e) * (gamma * (3 * q + n * (3 * q + 9)) + 2 * e.y()) + 2 * 16 * 9 * e.step;
}

// MultipliedOut there, likewise.
double MultipliedOut(const Element& e) {
  const Moments row = RowOf(e, true);
  const double s = std::sqrt(row.variance + ExactNet::kEpsilon);
  const double q = std::abs(row.mean) / s;
  const double product = std::abs(e.Constant("gamma")) * (e.x() + std::abs(row.mean)) / s;
  return 2 * SecondOrder(e) * (product * (3 * q + 12) + std::abs(e.Constant("beta")) + 2 * e.y()) +
         2 * 16 * 9 * e.step;
}

// Square 2, mean 2, sum 2: 6 u, of which the root passes half and is 2 itself; quotient 2, product
// 1, fused 1: 9, where the header has 8 for another chain of as many nodes.
double RootMeanSquare(const Element& e) {
  return 9 * SecondOrder(e) * e.y() + 2 * 16 * 9 * e.step;
}

// t erf'(t) <= 0.484, t tanh'(t) <= 0.448 (tests/passes/fuse/fuse_elementwise_test.cc).
//   erf   constant 1, quotient 2: 1.45 u; erf 2 u; sum of at most 2: 4 u; half of 7.45 u; product
//         2 u, product 1 u, fused 1 u: 7.8 u
//   tanh  cube 2, constant 1, product 2, sum 2, constant 1, product 2: 10 * 0.448 = 4.5 u; tanh 2
//   u;
//         sum 4 u; half of 10.5 u; product 1 u, fused 1 u: 7.3 u
double Gelu(const Element& e) {
  return 8 * e.u * e.x() + 2 * 9 * 8 * e.step;
}

// sigmoid 2, product 1, fused 1; a x, made and read, moves sigmoid(a x) by at most 2 |a x| u.
double Silu(const Element& e) {
  return 4 * e.u * (1 + e.u) * e.y() + 2 * 3 * 8 * e.step;
}

double SwishWithSlope(const Element& e) {
  return (4 + 2 * kSlope * e.x()) * e.u * (1 + 2 * kSlope * e.x() * e.u) * e.y() +
         2 * 4 * 8 * e.step;
}

// The sum, at most 6, is made, read by the Clip and, clipped, by the product: 3; product made and
// read 2, quotient 1, fused 1.
double HardSwish(const Element& e) {
  return 7 * e.u * (1 + 7 * e.u) * e.x() + 2 * 5 * 8 * e.step;
}

// softplus 2, of which tanh passes 0.448; tanh 2, product 1, fused 1.
double Mish(const Element& e) {
  return 5 * e.u * (1 + 5 * e.u) * e.x() + 2 * 4 * 8 * e.step;
}

// d of src/passes/fuse/fuse_softmax.h: the scale is rounded, the product made and read: 3 a; the
// sum made and read `reads` times: (1 + reads) |t|.
double SoftmaxOf(const Element& e, double reads, bool causal) {
  const auto moved = [&](std::int64_t i) {
    if (causal && i % kKeys > i / kKeys % kQueries) {
      return 0.0;  // -inf
    }
    const double a = kScale * std::abs(e.inputs[0][static_cast<std::size_t>(i)]);
    return e.u * (1 + 3 * e.u) * (3 * a + (1 + reads) * (a + kMostMask));
  };
  double mean = 0;
  for (std::int64_t k = e.i / kKeys * kKeys; k < (e.i / kKeys + 1) * kKeys; ++k) {
    mean += e.fused[static_cast<std::size_t>(k)] * std::exp(moved(k));
  }
  return e.y() * (std::exp(moved(e.i)) * mean * (1 + e.u) - 1) + 2 * e.u * e.y() + 2 * e.step;
}

double MaskedSoftmax(const Element& e) {
  return SoftmaxOf(e, 1, false);
}

double CausalSoftmax(const Element& e) {
  return SoftmaxOf(e, 2, true);
}

// Where q, k and v lie: rows [batch, length, heads * size] or heads [batch, heads, length, size].
struct HeadView {
  const std::vector<double>& values;
  std::int64_t length;
  std::int64_t size;
  bool rows;

  [[nodiscard]] double At(std::int64_t batch, std::int64_t head, std::int64_t at,
                          std::int64_t k) const {
    const std::int64_t row = rows ? (batch * length + at) * testing::kHeads + head
                                  : (batch * testing::kHeads + head) * length + at;
    return values[static_cast<std::size_t>(row * size + k)];
  }
};

// d of src/passes/fuse/fuse_attention.h. Operands are exact and no scales of theirs: scores made
// and read 2; scale rounded, product made and read 3 |scale s|; sum with the mask made and read 2
// |t|. Weights are made and read. The product with v is made, and read by Transpose and Reshape,
// and the fused result is made: 4 in all; where a Reshape is left of the Transpose, each form
// has 2.
double AttentionOf(const Element& e, double scale, bool rows) {
  const HeadView q{e.inputs[0], testing::kQueries, testing::kSize, rows};
  const HeadView k{e.inputs[1], testing::kLength, testing::kSize, rows};
  const HeadView v{e.inputs[2], testing::kLength, testing::kValueSize, rows};
  constexpr std::int64_t kPerBatch = testing::kQueries * testing::kHeads * testing::kValueSize;
  const std::int64_t batch = e.i / kPerBatch;
  const std::int64_t column = e.i % testing::kValueSize;
  const std::int64_t outer = e.i % kPerBatch / testing::kValueSize;
  const std::int64_t head = rows ? outer % testing::kHeads : outer / testing::kQueries;
  const std::int64_t query = rows ? outer / testing::kHeads : outer % testing::kQueries;
  std::vector<double> weights;
  std::vector<double> moved;  // e^d
  double sum = 0;
  double mean = 0;
  for (std::int64_t j = 0; j < testing::kLength; ++j) {
    double s = 0;
    for (std::int64_t at = 0; at < testing::kSize; ++at) {
      s += scale * q.At(batch, head, query, at) * k.At(batch, head, j, at);
    }
    const double t =
        s + (rows ? e.inputs[3][static_cast<std::size_t>(batch * testing::kLength + j)] : 0);
    moved.push_back(std::exp(e.u * (1 + 3 * e.u) * (5 * std::abs(s) + 2 * std::abs(t))));
    weights.push_back(std::exp(t));
    sum += weights.back();
    mean += weights.back() * moved.back();
  }
  mean /= sum;
  double bound = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double weight = weights[j] / sum;
    const double factor = moved[j] * mean * (1 + e.u) * (1 + e.u) - 1;
    bound += (weight * factor + 2 * e.step) *
             std::abs(v.At(batch, head, static_cast<std::int64_t>(j), column));
  }
  return bound + e.u * (1 + 3 * e.u) * (4 * e.y() + 3 * bound) + 4 * e.step;
}

double AttentionOfRows(const Element& e) {
  return AttentionOf(e, 1 / std::sqrt(8.0), true);
}

double AttentionOfHeads(const Element& e) {
  return AttentionOf(e, 0.25, false);
}

// The sums are integers and exact: only the function is rounded, once in each form, and the fused
// one where its kernel computes in float32 before.
double FunctionOfAnExactSum(const Element& e) {
  return e.u * (2 + 3 * e.u) * e.y() + 3 * e.step;
}

}  // namespace halftone::fusion_rows
