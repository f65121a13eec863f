// Specification of the recurrent operators: step by step in double, rounded when stored.
#include <algorithm>
#include <cstring>

#include "kernels/recurrent/recurrent.h"

namespace halftone {
namespace {

struct ReferenceState final : KernelState {
  RecurrentCall call;
};

// One row of the batch in one direction.
class Row {
 public:
  Row(const RecurrentCall& call, const KernelArgs& args, std::int64_t d, std::int64_t b)
      : call_(call), args_(args), d_(d), b_(b), hidden_(call.hidden) {
    h_ = reinterpret_cast<double*>(args.scratch);
    c_ = h_ + hidden_;
    next_ = c_ + hidden_;
    reset_ = next_ + hidden_;
    for (std::int64_t j = 0; j < hidden_; ++j) {
      h_[j] = Initial(kInitialH, j);
      c_[j] = Initial(kInitialC, j);
    }
  }

  void Step(std::int64_t t) {
    t_ = t;
    if (call_.op == OpKind::kLstm) {
      StepLstm();
    } else if (call_.op == OpKind::kGru) {
      StepGru();
    } else {
      for (std::int64_t j = 0; j < hidden_; ++j) {
        next_[j] = Act(0, Clipped(XPart(0, j) + HPart(h_, 0, j) + Bias(0, j) + Bias(1, j)));
      }
    }
    std::copy_n(next_, hidden_, h_);
  }

  void StoreY() const { Store(0, call_.YRow(t_, d_, b_), h_); }

  void StoreStates() const {
    Store(1, call_.StateRow(d_, b_), h_);
    Store(2, call_.StateRow(d_, b_), c_);
  }

 private:
  [[nodiscard]] double At(std::size_t input, std::int64_t index) const {
    return DoubleAt(call_.dtype, args_.inputs[input], index);
  }

  [[nodiscard]] double Initial(std::size_t input, std::int64_t j) const {
    return call_.has[input] ? At(input, call_.StateRow(d_, b_) * hidden_ + j) : 0;
  }

  void Store(std::size_t output, std::int64_t row, const double* values) const {
    if (output >= args_.outputs.size() || args_.outputs[output] == nullptr) {
      return;
    }
    for (std::int64_t j = 0; j < hidden_; ++j) {
      StoreDouble(call_.dtype, args_.outputs[output], row * hidden_ + j, values[j]);
    }
  }

  [[nodiscard]] double XPart(std::int64_t gate, std::int64_t j) const {
    const std::int64_t row = (d_ * call_.gates + gate) * hidden_ + j;
    double sum = 0;
    for (std::int64_t k = 0; k < call_.input; ++k) {
      sum += At(kX, call_.XRow(t_, b_) * call_.input + k) * At(kW, row * call_.input + k);
    }
    return sum;
  }

  [[nodiscard]] double HPart(const double* h, std::int64_t gate, std::int64_t j) const {
    const std::int64_t row = (d_ * call_.gates + gate) * hidden_ + j;
    double sum = 0;
    for (std::int64_t k = 0; k < hidden_; ++k) {
      sum += h[k] * At(kR, row * hidden_ + k);
    }
    return sum;
  }

  // Part `gate` of the biases: those of W, then those of R.
  [[nodiscard]] double Bias(std::int64_t gate, std::int64_t j) const {
    return call_.has[kB] ? At(kB, (d_ * 2 * call_.gates + gate) * hidden_ + j) : 0;
  }

  [[nodiscard]] double Peephole(std::int64_t gate, std::int64_t j) const {
    return call_.has[kPeepholes] ? At(kPeepholes, (d_ * 3 + gate) * hidden_ + j) : 0;
  }

  [[nodiscard]] double Clipped(double x) const {
    const double clip = call_.clip;
    return x > clip ? clip : (x < -clip ? -clip : x);
  }

  [[nodiscard]] double Act(std::size_t which, double x) const {
    return Activated(call_.activations[static_cast<std::size_t>(d_)][which], x);
  }

  [[nodiscard]] double Sum(std::int64_t gate, std::int64_t j) const {
    return XPart(gate, j) + HPart(h_, gate, j) + Bias(gate, j) + Bias(call_.gates + gate, j);
  }

  void StepLstm() {
    for (std::int64_t j = 0; j < hidden_; ++j) {
      const double i = Act(0, Clipped(Sum(0, j) + Peephole(0, j) * c_[j]));
      const double f =
          call_.input_forget ? 1 - i : Act(0, Clipped(Sum(2, j) + Peephole(2, j) * c_[j]));
      c_[j] = f * c_[j] + i * Act(1, Clipped(Sum(3, j)));
      const double o = Act(0, Clipped(Sum(1, j) + Peephole(1, j) * c_[j]));
      next_[j] = o * Act(2, c_[j]);
    }
  }

  void StepGru() {
    for (std::int64_t j = 0; j < hidden_; ++j) {
      const double r = Act(0, Clipped(Sum(1, j)));
      reset_[j] = call_.linear_before_reset ? r * (HPart(h_, 2, j) + Bias(5, j)) : r * h_[j];
    }
    for (std::int64_t j = 0; j < hidden_; ++j) {
      const double z = Act(0, Clipped(Sum(0, j)));
      const double own = call_.linear_before_reset ? reset_[j] : HPart(reset_, 2, j) + Bias(5, j);
      const double candidate = Act(1, Clipped(XPart(2, j) + own + Bias(2, j)));
      next_[j] = (1 - z) * candidate + z * h_[j];
    }
  }

  const RecurrentCall& call_;
  const KernelArgs& args_;
  std::int64_t d_;
  std::int64_t b_;
  std::int64_t hidden_;
  std::int64_t t_ = 0;
  double* h_ = nullptr;
  double* c_ = nullptr;
  double* next_ = nullptr;
  double* reset_ = nullptr;
};

}  // namespace

std::unique_ptr<KernelState> PrepareRecurrentReference(const KernelQuery& query) {
  auto state = std::make_unique<ReferenceState>();
  state->call = RecurrentCallOf(query);
  return state;
}

std::size_t RecurrentReferenceScratch(const KernelState& state) {
  const RecurrentCall& call = static_cast<const ReferenceState&>(state).call;
  return static_cast<std::size_t>(call.hidden) * 4 * sizeof(double);
}

void RunRecurrentReference(const KernelArgs& args) noexcept {
  const RecurrentCall& call = static_cast<const ReferenceState&>(*args.state).call;
  const auto y_bytes =
      static_cast<std::size_t>(call.steps * call.directions * call.batch * call.hidden) *
      SizeOf(call.dtype);
  if (args.outputs[0] != nullptr) {
    std::memset(args.outputs[0], 0, y_bytes);
  }
  for (std::int64_t d = 0; d < call.directions; ++d) {
    for (std::int64_t b = 0; b < call.batch; ++b) {
      Row row(call, args, d, b);
      const std::int64_t length = call.Length(args, b);
      for (std::int64_t s = 0; s < length; ++s) {
        row.Step(call.reversed(d) ? length - 1 - s : s);
        row.StoreY();
      }
      row.StoreStates();
    }
  }
}

}  // namespace halftone
