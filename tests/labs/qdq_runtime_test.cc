// QDQ files in ONNX Runtime: the integers of every rounded tensor against halftone's.
//
// Needs its library: $ORT_LIBRARY, or what labs/onnxruntime/bench_vs_onnxruntime.sh keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "labs/onnxruntime/runtime_session.h"
#include "src/exec/executable.h"
#include "src/export/onnx_qdq.h"
#include "src/onnx/reader.h"
#include "src/onnx/tensor_proto.h"
#include "src/passes/passes.h"
#include "src/runtimes/onnxruntime/ort_api.h"
#include "tests/support/paths.h"
#include "tests/support/quantized_plan.h"
#include "tests/support/runtime_library.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// The samples of test_data_set_N, and those of an eval set at the shape of one of them.
std::vector<Tensor> SamplesOf(const fs::path& folder, std::size_t most) {
  std::vector<Tensor> samples;
  for (int i = 0; fs::exists(folder / ("test_data_set_" + std::to_string(i))); ++i) {
    samples.push_back(
        ReadTensorProto(folder / ("test_data_set_" + std::to_string(i)) / "input_0.pb"));
  }
  if (const fs::path file = folder / "eval" / "input_0.pb"; fs::exists(file)) {
    const Tensor all = ReadTensorProto(file);
    const Shape shape = samples.at(0).shape();
    const std::int64_t size = shape.ElementCount();
    for (std::int64_t i = 0; i < all.ElementCount() / size && samples.size() < most; ++i) {
      const auto part = all.values<float>().subspan(static_cast<std::size_t>(i * size),
                                                    static_cast<std::size_t>(size));
      samples.push_back(Tensor::From<float>(shape, part));
    }
  }
  return samples;
}

// The bytes of [N, H, W, C] as [N, C, H, W].
std::vector<std::uint8_t> ChannelsFirst(std::span<const std::uint8_t> bytes, std::int64_t batch,
                                        std::int64_t channels) {
  std::vector<std::uint8_t> moved(bytes.size());
  const std::size_t image = bytes.size() / static_cast<std::size_t>(batch);
  const auto count = static_cast<std::size_t>(channels);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t in_image = i % image;
    moved[i - in_image + in_image % count * (image / count) + in_image / count] = bytes[i];
  }
  return moved;
}

// The model with the values of these names as outputs behind its own.
std::string WithFurtherOutputs(const std::string& model, const std::vector<std::string>& names) {
  onnx::ModelProto proto;
  EXPECT_TRUE(proto.ParseFromString(model));
  for (const std::string& name : names) {
    proto.mutable_graph()->add_output()->set_name(name);
  }
  return proto.SerializeAsString();
}

// Integers of a tensor that a plan has in qint8, in the order in which they are made.
struct Integers {
  std::string name;
  std::vector<std::uint8_t> values;
};

std::vector<Integers> IntegersOf(const Graph& graph, const Executable& run, const Tensor& sample,
                                 std::vector<Tensor>& outputs) {
  std::vector<Integers> integers;
  Workspace workspace = run.NewWorkspace();
  outputs = run.NewOutputs();
  run.RunObserved(
      workspace, std::vector{sample}, outputs, [&](std::size_t step, std::span<void* const> data) {
        const StepInfo& info = run.steps()[step];
        for (std::size_t i = 0; i < info.values.size(); ++i) {
          if (info.values[i] == kNoValue || run.step_output_types(step)[i].dtype != DType::kUInt8) {
            continue;
          }
          const Value& value = graph.value(info.values[i]);
          if (std::ranges::count(integers, value.name, &Integers::name) > 0) {
            continue;  // another layout of it
          }
          const std::span bytes(static_cast<const std::uint8_t*>(data[i]),
                                static_cast<std::size_t>(value.type.shape.ElementCount()));
          integers.push_back(
              {value.name, info.channels_last
                               ? ChannelsFirst(bytes, value.type.shape[0], value.type.shape[1])
                               : std::vector<std::uint8_t>(bytes.begin(), bytes.end())});
        }
      });
  return integers;
}

struct Agreement {
  std::size_t elements = 0;
  std::size_t equal = 0;
  int largest = 0;  // steps

