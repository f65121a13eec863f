// Oracle of the tests of recurrent operators: the recurrences in double, each value with
// the bound of its error (kernels/recurrent/recurrent.h says where it comes from).
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/recurrent/recurrent.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {

inline constexpr double kU = 0x1p-24;

inline double Gamma(std::int64_t n) {
  const double nu = static_cast<double>(n) * kU;
  return nu / (1 - nu);
}

struct RecurrentCase {
  const char* name;
  OpKind op;
  std::int64_t steps, batch, input, hidden;
  const char* direction = "forward";
  bool bias = true;
  bool lengths = false;
  bool states = false;
  bool peepholes = false;
  std::int64_t layout = 0;
  std::int64_t linear_before_reset = 0;
  std::int64_t input_forget = 0;
  float clip = 0;
  const char* activations = "";
};

inline constexpr OpKind kLstm = OpKind::kLstm;
inline constexpr OpKind kGru = OpKind::kGru;
inline constexpr OpKind kRnn = OpKind::kRnn;

inline std::int64_t GatesOf(OpKind op) {
  return op == kLstm ? 4 : op == kGru ? 3 : 1;
}

// A value and how far a kernel may be from it.
struct Bounded {
  double value = 0;
  double error = 0;
};

// Assumptions of the bound about an entry.
struct Arithmetic {
  double roundoff = 0;  // of h between steps
  double product = 0;   // relative, of each product: operands rounded to bfloat16, sums in float16
  double term = 0;      // absolute, of each product: sums in float16
};

class RecurrentOracle {
 public:
  RecurrentOracle(const RecurrentCase& c, const KernelCall& call, Arithmetic arithmetic)
      : c_(c), call_(call), arithmetic_(arithmetic) {
    for (const TensorType& type : call.outputs) {
      const auto count = static_cast<std::size_t>(type.shape.ElementCount());
      results.emplace_back(count);
    }
    const std::int64_t directions = call.inputs[kR]->shape()[0];
    for (std::int64_t d = 0; d < directions; ++d) {
      for (std::int64_t b = 0; b < c.batch; ++b) {
        RunRow(d, b);
      }
    }
  }

  std::vector<std::vector<Bounded>> results;

 private:
  [[nodiscard]] double At(std::size_t input, std::int64_t index) const {
    return call_.inputs[input]
               ? DoubleAt(call_.inputs[input]->dtype(), call_.inputs[input]->data(), index)
               : 0;
  }

  [[nodiscard]] std::int64_t StateRow(std::int64_t d, std::int64_t b) const {
    const std::int64_t directions = call_.inputs[kR]->shape()[0];
    return c_.layout == 1 ? b * directions + d : d * c_.batch + b;
  }

  [[nodiscard]] std::int64_t BiasAt(std::int64_t d, std::int64_t gate, std::int64_t j) const {
    return (d * 2 * GatesOf(c_.op) + gate) * c_.hidden + j;
  }

  struct Place {
    std::int64_t d, b, t;
  };

  enum class Part { kBoth, kOfX, kOfH };

  // The argument of gate `gate` but for clip and peepholes, or the part of x or of h alone.
  [[nodiscard]] Bounded Sum(const Place& place, std::int64_t gate, std::int64_t j,
                            const std::vector<Bounded>& h, Part part = Part::kBoth) const {
    const auto [d, b, t] = place;
    const bool with_x = part != Part::kOfH;
    const bool with_h = part != Part::kOfX;
    const std::int64_t row = (d * GatesOf(c_.op) + gate) * c_.hidden + j;
    Bounded sum;
    double magnitude = 0;
    for (std::int64_t k = 0; with_x && k < c_.input; ++k) {
      const std::int64_t x = (c_.layout == 1 ? b * c_.steps + t : t * c_.batch + b) * c_.input + k;
      const double term = At(kX, x) * At(kW, row * c_.input + k);
      sum.value += term;
      magnitude += std::abs(term);
    }
    for (std::int64_t k = 0; with_h && k < c_.hidden; ++k) {
      const double weight = At(kR, row * c_.hidden + k);
      sum.value += weight * h[static_cast<std::size_t>(k)].value;
      magnitude += std::abs(weight * h[static_cast<std::size_t>(k)].value);
      sum.error += std::abs(weight) * h[static_cast<std::size_t>(k)].error;
    }
    sum.error +=
        arithmetic_.product * magnitude +
        arithmetic_.term * static_cast<double>((with_x ? c_.input : 0) + (with_h ? c_.hidden : 0));
    const double biases = (with_x ? At(kB, BiasAt(d, gate, j)) : 0) +
                          (with_h ? At(kB, BiasAt(d, GatesOf(c_.op) + gate, j)) : 0);
    magnitude += std::abs(biases) + 1;
    sum.value += biases;
    sum.error += Gamma(c_.input + c_.hidden + 6) * magnitude;
    return sum;
  }

  [[nodiscard]] Bounded Clipped(Bounded x) const {
    if (c_.clip > 0) {
      x.value =
          std::min(std::max(x.value, -static_cast<double>(c_.clip)), static_cast<double>(c_.clip));
    }
    return x;
  }

  // Slopes: 1/4 for Sigmoid, at most 1 for the others used here.
  [[nodiscard]] Bounded Act(std::int64_t d, std::size_t which, Bounded x) const {
    const bool lstm = c_.op == kLstm;
    std::string name = lstm || c_.op == kGru ? (which == 0 ? "Sigmoid" : "Tanh") : "Tanh";
    const std::string stated = c_.activations;
    if (stated == "HardSigmoid Softsign Tanh") {
      name = which == 0 ? "HardSigmoid" : which == 1 ? "Softsign" : "Tanh";
    } else if (stated == "Relu Tanh") {
      name = d == 0 ? "Relu" : "Tanh";
    }
    double y = std::tanh(x.value);
    double slope = 1;
    if (name == "Sigmoid") {
      y = 1 / (1 + std::exp(-x.value));
      slope = 0.25;
    } else if (name == "HardSigmoid") {
      const double alpha = 0.2F;  // float
      y = std::min(std::max(alpha * x.value + 0.5, 0.0), 1.0);
      slope = 0.21;
    } else if (name == "Softsign") {
      y = x.value / (1 + std::abs(x.value));
    } else if (name == "Relu") {
      y = std::max(x.value, 0.0);
    }
    return {y, slope * x.error + 4 * kU * std::max(std::abs(y), 0.25)};
  }

  static Bounded Product(Bounded a, Bounded b) {
    const double value = a.value * b.value;
    return {value, a.error * std::abs(b.value) + b.error * std::abs(a.value) + a.error * b.error +
                       2 * kU * std::abs(value)};
  }

  static Bounded Plus(Bounded a, Bounded b) {
    return {a.value + b.value, a.error + b.error + kU * (std::abs(a.value) + std::abs(b.value))};
  }

  // Stored between steps.
  [[nodiscard]] Bounded Rounded(Bounded x) const {
    x.error += arithmetic_.roundoff * (std::abs(x.value) + x.error) + 0x1p-25;
    return x;
  }

  void StepLstm(std::int64_t d, std::int64_t b, std::int64_t t, std::vector<Bounded>& h,
                std::vector<Bounded>& cell) const {
    const std::vector<Bounded> before = h;
    for (std::int64_t j = 0; j < c_.hidden; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const auto peephole = [&](std::int64_t gate) {
        const double weight =
            call_.inputs[kPeepholes] ? At(kPeepholes, (d * 3 + gate) * c_.hidden + j) : 0;
        return Product({weight, 0}, cell[at]);
      };
      const Bounded i = Act(d, 0, Clipped(Plus(Sum({d, b, t}, 0, j, before), peephole(0))));
      Bounded f = Act(d, 0, Clipped(Plus(Sum({d, b, t}, 2, j, before), peephole(2))));
      if (c_.input_forget != 0) {
        f = Plus({1, 0}, {-i.value, i.error});
      }
      const Bounded g = Act(d, 1, Clipped(Sum({d, b, t}, 3, j, before)));
      cell[at] = Plus(Product(f, cell[at]), Product(i, g));
      const Bounded o = Act(d, 0, Clipped(Plus(Sum({d, b, t}, 1, j, before), peephole(1))));
      h[at] = Rounded(Product(o, Act(d, 2, cell[at])));
    }
  }

  void StepGru(std::int64_t d, std::int64_t b, std::int64_t t, std::vector<Bounded>& h) const {
    const std::vector<Bounded> before = h;
    std::vector<Bounded> reset(before.size());
    for (std::int64_t j = 0; j < c_.hidden; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const Bounded r = Act(d, 0, Clipped(Sum({d, b, t}, 1, j, before)));
      reset[at] = c_.linear_before_reset != 0 ? Product(r, Sum({d, b, t}, 2, j, before, Part::kOfH))
                                              : Rounded(Product(r, before[at]));
    }
    for (std::int64_t j = 0; j < c_.hidden; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const Bounded z = Act(d, 0, Clipped(Sum({d, b, t}, 0, j, before)));
      const Bounded argument = c_.linear_before_reset != 0
                                   ? Plus(Sum({d, b, t}, 2, j, before, Part::kOfX), reset[at])
                                   : Sum({d, b, t}, 2, j, reset);
      const Bounded candidate = Act(d, 1, Clipped(argument));
      const Bounded other = Plus({1, 0}, {-z.value, z.error});
      h[at] = Rounded(Plus(Product(other, candidate), Product(z, before[at])));
    }
  }

  void RunRow(std::int64_t d, std::int64_t b) {
    std::vector<Bounded> h(static_cast<std::size_t>(c_.hidden));
    std::vector<Bounded> cell(h.size());
    for (std::int64_t j = 0; j < c_.hidden; ++j) {
      h[static_cast<std::size_t>(j)].value =
          c_.states ? At(kInitialH, StateRow(d, b) * c_.hidden + j) : 0;
      cell[static_cast<std::size_t>(j)].value =
          c_.states && c_.op == kLstm ? At(kInitialC, StateRow(d, b) * c_.hidden + j) : 0;
    }
    const std::int64_t length = c_.lengths ? (b * 3 + 1) % (c_.steps + 1) : c_.steps;
    const bool reversed = d == 1 || std::string(c_.direction) == "reverse";
    const std::int64_t directions = call_.inputs[kR]->shape()[0];
    for (std::int64_t s = 0; s < length; ++s) {
      const std::int64_t t = reversed ? length - 1 - s : s;
      if (c_.op == kLstm) {
        StepLstm(d, b, t, h, cell);
      } else if (c_.op == kGru) {
        StepGru(d, b, t, h);
      } else {
        const std::vector<Bounded> before = h;
        for (std::int64_t j = 0; j < c_.hidden; ++j) {
          h[static_cast<std::size_t>(j)] =
              Rounded(Act(d, 0, Clipped(Sum({d, b, t}, 0, j, before))));
        }
      }
      const std::int64_t row = c_.layout == 1 ? (b * c_.steps + t) * directions + d
                                              : (t * directions + d) * c_.batch + b;
      std::copy(h.begin(), h.end(), results[0].begin() + row * c_.hidden);
    }
    std::copy(h.begin(), h.end(), results[1].begin() + StateRow(d, b) * c_.hidden);
    if (c_.op == kLstm) {
      std::copy(cell.begin(), cell.end(), results[2].begin() + StateRow(d, b) * c_.hidden);
    }
  }

  const RecurrentCase& c_;
  const KernelCall& call_;
  Arithmetic arithmetic_;
};

}  // namespace halftone::testing
