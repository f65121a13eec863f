// Every entry of Einsum against sums in double, over equations of all kinds; sample_test.cc has
// numbers worked out by hand.
#include "kernels/einsum/einsum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/packed_weights.h"
#include "src/ir/einsum_equation.h"
#include "tests/kernels/kernel_test_support.h"
#include "tests/kernels/traps/instruction_traps.h"

namespace halftone::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr DType kPrecisions[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

double Gamma(double n) {
  return n * 0x1p-24 / (1 - n * 0x1p-24);
}

struct Equation {
  const char* text;
  std::vector<Shape> shapes;
  const char* kernel = "";  // of float32: what stands behind "einsum."
};

KernelCall CallOf(const Equation& equation, DType dtype, Rng& rng,
                  const std::vector<bool>& constant = {}) {
  KernelCall call{.op = OpKind::kEinsum, .constant = constant};
  call.constant.resize(equation.shapes.size());
  call.attributes.Set("equation", std::string(equation.text));
  for (const Shape& shape : equation.shapes) {
    call.inputs.emplace_back(RandomTensor({dtype, shape}, rng));
  }
  return call;
}

// Terms of a sum.
double TermsOf(const Equation& equation) {
  EinsumEquation parsed = ParseEinsum(equation.text, equation.shapes);
  for (const int label : parsed.output) {
    parsed.extents[static_cast<std::size_t>(label)] = 1;
  }
  return static_cast<double>(Shape(parsed.extents).ElementCount());
}

// The sums of |a b|.
Tensor Magnitudes(KernelCall call) {
  for (auto& input : call.inputs) {
    std::vector<double> values = DoublesOf(*input);
    for (double& value : values) {
      value = std::abs(value);
    }
    input = TensorOf(input->dtype(), input->shape(), values);
  }
  return ExactResult(call)[0];
}

bool Is(const KernelEntry& entry, std::string_view word) {
  return entry.name.find(word) != std::string_view::npos;
}

// The bound that kernels/einsum/einsum.h documents, for elements of magnitude at most 1.
ElementBound DocumentedBound(const KernelEntry& entry, const Tensor& sums,
                             const Equation& equation) {
  if (Is(entry, "multiply") || Is(entry, "transpose")) {
    return [](std::int64_t, double) { return 0.0; };
  }
  const double k = TermsOf(equation);
  const auto labels = ParseEinsum(equation.text, equation.shapes).extents.size();
  const double steps = 4.0 * static_cast<double>(equation.shapes.size()) +
                       2.0 * static_cast<double>(labels);  // at most a sum for each
  const double relative = Is(entry, "steps")  ? Gamma(k + steps)
                          : Is(entry, "dots") ? Gamma(k)
                                              : entry.product.Relative(Gamma(k + 3));
  const double absolute = entry.product.Absolute(k);
  return [sums, relative, absolute](std::int64_t i, double) {
    return relative * sums.values<double>()[static_cast<std::size_t>(i)] + absolute;
  };
}

void ExpectWithinBound(const Equation& equation, const std::vector<bool>& constant = {}) {
  Rng rng(20261123);
  for (const DType dtype : kPrecisions) {
    const KernelCall call = CallOf(equation, dtype, rng, constant);
    const Tensor exact = ExactResult(call)[0];
    const Tensor sums = Magnitudes(call);
    for (const KernelEntry* entry : EntriesFor(call)) {
      const Tensor got = RunEntry(*entry, call)[0];
      EXPECT_TRUE(AllWithin(got, exact, DocumentedBound(*entry, sums, equation)))
          << entry->name << " " << equation.text << " of " << equation.shapes[0].ToString();
      if (!entry->is_reference) {
        EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 3)[0], got))
            << entry->name << " " << equation.text << " on 3 threads";
      }
    }
  }
}

