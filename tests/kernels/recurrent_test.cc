// Recurrent operators against an oracle in double that carries its error bound along
// (kernels/recurrent/recurrent.h says where the bound comes from).
#include "kernels/recurrent/recurrent.h"

#include <cmath>

#include "gtest/gtest.h"
#include "src/base/rng.h"
#include "tests/kernels/kernel_test_support.h"
#include "tests/kernels/recurrent_oracle.h"

namespace halftone::testing {
namespace {

double RoundoffOf(DType dtype) {
  return dtype == DType::kFloat16 ? 0x1p-11 : dtype == DType::kBFloat16 ? 0x1p-8 : 0;
}

using Case = RecurrentCase;

const Case kCases[] = {
    {.name = "Lstm", .op = kLstm, .steps = 5, .batch = 2, .input = 7, .hidden = 9},
    {.name = "LstmWide", .op = kLstm, .steps = 3, .batch = 13, .input = 33, .hidden = 40},
    {.name = "LstmOne", .op = kLstm, .steps = 1, .batch = 1, .input = 1, .hidden = 1},
    {.name = "LstmPeepholes",
     .op = kLstm,
     .steps = 4,
     .batch = 3,
     .input = 5,
     .hidden = 17,
     .states = true,
     .peepholes = true},
    {.name = "LstmBoth",
     .op = kLstm,
     .steps = 6,
     .batch = 3,
     .input = 4,
     .hidden = 8,
     .direction = "bidirectional",
     .lengths = true,
     .states = true},
    {.name = "LstmReverse",
     .op = kLstm,
     .steps = 4,
     .batch = 3,
     .input = 4,
     .hidden = 8,
     .direction = "reverse",
     .bias = false,
     .lengths = true,
     .layout = 1},
    {.name = "LstmCoupled",
     .op = kLstm,
     .steps = 3,
     .batch = 2,
     .input = 4,
     .hidden = 8,
     .input_forget = 1,
     .clip = 0.4F},
    {.name = "LstmOthers",
     .op = kLstm,
     .steps = 3,
     .batch = 2,
     .input = 4,
     .hidden = 8,
     .activations = "HardSigmoid Softsign Tanh"},
    {.name = "Gru", .op = kGru, .steps = 5, .batch = 2, .input = 7, .hidden = 9},
    {.name = "GruLinear",
     .op = kGru,
     .steps = 5,
     .batch = 2,
     .input = 7,
     .hidden = 9,
     .linear_before_reset = 1},
    {.name = "GruBoth",
     .op = kGru,
     .steps = 6,
     .batch = 3,
     .input = 16,
     .hidden = 35,
     .direction = "bidirectional",
     .lengths = true,
     .states = true,
     .layout = 1},
    {.name = "GruLinearBoth",
     .op = kGru,
     .steps = 4,
     .batch = 14,
     .input = 3,
     .hidden = 8,
     .direction = "bidirectional",
     .states = true,
     .linear_before_reset = 1,
     .clip = 0.5F},
    {.name = "Rnn", .op = kRnn, .steps = 5, .batch = 2, .input = 7, .hidden = 9},
    {.name = "RnnRelu",
     .op = kRnn,
     .steps = 4,
     .batch = 3,
     .input = 4,
     .hidden = 6,
     .direction = "bidirectional",
     .lengths = true,
     .states = true,
     .activations = "Relu Tanh"},
    {.name = "NoSteps",
     .op = kGru,
     .steps = 0,
     .batch = 2,
     .input = 3,
     .hidden = 4,
     .states = true},
    {.name = "NoBatch", .op = kLstm, .steps = 3, .batch = 0, .input = 3, .hidden = 4},
};

KernelCall CallOf(const Case& c, DType dtype, Rng& rng) {
  KernelCall call{.op = c.op};
  const std::int64_t directions = std::string(c.direction) == "bidirectional" ? 2 : 1;
  const std::int64_t width = GatesOf(c.op) * c.hidden;
  const auto weights = [&](Shape shape) {
    return RandomTensor({dtype, std::move(shape)}, rng, -0.6, 0.6);
  };
  const Shape state =
      c.layout == 1 ? Shape{c.batch, directions, c.hidden} : Shape{directions, c.batch, c.hidden};
  call.inputs.resize(c.op == kLstm ? 8 : 6);
  call.inputs[kX] = RandomTensor(
      {dtype, c.layout == 1 ? Shape{c.batch, c.steps, c.input} : Shape{c.steps, c.batch, c.input}},
      rng);
  call.inputs[kW] = weights({directions, width, c.input});
  call.inputs[kR] = weights({directions, width, c.hidden});
  if (c.bias) {
    call.inputs[kB] = weights({directions, 2 * width});
  }
  if (c.lengths) {
    Tensor lengths(DType::kInt32, {c.batch});
    for (std::int64_t b = 0; b < c.batch; ++b) {
      lengths.mutable_values<std::int32_t>()[static_cast<std::size_t>(b)] =
          static_cast<std::int32_t>((b * 3 + 1) % (c.steps + 1));
    }
    call.inputs[kSequenceLens] = lengths;
  }
  if (c.states) {
    call.inputs[kInitialH] = RandomTensor({dtype, state}, rng);
    if (c.op == kLstm) {
      call.inputs[kInitialC] = RandomTensor({dtype, state}, rng);
    }
  }
  if (c.peepholes) {
    call.inputs[kPeepholes] = weights({directions, 3 * c.hidden});
  }
  call.constant = {false, true, true, true, false, false, false, true};
  call.constant.resize(call.inputs.size());
  call.attributes.Set("direction", std::string(c.direction));
  call.attributes.Set("layout", c.layout);
  if (c.op == kGru) {
    call.attributes.Set("linear_before_reset", c.linear_before_reset);
  }
  if (c.op == kLstm) {
    call.attributes.Set("input_forget", c.input_forget);
  }
  if (c.clip > 0) {
    call.attributes.Set("clip", c.clip);
  }
  if (!std::string(c.activations).empty()) {
    call.attributes.Set("activations", std::string(c.activations));
  }
  const Shape y = c.layout == 1 ? Shape{c.batch, c.steps, directions, c.hidden}
                                : Shape{c.steps, directions, c.batch, c.hidden};
  call.outputs = {{dtype, y}, {dtype, state}};
  if (c.op == kLstm) {
    call.outputs.push_back({dtype, state});
  }
  return call;
}

class RecurrentTest : public ::testing::TestWithParam<Case> {};

TEST_P(RecurrentTest, StaysWithinTheBoundThatItsStepsAddUpTo) {
  const Case& c = GetParam();
  Rng rng(91);
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const KernelCall call = CallOf(c, dtype, rng);
    for (const KernelEntry* entry : EntriesFor(call)) {
      // A product that the bfloat16 units flush is below 2^-126 (kernels/gemm/packed.h).
      const RecurrentOracle oracle(c, call,
                                   {.roundoff = RoundoffOf(dtype),
                                    .product = entry->product.Relative(0),
                                    .term = entry->product.Absolute(1)});
      for (const int threads : {1, 2}) {
        const std::vector<Tensor> got = RunEntry(*entry, call, threads);
        for (std::size_t i = 0; i < got.size(); ++i) {
          Tensor exact(DType::kFloat64, call.outputs[i].shape);
          for (std::size_t k = 0; k < oracle.results[i].size(); ++k) {
            exact.mutable_values<double>()[k] = oracle.results[i][k].value;
          }
          EXPECT_TRUE(AllWithin(got[i], exact,
                                [&](std::int64_t k, double) {
                                  return oracle.results[i][static_cast<std::size_t>(k)].error;
                                }))
              << entry->name << " output " << i;
        }
      }
    }
  }
}

TEST_P(RecurrentTest, DoesNotDependOnTheNumberOfThreads) {
  Rng rng(92);
  const KernelCall call = CallOf(GetParam(), DType::kFloat32, rng);
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 2)[0], RunEntry(*entry, call, 1)[0]))
        << entry->name;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, RecurrentTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(RecurrentRefusal, WeightsThatAreComputedAreLeftToTheReference) {
  Rng rng(93);
  KernelCall call = CallOf(kCases[0], DType::kFloat32, rng);
  call.constant[kR] = false;
  const auto entries = EntriesFor(call);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0]->name, "lstm.reference");
}

// NaN in one row of the batch stays in that row.
TEST(RecurrentSpecial, NaNStaysInItsRow) {
  Rng rng(94);
  KernelCall call = CallOf(kCases[0], DType::kFloat32, rng);
  call.inputs[kX]->mutable_values<float>()[0] = std::nanf("");  // step 0, row 0
  for (const KernelEntry* entry : EntriesFor(call)) {
    const std::vector<Tensor> got = RunEntry(*entry, call);
    const auto y = got[0].values<float>();
    for (std::int64_t row = 0; row < 5 * 2; ++row) {
      for (std::int64_t j = 0; j < 9; ++j) {
        EXPECT_EQ(std::isnan(y[static_cast<std::size_t>(row * 9 + j)]), row % 2 == 0)
            << entry->name << " row " << row;
      }
    }
  }
}

}  // namespace
}  // namespace halftone::testing
