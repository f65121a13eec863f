// The kernels on quantised data with every instruction set that Highway was compiled for and this
// CPU has: AVX-512, AVX2 and plain C++ give the same bits.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "kernels/quantized/quantized.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::BothLayouts;
using testing::EntriesFor;
using testing::KernelCall;
using testing::RandomTensor;
using testing::RunEntry;
using testing::TensorOf;
using Ints = std::vector<std::int64_t>;

constexpr DType kF32 = DType::kFloat32;
constexpr DType kS8 = DType::kInt8;
constexpr DType kU8 = DType::kUInt8;

// Calls body() with one of the targets at a time; all that the CPU has afterwards.
template <typename Body>
void ForEachTarget(const Body& body) {
  const std::int64_t all = hwy::SupportedTargets();
  int targets = 0;
  for (const std::int64_t target : {HWY_AVX3, HWY_AVX2, HWY_SCALAR, HWY_EMU128}) {
    if ((all & target) == 0) {
      continue;
    }
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(target));
    body();
    ++targets;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  EXPECT_GT(targets, 0);
}

Tensor Bytes(DType dtype, Shape shape, Rng& rng) {
  const double low = dtype == kS8 ? -128 : 0;
  return RandomTensor({dtype, std::move(shape)}, rng, low, low + 256);
}

void ExpectReference(const KernelCall& call) {
  const std::vector<const KernelEntry*> entries = EntriesFor(call);
  const Tensor want = RunEntry(*entries.back(), call)[0];
  for (const KernelEntry* entry : entries) {
    EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], want)) << entry->name;
  }
}

// Operands of QLinearMatMul and QLinearConv with `lines` scales of B.
KernelCall LinearCall(OpKind op, Tensor a, Tensor b, std::int64_t lines, Rng& rng) {
  const DType a_dtype = a.dtype();
  const DType b_dtype = b.dtype();
  KernelCall call;
  call.op = op;
  call.inputs = {std::move(a),
                 TensorOf(kF32, {}, {0.01}),
                 Bytes(a_dtype, {}, rng),
                 std::move(b),
                 RandomTensor({kF32, {lines}}, rng, 0.01, 0.02),
                 Bytes(b_dtype, {lines}, rng),
                 TensorOf(kF32, {}, {0.1}),
                 TensorOf(kU8, {}, {128})};
  call.constant = std::vector<bool>(8, true);
  call.constant[0] = false;
  return call;
}

TEST(QuantizedTargetsTest, DynamicProducts) {
  ForEachTarget([] {
    Rng rng(11);
    for (const Shape& a : {Shape{13, 67}, Shape{3, 5, 256}, Shape{1, 5}}) {
      const std::int64_t k = a[a.rank() - 1];
      KernelCall call;
      call.op = OpKind::kDynamicMatMul;
      call.inputs = {RandomTensor({kF32, a}, rng, -3, 2), Bytes(kS8, {k, 45}, rng),
                     RandomTensor({kF32, {45}}, rng, 0.01, 0.02), RandomTensor({kF32, {45}}, rng)};
      call.constant = {false, true, true, true};
      ExpectReference(call);
    }
  });
}

TEST(QuantizedTargetsTest, Products) {
  ForEachTarget([] {
    Rng rng(1);
    for (const DType a : {kS8, kU8}) {
      for (const std::int64_t n : {5, 20, 37}) {
        ExpectReference(LinearCall(OpKind::kQLinearMatMul, Bytes(a, {7, 70}, rng),
                                   Bytes(a == kS8 ? kU8 : kS8, {70, n}, rng), n, rng));
      }
    }
  });
}

TEST(QuantizedTargetsTest, Convolutions) {
  ForEachTarget([] {
    Rng rng(2);
    for (const std::int64_t group : {1, 37}) {
      KernelCall call = LinearCall(OpKind::kQLinearConv, Bytes(kS8, {1, 37, 7, 9}, rng),
                                   Bytes(kS8, {37, 37 / group, 3, 3}, rng), 37, rng);
      call.attributes.Set("group", group);
      call.attributes.Set("pads", Ints{1, 1, 1, 1});
      ExpectReference(BothLayouts(call).back());
    }
  });
}

TEST(QuantizedTargetsTest, Conversions) {
  ForEachTarget([] {
    Rng rng(3);
    for (const std::int64_t count : {1, 5, 16, 37}) {
      for (const std::int64_t scales : {std::int64_t{1}, count}) {
        for (const DType dtype : {kS8, kU8, DType::kInt16, DType::kUInt16}) {
          KernelCall call;
          call.op = OpKind::kQuantizeLinear;
          call.inputs = {RandomTensor({kF32, {3, count}}, rng, -200, 400),
                         RandomTensor({kF32, {scales}}, rng, 0.5, 2),
                         RandomTensor({dtype, {scales}}, rng, 0, 100)};
          ExpectReference(call);
          call.inputs[0] = RunEntry(*EntriesFor(call).back(), call)[0];
          call.op = OpKind::kDequantizeLinear;
          ExpectReference(call);
        }
      }
    }
  });
}

}  // namespace
}  // namespace halftone