std::vector<Equation> Equations() {
  return {
      // Matrices.
      {"ij,jk->ik", {{17, 33}, {33, 35}}, "f32.matmul"},
      {"ij,jk->ki", {{17, 33}, {33, 35}}, "f32.matmul"},
      {"ji,jk->ik", {{33, 17}, {33, 35}}, "f32.matmul"},
      {"ij,kj->ik", {{17, 33}, {35, 33}}, "f32.matmul"},
      {"ji,kj->ki", {{33, 17}, {35, 33}}, "f32.matmul"},
      {"ij,jk", {{3, 600}, {600, 70}}, "f32.matmul"},
      // Attention, heads before and behind the sequence.
      {"bhid,bhjd->bhij", {{2, 3, 17, 8}, {2, 3, 19, 8}}, "f32.matmul"},
      {"bhij,bhjd->bhid", {{2, 3, 17, 19}, {2, 3, 19, 8}}, "f32.matmul"},
      {"bqhd,bkhd->bhqk", {{2, 17, 3, 8}, {2, 19, 3, 8}}, "f32.matmul"},
      {"bhqk,bkhd->bqhd", {{2, 3, 17, 19}, {2, 19, 3, 8}}, "f32.matmul"},
      {"bhwc,hkc->bhwk", {{2, 7, 9, 5}, {7, 11, 5}}, "f32.matmul"},
      // Batches, shared operands, in other orders.
      {"bij,bjk->bik", {{3, 5, 17}, {3, 17, 7}}, "f32.matmul"},
      {"bij,bjk->kib", {{3, 5, 17}, {3, 17, 7}}, "f32.matmul"},
      {"bij,jk->bik", {{3, 5, 17}, {17, 7}}, "f32.matmul"},
      {"ij,bjk->bik", {{5, 17}, {3, 17, 7}}, "f32.matmul"},
      {"ij,bjk->ibk", {{5, 17}, {3, 17, 7}}, "f32.matmul"},
      {"aij,cjk->acik", {{2, 5, 9}, {3, 9, 7}}, "f32.matmul"},
      {"aij,cjk->caik", {{2, 5, 9}, {3, 9, 7}}, "f32.matmul"},
      {"ijb,jkb->ikb", {{5, 17, 3}, {17, 7, 3}}, "f32.matmul"},
      {"nchw,ncvw->nchv", {{2, 3, 5, 7}, {2, 3, 6, 7}}, "f32.matmul"},
      {"nctw,cvt->ncvw", {{2, 3, 4, 25}, {3, 8, 4}}, "f32.matmul"},
      {"nkctv,kvw->nctw", {{2, 3, 4, 5, 7}, {3, 7, 9}}, "f32.matmul"},
      {"abcd,cdef->abef", {{2, 3, 4, 5}, {4, 5, 2, 3}}, "f32.matmul"},
      {"abcd,dcef->abef", {{2, 3, 4, 5}, {5, 4, 2, 3}}, "f32.matmul"},
      {"acbd,cedf->abef", {{2, 4, 3, 5}, {4, 2, 5, 3}}, "f32.matmul"},
      {"...ij,...jk->...ik", {{2, 3, 5, 9}, {2, 3, 9, 7}}, "f32.matmul"},
      {"...ij,jk->...ik", {{2, 3, 5, 9}, {9, 7}}, "f32.matmul"},
      // An extent of 1 against n.
      {"...ij,...jk->...ik", {{2, 1, 5, 9}, {3, 9, 7}}, "f32.matmul"},
      {"bij,bjk->bik", {{1, 5, 17}, {3, 17, 7}}, "f32.matmul"},
      {"bij,bjk->bik", {{1, 5, 17}, {1, 17, 7}}, "f32.matmul"},
      // Vectors and small matrices.
      {"i,i->", {{1}, {1}}, "any.multiply"},
      {"i,i->", {{3}, {3}}, "any.dots"},
      {"i,i->", {{1000}, {1000}}, "any.dots"},
      {"ij,ij->", {{17, 3}, {17, 3}}, "any.dots"},
      {"ij,ji->", {{17, 3}, {3, 17}}, "any.dots"},
      {"bi,bi->b", {{17, 33}, {17, 33}}, "any.dots"},
      {"ib,bi->b", {{33, 17}, {17, 33}}, "any.dots"},
      {"ij,j->i", {{17, 33}, {33}}, "any.dots"},
      {"j,ij->i", {{33}, {17, 33}}, "any.dots"},
      {"ji,j->i", {{33, 17}, {33}}, "f32.matmul"},
      {"bij,bj->bi", {{3, 17, 67}, {3, 67}}, "any.dots"},
      {"bij,bkj->bki", {{3, 4, 67}, {3, 3, 67}}, "any.dots"},
      {"bij,bjk->bik", {{5, 3, 3}, {5, 3, 3}}, "any.dots"},
      // Nothing to sum.
      {"i,j->ij", {{17}, {33}}, "any.multiply"},
      {"i,j->ji", {{17}, {33}}, "any.multiply"},
      {"ij,ij->ij", {{17, 33}, {17, 33}}, "any.multiply"},
      {"ij,ji->ij", {{17, 33}, {33, 17}}, "any.multiply"},
      {"bhwc,c->bhwc", {{2, 3, 5, 7}, {7}}, "any.multiply"},
      {"bcd,bd->dbc", {{2, 3, 5}, {2, 5}}, "any.multiply"},
      {"i,->i", {{5}, {}}, "any.multiply"},
      {"...,...->...", {{3, 5}, {1, 5}}, "any.multiply"},
      // One operand.
      {"ij->ji", {{17, 33}}, "any.transpose"},
      {"ij->ij", {{17, 33}}, "any.transpose"},
      {"a...->...a", {{2, 3, 5}}, "any.transpose"},
      {"iij->ji", {{1, 3, 5}}, "any.transpose"},
      // In steps: sums over labels of one operand.
      {"ij->i", {{3, 5}}, "any.steps"},
      {"ij->j", {{17, 35}}, "any.steps"},
      {"ij->", {{17, 1000}}, "any.steps"},
      {"i->", {{3}}, "any.steps"},
      {"abc->ac", {{3, 17, 19}}, "any.steps"},
      {"abc->ca", {{3, 17, 19}}, "any.steps"},
      {"abc->b", {{3, 17, 19}}, "any.steps"},
      {"abcde->db", {{2, 3, 4, 5, 7}}, "any.steps"},
      {"abc->c", {{3, 1, 19}}, "any.steps"},
      {"...a->...", {{3, 4, 19}}, "any.steps"},
      {"ij,k->ik", {{3, 5}, {7}}, "any.steps"},
      {"ij,jk->ik", {{3, 1}, {5, 7}}, "any.steps"},
      {"ij,kl->", {{3, 9}, {5, 7}}, "any.steps"},
      {"bija,bjk->bki", {{2, 13, 17, 3}, {2, 17, 19}}, "any.steps"},
      // More than two operands.
      {"ij,jk,kl->il", {{3, 5}, {5, 7}, {7, 2}}, "any.steps"},
      {"ab,bc,cd->ad", {{8, 64}, {64, 32}, {32, 16}}, "any.steps"},
      {"ab,bc,cd->da", {{17, 3}, {3, 33}, {33, 5}}, "any.steps"},
      {"i,j,k->", {{3}, {5}, {7}}, "any.steps"},
      {"i,j,k->kji", {{3}, {5}, {7}}, "any.steps"},
      {"i,i,i->i", {{17}, {17}, {17}}, "any.steps"},
      {"i,ij,j->", {{17}, {17, 33}, {33}}, "any.steps"},
      {"ai,bi,ci->abc", {{5, 17}, {7, 17}, {3, 17}}, "any.steps"},
      {"bn,anm,bm->ba", {{3, 17}, {5, 17, 9}, {3, 9}}, "any.steps"},
      {"bhid,bhjd,bhjv,bv->bhiv", {{2, 3, 9, 4}, {2, 3, 7, 4}, {2, 3, 7, 5}, {2, 5}}, "any.steps"},
      {"...i,...i,...j->...j", {{2, 1, 9}, {3, 9}, {2, 3, 5}}, "any.steps"},
      {"a,b,c->abc", {{1}, {1}, {1}}, "any.steps"},
      // Left to the reference.
      {"ii->i", {{3, 3}}, "any.reference"},
      {"ii->", {{3, 3}}, "any.reference"},
      {"ii,ij->j", {{3, 3}, {3, 5}}, "any.reference"},
      {"ij,jk,kk->ik", {{3, 5}, {5, 7}, {7, 7}}, "any.reference"},
      // Nothing there.
      {"ij,jk->ik", {{0, 5}, {5, 7}}, "any.dots"},
      {"ij,jk->ik", {{30, 0}, {0, 7}}, "f32.matmul"},
      {"bij,bjk->bik", {{0, 30, 5}, {0, 5, 7}}, "f32.matmul"},
      {"bij,bkj->kib", {{0, 30, 5}, {0, 7, 5}}, "f32.matmul"},
      {"bi,bi->b", {{3, 0}, {3, 0}}, "any.dots"},
      {"i,j->ij", {{0}, {5}}, "any.multiply"},
      {"ij->ji", {{0, 5}}, "any.transpose"},
      {"ij->i", {{3, 0}}, "any.steps"},
      {"ij->i", {{0, 3}}, "any.steps"},
      {"ij->", {{0, 3}}, "any.steps"},
      {"ij,jk,kl->il", {{3, 0}, {0, 7}, {7, 2}}, "any.steps"},
      {"ij,jk,kl->il", {{0, 5}, {5, 7}, {7, 2}}, "any.steps"},
  };
}

