// Runs kernels by table entry and compares results with bounds: what the tests of all kernel
// families share. Not thread safe.
//
// EntriesFor() lists the entries that serve a call, RunEntry() runs one of them, ExactResult() the
// reference; AllWithin() compares both within an ErrorBound.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/kernel_table.h"
#include "src/base/rng.h"
#include "src/ir/attributes.h"
#include "src/ir/fusion.h"
#include "src/ir/tensor.h"

namespace halftone::testing {

using Ints = std::vector<std::int64_t>;

// One operator call with its data.
struct KernelCall {
  OpKind op = OpKind::kIdentity;
  Attributes attributes;
  std::vector<std::optional<Tensor>> inputs;  // empty: absent optional input
  std::vector<bool> constant;                 // parallel to inputs; missing entries: not constant
  std::vector<TensorType> outputs;            // empty: what the operator's shape rule says
  ImplMode impl_mode = ImplMode::kDefault;
  Fusion fusion = {};
  StepLayout layout = {};
};

// The output types: those of the call, or those of the shape rule.
std::vector<TensorType> OutputTypesOf(const KernelCall& call);

// [N, C, H, W] to [N, H, W, C], and so with one spatial axis.
Tensor WithChannelsLast(const Tensor& tensor);

// The call and, where its first input has 1 or 2 spatial axes, the same one with the channels of
// that input, of a residual operand and of the output last.
std::vector<KernelCall> BothLayouts(const KernelCall& call);

// The entries of all modes that serve the call on this CPU, in table order, references included. In
// a run for some instruction sets (IsaOfTrapRun()): those made of them, or references if there are
// none.
std::vector<const KernelEntry*> EntriesFor(const KernelCall& call);

// True if this run tests an entry of the call: not if the run is for some instruction sets and no
// entry made of them serves the call.
bool IsTestedHere(const KernelCall& call);

// The entry of this name; Error kInternal when there is none.
const KernelEntry& EntryNamed(std::string_view name);

// Prepares and runs one entry, without the constants that it says it has consumed. Outputs and
// scratch start as garbage; writing behind an output or behind the scratch is a test failure.
// `other_count` as in KernelArgs.
std::vector<Tensor> RunEntry(const KernelEntry& entry, const KernelCall& call, int threads = 1,
                             bool* other_count = nullptr);

// Results of the kernel that SelectKernel() chooses for the call.
std::vector<Tensor> RunSelected(const KernelCall& call, int threads = 1);

// The call computed by the reference entry after all floating inputs were converted to double
// (exact), with double instead of floating outputs: the result before its one rounding.
std::vector<Tensor> ExactResult(const KernelCall& call);

// |result - exact| <= relative * |exact| + absolute, for the result as it is before it is stored.
struct ErrorBound {
  double relative = 0;
  double absolute = 0;
};

// Distance between 1 and the next float: bounds in ulp are relative bounds of so many of these.
inline constexpr double kFloatUlp = 0x1p-23;
// The least positive float: an ulp in the subnormal range.
inline constexpr double kFloatSubnormalUlp = 0x1p-149;

// Compares `got` of any dtype with `exact` (double, or the same dtype for integers and bool).
// For 16-bit types the allowed interval is rounded to the type: rounding is monotonic, so a result
// within the bound and then rounded once lies between the rounded ends. NaN must meet NaN.
// A failure reports the worst element: index, values, allowed and actual error.
::testing::AssertionResult AllWithin(const Tensor& got, const Tensor& exact,
                                     const ErrorBound& bound);
// The bound of each element by its index and exact value.
using ElementBound = std::function<double(std::int64_t index, double exact)>;
::testing::AssertionResult AllWithin(const Tensor& got, const Tensor& exact,
                                     const ElementBound& bound);
// Compares a product whose operands may be infinite: within the bound of the kernel, of which sums
// in float32 have `float32`. Infinity and NaN are one where the kernel says so
// (ProductError::part_products).
::testing::AssertionResult AllWithinOrSpecial(const KernelEntry& entry, const Tensor& got,
                                              const Tensor& exact, double float32);
// Equal dtype, shape and bytes, but for NaN payloads.
::testing::AssertionResult AllEqual(const Tensor& got, const Tensor& want);

// Uniform in [low, high), rounded to the dtype; integers and bool likewise.
Tensor RandomTensor(const TensorType& type, Rng& rng, double low = -1, double high = 1);

// 0, -0, inf, -inf, NaN, least and largest subnormal and normal numbers of a floating dtype with
// both signs, and small whole numbers; the extremes of an integer dtype.
std::vector<double> SpecialValues(DType dtype);

// `tensor` with special values at random positions, about one in `every`.
Tensor WithSpecialValues(const Tensor& tensor, Rng& rng, std::size_t every = 7);

// Tensor of doubles, each rounded once.
Tensor TensorOf(DType dtype, Shape shape, std::span<const double> values);
Tensor TensorOf(DType dtype, Shape shape, std::initializer_list<double> values);

}  // namespace halftone::testing
