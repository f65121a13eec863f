#include "tests/kernels/gemm_products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <set>

#include "src/ir/fused_operands.h"

namespace halftone::testing {
namespace {

constexpr double kUnit = 0x1p-24;  // of float32

// The call with the absolute values of all operands and coefficients and without activation: its
// result is |alpha| sum |a b| + |beta c|.
KernelCall Magnitudes(const KernelCall& call) {
  KernelCall result = call;
  for (auto& input : result.inputs) {
    if (input) {
      std::vector<double> values = DoublesOf(*input);
      for (double& value : values) {
        value = std::abs(value);
      }
      input = TensorOf(DType::kFloat64, input->shape(), values);
    }
  }
  result.outputs = OutputTypesOf(call);
  result.outputs[0].dtype = DType::kFloat64;
  result.attributes.Set("alpha", std::abs(call.attributes.Float("alpha", 1)));
  result.attributes.Set("beta", std::abs(call.attributes.Float("beta", 1)));
  result.fusion.activation.reset();
  return result;
}

// The bound that kernels/gemm/packed.h and kernels/onednn/matmul.h document, for elements of
// magnitude at most 1.
ElementBound DocumentedBound(const KernelEntry& entry, const KernelCall& call, const Tensor& sums,
                             double k) {
  const bool residual = call.inputs.size() > kResidualOperand;  // kernels/tile/epilogue.h
  const double relative = entry.product.Relative(Gamma(k + 3 + (residual ? 1 : 0)));
  const double absolute = std::abs(call.attributes.Float("alpha", 1)) * entry.product.Absolute(k);
  return [sums, relative, absolute](std::int64_t i, double) {
    return relative * sums.values<double>()[static_cast<std::size_t>(i)] + absolute;
  };
}

}  // namespace

double Gamma(double n) {
  return n * kUnit / (1 - n * kUnit);
}

KernelCall ProductCallOf(const Product& product, DType dtype, DType result, Rng& rng) {
  KernelCall call;
  call.op = product.op;
  call.attributes = product.attributes;
  call.fusion = product.fusion;
  call.inputs = {RandomTensor({dtype, product.a}, rng), RandomTensor({dtype, product.b}, rng)};
  if (product.bias) {
    call.inputs.emplace_back(RandomTensor({result, *product.bias}, rng));
  }
  call.constant = product.constant;
  call.constant.resize(call.inputs.size());
  call.outputs = OutputTypesOf(call);
  call.outputs[0].dtype = result;
  if (product.fusion.residual != ResidualPlace::kNone) {
    call.inputs.resize(kResidualOperand);
    call.inputs.emplace_back(RandomTensor(call.outputs[0], rng));
  }
  return call;
}

void ExpectWithinBound(const Product& product, std::int64_t k) {
  Rng rng(20261120);
  for (const DType dtype : kPrecisions) {
    std::optional<Tensor> exact;
    std::optional<Tensor> sums;
    KernelCall call;
    for (const DType result : std::set{dtype, DType::kFloat32}) {
      // Without addends, which have the result's type, the operands and so the sums are the same.
      if (call.inputs.size() == 2) {
        call.outputs[0].dtype = result;
      } else {
        call = ProductCallOf(product, dtype, result, rng);
        exact.reset();
      }
      if (!IsTestedHere(call)) {
        continue;
      }
      if (!exact) {
        exact = ExactResult(call)[0];
        sums = ExactResult(Magnitudes(call))[0];
      }
      for (const KernelEntry* entry : EntriesFor(call)) {
        EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], *exact,
                              DocumentedBound(*entry, call, *sums, static_cast<double>(k))))
            << entry->name << " " << product.a.ToString() << " by " << product.b.ToString()
            << " to " << NameOf(result);
      }
    }
  }
}

}  // namespace halftone::testing