TEST(EinsumTest, ErrorBound) {
  for (const Equation& equation : Equations()) {
    ExpectWithinBound(equation);
  }
}

TEST(EinsumTest, ErrorBoundWithConstants) {
  for (const Equation& equation : Equations()) {
    if (equation.shapes.size() == 2) {
      ExpectWithinBound(equation, {false, true});
      ExpectWithinBound(equation, {true, false});
      ExpectWithinBound(equation, {true, true});
    }
  }
}

TEST(EinsumTest, ErrorBoundOverAwkwardSizes) {
  for (const std::int64_t m : {1, 3, 17}) {
    for (const std::int64_t n : {1, 3, 17}) {
      for (const std::int64_t k : {1, 2, 3, 17, 515}) {
        ExpectWithinBound({"ij,jk->ik", {{m, k}, {k, n}}});
        ExpectWithinBound({"bij,bkj->bik", {{3, m, k}, {3, n, k}}});
        ExpectWithinBound({"jbi,bjk->kbi", {{k, 3, m}, {3, k, n}}});
      }
    }
  }
}

TEST(EinsumTest, WhichKernelServes) {
  if (IsaOfTrapRun() != kIsaAny) {
    GTEST_SKIP() << "of all kernels together";
  }
  Rng rng(1);
  for (const Equation& equation : Equations()) {
    const KernelCall call = CallOf(equation, DType::kFloat32, rng);
    EXPECT_EQ(EntriesFor(call)[0]->name, std::string("einsum.") + equation.kernel)
        << equation.text << " of " << equation.shapes[0].ToString();
  }
}

