// Typed and rounded files in ONNX Runtime: the one loads, the other has the accuracy of its plan.
//
// Needs its library: $ORT_LIBRARY, or what scripts/bench_vs_onnxruntime.sh keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/runtimes/onnxruntime/ort_api.h"
#include "bench/onnxruntime/runtime_session.h"
#include "src/exec/executable.h"
#include "src/exec/host_target.h"
#include "src/export/onnx_mixed.h"
#include "src/export/onnx_qdq.h"
#include "src/onnx/model_file.h"
#include "src/onnx/reader.h"
#include "src/onnx/tensor_proto.h"
#include "src/passes/passes.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/runtime_library.h"
#include "tests/support/evaluate.h"
#include "tests/support/paths.h"
#include "tests/support/valid_model.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// The inputs of test_data_set_0, by name; random ones without such a folder.
std::map<std::string, Tensor> SampleOf(const fs::path& folder) {
  std::map<std::string, Tensor> inputs;
  if (!fs::exists(folder / "test_data_set_0")) {
    const Graph graph = ReadOnnx(folder);
    const std::vector<Tensor> random = testing::RandomInputs(graph, 1);
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      inputs[graph.value(graph.inputs[i]).name] = random[i];
    }
    return inputs;
  }
  const auto model = LoadModel(folder / "model.onnx");
  std::set<std::string> constants;
  for (const auto& initializer : model->graph().initializer()) {
    constants.insert(initializer.name());
  }
  int i = 0;
  for (const auto& input : model->graph().input()) {
    if (!constants.contains(input.name())) {
      inputs[input.name()] =
          ReadTensorProto(folder / "test_data_set_0" / ("input_" + std::to_string(i++) + ".pb"));
    }
  }
  return inputs;
}

// Error power over signal power, of all float outputs together, in dB.
double ErrorDb(const std::vector<Tensor>& exact, const std::vector<Tensor>& other) {
  double error = 0;
  double signal = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (exact[i].dtype() != DType::kFloat32) {
      continue;
    }
    const std::vector<double> a = DoublesOf(exact[i]);
    const std::vector<double> b = DoublesOf(other.at(i));
    for (std::size_t k = 0; k < a.size(); ++k) {
      error += (a[k] - b.at(k)) * (a[k] - b[k]);
      signal += a[k] * a[k];
    }
  }
  return 10 * std::log10(error / signal);
}

// ONNX Runtime 1.30.0 crashes while it loads these typed files: its optimiser of Transposes reads
// the schema of a node that has none yet. The files are valid by ONNX's checker and its type
// inference.
const std::set<std::string> kCrashing = {"nnsplit-en", "light/vit_b_16"};

class TypedInRuntime : public ::testing::TestWithParam<const char*> {};

TEST_P(TypedInRuntime, RoundedFileHasTheAccuracyOfThePlan) {
  const auto library = testing::RuntimeLibrary();
  const auto shared = testing::SharedDir();
  if (!library) {
    GTEST_SKIP() << "no ONNX Runtime on this machine";
  }
  if (!shared || !fs::exists(*shared / "models" / GetParam() / "model.onnx")) {
    GTEST_SKIP() << "no collection of networks beside the source tree";
  }
  const fs::path folder = *shared / "models" / GetParam();
  const std::map<std::string, Tensor> sample = SampleOf(folder);
  ImportOptions options;
  for (const auto& [name, tensor] : sample) {
    options.input_shapes[name] = tensor.shape().dims();
  }
  Graph graph = ReadOnnx(folder, options);
  Canonicalize(graph);
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs) {
    inputs.push_back(sample.at(graph.value(id).name));
  }
  const PrecisionPlan plan =
      ResolvePrecision(graph, {.precision_mode = "allow_mix_precision_fp16"}, HostTarget());
  const OrtApi api(*library);
  const MixedModel mixed = WriteOnnxMixed(folder, graph, plan);
  onnx::ModelProto typed;
  ASSERT_TRUE(typed.ParseFromString(mixed.bytes));
  testing::ExpectValid(typed, graph);
  if (!kCrashing.contains(GetParam())) {
    RuntimeSession(api, mixed.bytes, {}, sample).Run();
  }
  const QdqModel rounded = WriteOnnxQdq(folder, graph, plan, QdqFlavour::kOrt);
  RuntimeSession session(api, rounded.bytes, {}, sample);
  session.Run();
  const std::vector<Tensor> exact = Compile(graph, ReferencePlan(graph), {}).Run(inputs);
  const double of_plan = ErrorDb(exact, Compile(graph, plan, {}).Run(inputs));
  const double of_file = ErrorDb(exact, session.Outputs());
  std::cout << GetParam() << ": error of the plan " << of_plan
            << " dB, of the file in ONNX Runtime " << of_file << " dB; " << mixed.low_operators
            << " operators in 16 bits, " << mixed.casts << " Casts\n";
  if (!std::isfinite(of_plan)) {
    return;  // the weights of some networks are made up: their results are no numbers
  }
  // Both round the same numbers at the same places. Sums in another order move some over the middle
  // between two numbers: an error of at most the amplitude of all roundings, so that neither is
  // above twice the other (20 log10 2 = 6.02), down to what the last operators do to a float32
  // result (4 halves of its last bit, 2^-22).
  const double resolution = 20 * std::log10(0x1p-22);
  EXPECT_NEAR(std::max(of_plan, resolution), std::max(of_file, resolution), 6.03);
}

INSTANTIATE_TEST_SUITE_P(
    Shared, TypedInRuntime,
    ::testing::Values("squeezenet", "mnist", "micro-kws", "deeplab-mnv2-portrait", "dnsmos",
                      "dtln-1", "face-landmarks-mnv3", "gpt-untrained", "gtcrn",
                      "katago-resnet-b6c96", "katago-transformer-b7c96", "magika", "nanodet-m",
                      "nnsplit-en", "ppocr-cls", "ppocr-det", "silero-vad", "stories260k",
                      "stories260k-decode", "super-resolution", "yolox-nano", "yunet-320",
                      "light/bert_base", "light/bvlc_alexnet", "light/densenet121",
                      "light/efficientnet_b0", "light/gpt2_small", "light/inception_v1",
                      "light/inception_v2", "light/mobilenet_v2", "light/resnet50",
                      "light/shufflenet", "light/squeezenet", "light/vgg19", "light/vit_b_16",
                      "light/zfnet512"),
    [](const auto& c) {
      std::string name = c.param;
      std::ranges::replace(name, '-', '_');
      std::ranges::replace(name, '/', '_');
      return name;
    });

}  // namespace
}  // namespace halftone
