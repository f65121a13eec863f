// Many threads on one session: the bits of one thread, and no allocation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "halftone/session.h"
#include "tests/api/session/digits_point.h"
#include "tests/api/session/heap_counter.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::CountsHeap;
using ::halftone::testing::Digit;
using ::halftone::testing::DigitsModel;
using ::halftone::testing::HeapCalls;

constexpr int kThreads = 8;
constexpr int kRuns = 400;
constexpr std::size_t kSamples = 16;
constexpr std::size_t kClasses = 10;

using Answer = std::array<float, kClasses>;

struct Threads {
  std::int64_t allocations = 0;  // of all runs after the first of each thread
  int wrong = 0;                 // runs with other bits than `expected`
};

// kThreads threads run all samples in turns, from memory of their own.
Threads RunTogether(const Session& session, const std::vector<Tensor>& samples,
                    const std::vector<Answer>& expected) {
  Threads result;
  std::atomic<int> wrong{0};
  std::int64_t before = 0;
  std::barrier warm(kThreads, [&]() noexcept { before = HeapCalls(); });
  std::barrier done(kThreads, [&]() noexcept { result.allocations = HeapCalls() - before; });
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Answer answer;
      const std::vector<std::int64_t> shape = {1, kClasses};
      const auto run = [&](std::size_t sample) {
        const ConstTensorView inputs[] = {ViewOf(samples[sample])};
        const TensorView outputs[] = {{answer.data(), DType::kFloat32, shape}};
        session.Run(inputs, outputs);
      };
      run(0);
      warm.arrive_and_wait();
      for (int i = 0; i < kRuns; ++i) {
        const std::size_t sample = static_cast<std::size_t>(t + i) % samples.size();
        run(sample);
        wrong += std::memcmp(answer.data(), expected[sample].data(), sizeof(answer)) == 0 ? 0 : 1;
      }
      done.arrive_and_wait();
    });
  }
  threads.clear();
  result.wrong = wrong;
  return result;
}

class SessionThreadsTest : public ::testing::TestWithParam<const char*> {
 protected:
  SessionThreadsTest() {
    for (std::size_t i = 0; i < kSamples; ++i) {
      samples_.push_back(Digit(i));
    }
  }

  [[nodiscard]] Session Open(int threads) const {
    PrecisionOptions options;
    options.precision_mode = GetParam();
    return Session(DigitsModel(), {.precision = std::make_shared<const PrecisionOptions>(options),
                                   .threads = threads,
                                   .allocation_free = true});
  }

  // One thread, one after the other.
  [[nodiscard]] std::vector<Answer> Alone(const Session& session) const {
    std::vector<Answer> answers;
    for (const Tensor& sample : samples_) {
      const Tensor output = session.Run({{sample}}).at(0);
      std::ranges::copy(output.values<float>(), answers.emplace_back().begin());
    }
    return answers;
  }

  std::vector<Tensor> samples_;
};

TEST_P(SessionThreadsTest, BitsOfOneThreadWithoutAllocation) {
  Session session = Open(1);
  const std::vector<Answer> expected = Alone(session);
  session.Reserve(kThreads);
  const Threads result = RunTogether(session, samples_, expected);
  EXPECT_EQ(result.wrong, 0);
  if (CountsHeap()) {
    EXPECT_EQ(result.allocations, 0);
  }
  EXPECT_EQ(session.contexts(), static_cast<std::size_t>(kThreads));
}

// Runs of several threads each: the split does not change a bit.
TEST_P(SessionThreadsTest, BitsOfOneThreadWithThreadsOfTheirOwn) {
  const std::vector<Answer> expected = Alone(Open(1));
  Session session = Open(2);
  session.Reserve(kThreads);
  EXPECT_EQ(RunTogether(session, samples_, expected).wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Modes, SessionThreadsTest,
                         ::testing::Values("force_fp32", "force_fp16", "allow_mix_precision_bf16"),
                         [](const auto& mode) { return std::string(mode.param); });

// The counter counts, or the tests above say nothing.
TEST(HeapCounterTest, CountsThisProcess) {
  if (!CountsHeap()) {
    GTEST_SKIP() << "SKIPPED: a sanitizer has an allocator of its own";
  }
  const std::int64_t before = HeapCalls();
  const auto number = std::make_unique<int>(1);
  std::thread([] { (void)Tensor(DType::kFloat32, Shape({4})); }).join();
  EXPECT_GE(HeapCalls() - before, 2) << *number;
}

// A convolution, a transposed one, which runs convolutions, and a product.
Model Convolutions() {
  testing::GraphBuilder builder;
  const auto weights = [&](const char* name, Shape shape) {
    Tensor tensor(DType::kFloat32, std::move(shape));
    std::ranges::fill(tensor.mutable_values<float>(), 0.01F);
    return builder.Constant(name, std::move(tensor));
  };
  const ValueId x = builder.Input("x", {1, 64, 28, 28});
  const ValueId narrow = builder.Add(OpKind::kConv, "narrow", {x, weights("w", {32, 64, 1, 1})});
  Attributes strides;
  strides.Set("strides", std::vector<std::int64_t>{2, 2});
  const ValueId spread = builder.Add(OpKind::kConvTranspose, "spread",
                                     {narrow, weights("v", {32, 24, 3, 3})}, strides);
  const ValueId product = builder.Add(OpKind::kMatMul, "product", {spread, weights("u", {57, 64})});
  Model model;
  model.graph = builder.Finish({product});
  return model;
}

// Allocations of a run after the first one.
std::int64_t AllocationsOf(bool allocation_free) {
  const Session session(Convolutions(), {.threads = 1, .allocation_free = allocation_free});
  const Tensor input(session.inputs()[0].type());
  Tensor output(session.outputs()[0].type());
  const ConstTensorView from[] = {ViewOf(input)};
  const TensorView to[] = {MutableViewOf(output)};
  session.Run(from, to);
  const std::int64_t before = HeapCalls();
  session.Run(from, to);
  return HeapCalls() - before;
}

TEST(SessionMemoryTest, AllocationFreeRunsLeaveOutKernelsThatAllocate) {
  if (!CountsHeap()) {
    GTEST_SKIP() << "SKIPPED: a sanitizer has an allocator of its own";
  }
  EXPECT_EQ(AllocationsOf(true), 0);
  const std::vector<KernelUse> kernels =
      ExplainKernels(Convolutions(), LoadTarget("host"), {.precision_mode = "force_fp32"});
  if (std::ranges::any_of(kernels, [](const KernelUse& use) {
        return use.kernel.find("onednn") != std::string::npos;
      })) {
    EXPECT_GT(AllocationsOf(false), 0);
  }
}

// A shape is added while others run.
TEST(SessionShapesTest, AddShapeWhileOthersRun) {
  Session session(DigitsModel(), {.threads = 1});
  const Tensor digit = Digit(0);
  const Tensor expected = session.Run({{digit}}).at(0);
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::jthread runner([&] {
    while (!stop) {
      const Tensor output = session.Run({{digit}}).at(0);
      wrong += std::memcmp(output.data(), expected.data(), expected.size_bytes()) == 0 ? 0 : 1;
    }
  });
  EXPECT_EQ(session.AddShape("pixels:2,1,8,8"), 1U);
  stop = true;
  runner.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace halftone