  void Add(const std::vector<std::uint8_t>& a, std::span<const std::uint8_t> b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const int distance = std::abs(int{a[i]} - int{b[i]});
      equal += distance == 0 ? 1 : 0;
      largest = std::max(largest, distance);
    }
    elements += a.size();
  }

  void Add(const Agreement& other) {
    elements += other.elements;
    equal += other.equal;
    largest = std::max(largest, other.largest);
  }
};

template <typename T>
auto Top1(std::span<const T> values) {
  return std::ranges::max_element(values) - values.begin();
}

class QdqInRuntime : public ::testing::TestWithParam<const char*> {};

// The runtime rounds the factor of sums twice, so that sums within 2^-22 of the middle between two
// integers become another one: in all operators whose operands are the same. Behind such a
// difference others follow, which are printed.
TEST_P(QdqInRuntime, EveryOperatorIsWithinOneStep) {
  const auto library = testing::RuntimeLibrary();
  const auto shared = testing::SharedDir();
  if (!library) {
    GTEST_SKIP() << "no ONNX Runtime on this machine";
  }
  if (!shared || !fs::exists(*shared / "models" / GetParam() / "model.onnx")) {
    GTEST_SKIP() << "no collection of networks beside the source tree";
  }
  const fs::path folder = *shared / "models" / GetParam();
  const std::vector<Tensor> samples = SamplesOf(folder, 26);
  ImportOptions options;
  options.input_shapes[ReadOnnx(folder).values[0].name] = samples[0].shape().dims();
  Graph graph = ReadOnnx(folder, options);
  Canonicalize(graph);
  const std::vector<std::vector<Tensor>> calibration = {{samples.at(0)}, {samples.at(1)}};
  const PrecisionPlan plan =
      testing::PlanIn(graph, testing::RangesOn(graph, calibration),
                      [](const Node& node) { return node.op == OpKind::kSoftmax ? "" : "qint8"; });
  const QdqModel file = WriteOnnxQdq(folder, graph, plan, QdqFlavour::kOrt);
  const Executable run = Compile(graph, plan, {});
  const OrtApi api(*library);
  const std::string input = graph.value(graph.inputs[0]).name;
  std::vector<Tensor> outputs;
  std::vector<std::string> further;
  for (const Integers& one : IntegersOf(graph, run, samples[0], outputs)) {
    further.push_back(one.name + "_QuantizeLinear_Output");
  }
  const std::string observed = WithFurtherOutputs(file.bytes, further);
  Agreement all;
  int same_top1 = 0;
  for (const Tensor& sample : samples) {
    const std::vector<Integers> ours = IntegersOf(graph, run, sample, outputs);
    RuntimeSession session(api, observed, {}, {{input, sample}});
    session.Run();
    const std::vector<Tensor> theirs = session.Outputs();
    const std::size_t own = theirs.size() - ours.size();
    bool same_operands = true;  // of all tensors until here
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ASSERT_EQ(static_cast<std::size_t>(theirs[own + i].ElementCount()), ours[i].values.size());
      Agreement one;
      one.Add(ours[i].values, theirs[own + i].values<std::uint8_t>());
      if (same_operands) {
        EXPECT_LE(one.largest, 1) << ours[i].name;
        EXPECT_GE(static_cast<double>(one.equal), 0.999 * static_cast<double>(one.elements))
            << ours[i].name;
        same_operands = one.largest == 0;
      }
      all.Add(one);
    }
    same_top1 += Top1(outputs[0].values<float>()) == Top1(theirs[0].values<float>()) ? 1 : 0;
  }
  std::cout << GetParam() << " in ONNX Runtime " << api.version() << ": " << further.size()
            << " tensors, " << samples.size() << " samples, " << all.equal << " of " << all.elements
            << " integers equal, largest difference " << all.largest << " steps, top-1 the same in "
            << same_top1 << "\n";
  EXPECT_EQ(same_top1, std::ssize(samples));
}

INSTANTIATE_TEST_SUITE_P(Shared, QdqInRuntime,
                         ::testing::Values("squeezenet", "mnist", "micro-kws"), [](const auto& c) {
                           std::string name = c.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace halftone