// A query of equation, types and constants alone.
struct Query {
  explicit Query(const KernelCall& call) : attributes(call.attributes) {
    types = OutputTypesOf(call);
    query = {.op = call.op, .attributes = &attributes, .outputs = {&types[0]}};
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      query.inputs.push_back(&call.inputs[i]->type());
      query.constants.push_back(call.constant[i] ? &*call.inputs[i] : nullptr);
    }
  }

  Attributes attributes;
  std::vector<TensorType> types;
  KernelQuery query;
};

TEST(EinsumTest, RefusalsSayWhy) {
  struct Case {
    const char* kernel;
    Equation equation;
    const char* reason;
  };

  const Case cases[] = {
      {"f32.matmul", {"ij->ji", {{3, 5}}}, "serves two operands"},
      {"f32.matmul", {"ij,jk,kl->il", {{3, 5}, {5, 7}, {7, 2}}}, "serves two operands"},
      {"f32.matmul", {"ii,ij->j", {{3, 3}, {3, 5}}}, "serves a label once in an operand"},
      {"f32.matmul", {"ij,k->ik", {{3, 5}, {7}}}, "sums over labels of both operands only"},
      {"f32.matmul", {"ij,ij->ij", {{3, 5}, {3, 5}}}, "multiplies where there is a sum"},
      {"f32.matmul", {"ij,jk->ik", {{4, 5}, {5, 4}}}, "makes matrices of more than 16 elements"},
      {"f32.matmul",
       {"abcdefghi...,abcdefghi...k->k",
        {{2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
         {2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3}}},
       "serves up to 16 labels"},
      {"any.dots",
       {"ij,jk->ik", {{4, 5}, {5, 5}}},
       "makes vectors, or matrices of up to 16 elements"},
      {"any.dots", {"ji,j->i", {{5, 17}, {5}}}, "reads computed matrices along their rows"},
      {"any.dots", {"i,j->ij", {{5}, {5}}}, "multiplies where there is a sum"},
      {"any.multiply", {"ij,jk->ik", {{4, 5}, {5, 4}}}, "does not sum"},
      {"any.steps", {"ij,jk->ik", {{4, 5}, {5, 5}}}, "leaves to others what they do in one step"},
      {"any.steps", {"ij->ji", {{4, 5}}}, "leaves to others what they do in one step"},
      {"any.steps", {"ii->", {{5, 5}}}, "serves a label once in an operand"},
      {"any.transpose", {"ij,jk->ik", {{4, 5}, {5, 4}}}, "serves one operand"},
      {"any.transpose", {"ij->i", {{4, 5}}}, "does not sum, nor take a diagonal"},
  };
  Rng rng(2);
  for (const Case& c : cases) {
    const KernelCall call = CallOf(c.equation, DType::kFloat32, rng);
    const Query query(call);
    EXPECT_EQ(EntryNamed(std::string("einsum.") + c.kernel).refusal(query.query), c.reason)
        << c.kernel << " " << c.equation.text;
  }
}

// Where the exact result is finite, the bound holds; elsewhere NaN and infinity are those of the
// sum in double.
TEST(EinsumTest, SpecialValuesPropagate) {
  const Equation equations[] = {
      {"bij,bkj->bik", {{2, 14, 37}, {2, 33, 37}}},
      {"bij,bjk->kbi", {{2, 14, 37}, {2, 37, 33}}},
      {"ij,j->i", {{40, 37}, {37}}},
      {"bi,bi->b", {{40, 37}, {40, 37}}},
      {"ij,ji->ij", {{40, 37}, {37, 40}}},
      {"ij->i", {{40, 37}}},
      {"ij->j", {{40, 37}}},
  };
  for (const Equation& equation : equations) {
    for (const DType dtype : kPrecisions) {
      KernelCall call = {.op = OpKind::kEinsum};
      call.attributes.Set("equation", std::string(equation.text));
      for (const Shape& shape : equation.shapes) {
        std::vector<double> values(static_cast<std::size_t>(shape.ElementCount()), 0.5);
        values[0] = call.inputs.empty() ? std::nan("") : 0.25;
        values[std::min<std::size_t>(38, values.size() - 2)] = call.inputs.empty() ? kInfinity : 0;
        values[values.size() - 1] = call.inputs.empty() ? 0.5 : -kInfinity;
        call.inputs.emplace_back(TensorOf(dtype, shape, values));
      }
      const Tensor exact = ExactResult(call)[0];
      for (const KernelEntry* entry : EntriesFor(call)) {
        EXPECT_TRUE(
            testing::AllWithinOrSpecial(*entry, RunEntry(*entry, call)[0], exact, Gamma(40)))
            << entry->name << " " << equation.text;
      }
    }
  }
}

TEST(EinsumTest, ModesAreThoseOfMatMul) {
  const IsaMask isa = DetectIsa();
  for (const DType dtype : kPrecisions) {
    EXPECT_EQ(KernelImplModes(OpKind::kEinsum, dtype, isa),
              KernelImplModes(OpKind::kMatMul, dtype, isa))
        << NameOf(dtype);
  }
}

// Float16 loses bits where its mode rounds operands to bfloat16, or sums in float16, and only
// there.
TEST(EinsumTest, TheModeChoosesTheProduct) {
  if ((DetectIsa() & kIsaAvx512Bf16) == 0) {
    GTEST_SKIP() << "needs avx512_bf16";
  }
  KernelCall call{.op = OpKind::kEinsum};
  call.attributes.Set("equation", std::string("ij,kj->ik"));
  call.inputs = {TensorOf(DType::kFloat16, {17, 2}, std::vector<double>(34, 1 + 0x1p-10)),
                 TensorOf(DType::kFloat16, {2, 2}, {1 + 0x1p-10, -1, 2, 0})};
  const auto first = [&](ImplMode mode) {
    call.impl_mode = mode;
    return DoubleAt(DType::kFloat16, RunSelected(call)[0].data(), 0);
  };
  EXPECT_EQ(first(ImplMode::kHighPrecision), 0x1p-10 + 0x1p-20);
  EXPECT_EQ(first(ImplMode::kDefault), 0x1p-10 + 0x1p-20);
  EXPECT_LT(first(ImplMode::kHighPerformance), 0x1p-10 + 0x1p-20);
}

TEST(EinsumTest, ConstantsArePackedOnce) {
  Rng rng(3);
  const KernelEntry& entry = EntryNamed("einsum.bf16.matmul");
  PackedWeights packed;
  const int ids[] = {-1, 7};
  // As it lies, transposed, and with its axes in an order of its own.
  const auto consumed = [&](const char* equation, const Shape& b) {
    const KernelCall call = CallOf({equation, {{30, 64}, b}}, DType::kBFloat16, rng, {false, true});
    Query query(call);
    query.query.packed = &packed;
    query.query.constant_ids = ids;
    const auto state = entry.prepare(query.query);
    EXPECT_FALSE(state->Consumed(0)) << equation;
    return state->Consumed(1);
  };
  EXPECT_TRUE(consumed("ij,jk->ik", {64, 64}));
  EXPECT_EQ(packed.size(), 1U);
  EXPECT_TRUE(consumed("ij,jk->ik", {64, 64}));
  EXPECT_EQ(packed.size(), 1U) << "the same form";
  EXPECT_TRUE(consumed("ij,kj->ik", {64, 64}));
  EXPECT_EQ(packed.size(), 2U) << "another form";
  EXPECT_TRUE(consumed("ij,kjl->ikl", {8, 64, 8}));
  EXPECT_EQ(packed.size(), 2U) << "not kept";
}

}  // namespace
}  // namespace halftone::testing
