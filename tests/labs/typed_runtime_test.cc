// ONNX files of plans for every network of the shared collection: the checker accepts them, ONNX
// Runtime loads them, and those with rounding pairs have the accuracy of their plans there.
//
// The library of ONNX Runtime: $ORT_LIBRARY, or what labs/onnxruntime/bench_vs_onnxruntime.sh
// keeps; without it the files are checked only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "labs/onnxruntime/runtime_session.h"
#include "src/base/error.h"
#include "src/base/output_file.h"
#include "src/exec/executable.h"
#include "src/exec/host_target.h"
#include "src/export/onnx_mixed.h"
#include "src/export/onnx_qdq.h"
#include "src/onnx/model_file.h"
#include "src/onnx/reader.h"
#include "src/onnx/tensor_proto.h"
#include "src/passes/passes.h"
#include "src/precision/resolve/resolve.h"
#include "src/runtimes/onnxruntime/ort_api.h"
#include "tests/support/evaluate.h"
#include "tests/support/exported_model.h"
#include "tests/support/paths.h"
#include "tests/support/quantized_plan.h"
#include "tests/support/runtime_library.h"
#include "tests/support/valid_model.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kNone = "none";  // there is no collection beside the source tree

// Folders of the collection with a model.onnx: "mnist", "light/vgg19".
std::vector<std::string> Networks() {
  std::vector<std::string> names;
  if (const auto shared = testing::SharedDir()) {
    std::error_code error;
    const fs::path root = *shared / "models";
    for (const auto& entry : fs::recursive_directory_iterator(root, error)) {
      if (entry.path().filename() == "model.onnx") {
        names.push_back(entry.path().parent_path().lexically_relative(root).string());
      }
    }
  }
  std::ranges::sort(names);
  return names.empty() ? std::vector<std::string>{kNone} : names;
}

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

// A network of the collection, its sample, and its source.
struct Network {
  explicit Network(const fs::path& of_folder)
      : folder(of_folder), sample(SampleOf(folder)), source(LoadModel(folder / "model.onnx")) {
    ImportOptions options;
    for (const auto& [name, tensor] : sample) {
      options.input_shapes[name] = tensor.shape().dims();
    }
    graph = ReadOnnx(folder, options);
    Canonicalize(graph);
    for (const ValueId id : graph.inputs) {
      inputs.push_back(sample.at(graph.value(id).name));
    }
  }

  [[nodiscard]] bool IsInFloat32() const {
    return std::ranges::none_of(graph.values, [](const Value& value) {
      return value.type.dtype == DType::kFloat16 || value.type.dtype == DType::kBFloat16;
    });
  }

  // The file as a message, after all checks of it.
  [[nodiscard]] onnx::ModelProto Checked(const std::string& bytes) const {
    onnx::ModelProto proto;
    EXPECT_TRUE(proto.ParseFromString(bytes));
    testing::ExpectValid(proto, graph);
    testing::ExpectTidy(proto, *source, folder);
    return proto;
  }

  [[nodiscard]] std::vector<Tensor> Run(const PrecisionPlan& plan) const {
    return Compile(graph, plan, {}).Run(inputs);
  }

  fs::path folder;
  std::map<std::string, Tensor> sample;
  std::shared_ptr<onnx::ModelProto> source;
  Graph graph;
  std::vector<Tensor> inputs;
};

// ONNX Runtime 1.30.0 crashes while it loads these typed files: its optimiser of Transposes reads
// the schema of a node that has none yet. The files are valid by ONNX's checker and its type
// inference.
const std::set<std::string> kCrashing = {"nnsplit-en", "light/vit_b_16"};

class TypedInRuntime : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == kNone) {
      GTEST_SKIP() << "no collection of networks beside the source tree";
    }
    network_.emplace(*testing::SharedDir() / "models" / GetParam());
    if (const auto library = testing::RuntimeLibrary()) {
      api_.emplace(*library);
    }
  }

  [[nodiscard]] const Network& network() const { return *network_; }

  // Both round the same numbers at the same places. Sums in another order move some over the middle
  // between two numbers: an error of at most the amplitude of all roundings, so that neither is
  // above twice the other (20 log10 2 = 6.02), down to what the last operators do to a float32
  // result (4 halves of its last bit, 2^-22).
  void ExpectAccuracyOf(const PrecisionPlan& plan, const std::string& file, const char* kind) {
    if (!api_) {
      return;
    }
    RuntimeSession session(*api_, file, {}, network().sample);
    session.Run();
    const std::vector<Tensor> exact = network().Run(ReferencePlan(network().graph));
    const double of_plan = ErrorDb(exact, network().Run(plan));
    const double of_file = ErrorDb(exact, session.Outputs());
    std::cout << GetParam() << ", " << kind << ": error of the plan " << of_plan
              << " dB, of the file in ONNX Runtime " << of_file << " dB\n";
    if (!std::isfinite(of_plan)) {
      return;  // the weights of some networks are made up: their results are no numbers
    }
    const double resolution = 20 * std::log10(0x1p-22);
    EXPECT_NEAR(std::max(of_plan, resolution), std::max(of_file, resolution), 6.03);
  }

  std::optional<Network> network_;
  std::optional<OrtApi> api_;
};

// Its weights beside it, as of a network above 2 GiB.
TEST_P(TypedInRuntime, WeightsBesideTheFileAreRead) {
  if (!api_ || !network().IsInFloat32()) {
    GTEST_SKIP() << "no ONNX Runtime on this machine, or a model in float16";
  }
  const PrecisionPlan plan = ResolvePrecision(
      network().graph, {.precision_mode = "allow_mix_precision_fp16"}, HostTarget());
  const QdqModel whole = WriteOnnxQdq(network().folder, network().graph, plan, QdqFlavour::kOrt);
  // As small as the initializers that stay in the message, which are below 1 KiB, allow.
  const std::size_t most = std::max<std::size_t>(4096, whole.bytes.size() / 2);
  const fs::path folder = fs::path(::testing::TempDir()) / "halftone_weights_in_runtime";
  QdqModel parted;
  try {
    parted = WriteOnnxQdq(network().folder, network().graph, plan, QdqFlavour::kOrt,
                          {.most_bytes = most, .data_name = "beside.data"});
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("an ONNX file holds at most"));
    return;  // a network of many nodes with few weights
  }
  ASSERT_FALSE(parted.weights.empty());
  OutputFile data(folder / "beside.data");
  parted.weights.Write([&](std::string_view bytes) { data.Write(bytes); });
  data.Finish();
  // A model without a path has its data in the current folder.
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  RuntimeSession with(*api_, parted.bytes, {}, network().sample);
  fs::current_path(before);
  with.Run();
  RuntimeSession without(*api_, whole.bytes, {}, network().sample);
  without.Run();
  ASSERT_EQ(with.Outputs().size(), without.Outputs().size());
  for (std::size_t i = 0; i < with.Outputs().size(); ++i) {
    EXPECT_TRUE(testing::SameBytes(with.Outputs()[i], without.Outputs()[i]));
  }
}

TEST_P(TypedInRuntime, RoundedFileHasTheAccuracyOfThePlan) {
  const PrecisionPlan plan = ResolvePrecision(
      network().graph, {.precision_mode = "allow_mix_precision_fp16"}, HostTarget());
  const MixedModel mixed = WriteOnnxMixed(network().folder, network().graph, plan);
  (void)network().Checked(mixed.bytes);
  std::cout << GetParam() << ": " << mixed.low_operators << " operators in 16 bits, " << mixed.casts
            << " Casts\n";
  if (api_ && !kCrashing.contains(GetParam())) {
    RuntimeSession(*api_, mixed.bytes, {}, network().sample).Run();
  }
  const QdqModel rounded = WriteOnnxQdq(network().folder, network().graph, plan, QdqFlavour::kOrt);
  (void)network().Checked(rounded.bytes);
  ExpectAccuracyOf(plan, rounded.bytes, "fp16");
}

PrecisionPlan PlanIn8Bits(const Network& network) {
  const std::vector<std::vector<Tensor>> samples = {network.inputs};
  return testing::PlanIn(
      network.graph, testing::RangesOn(network.graph, samples),
      [](const Node& node) { return node.op == OpKind::kSoftmax ? "" : "qint8"; });
}

TEST_P(TypedInRuntime, IntegerFileHasTheAccuracyOfThePlan) {
  const PrecisionPlan plan = PlanIn8Bits(network());
  if (!network().IsInFloat32()) {
    EXPECT_THROW(WriteOnnxQdq(network().folder, network().graph, plan, QdqFlavour::kOrt), Error);
    return;
  }
  const QdqModel file = WriteOnnxQdq(network().folder, network().graph, plan, QdqFlavour::kOrt);
  (void)network().Checked(file.bytes);
  ExpectAccuracyOf(plan, file.bytes, "int8");
}

// TensorRT reads zero points of 0 in int8, scales above 0, and no integer biases.
TEST_P(TypedInRuntime, IntegerFileForTensorRtHasNoZeroPoints) {
  const PrecisionPlan plan = PlanIn8Bits(network());
  if (!network().IsInFloat32()) {
    EXPECT_THROW(WriteOnnxQdq(network().folder, network().graph, plan, QdqFlavour::kTensorRt),
                 Error);
    return;
  }
  const QdqModel file =
      WriteOnnxQdq(network().folder, network().graph, plan, QdqFlavour::kTensorRt);
  const onnx::ModelProto proto = network().Checked(file.bytes);
  std::set<std::string> of_model;
  for (const auto& node : network().source->graph().node()) {
    if (node.op_type() == "QuantizeLinear" || node.op_type() == "DequantizeLinear") {
      of_model.insert(node.output(0));
    }
  }
  std::int64_t pairs_of_model = 0;
  std::map<std::string, const onnx::TensorProto*> constants;
  for (const auto& initializer : proto.graph().initializer()) {
    constants[initializer.name()] = &initializer;
  }
  for (const auto& node : proto.graph().node()) {
    if (node.op_type() != "QuantizeLinear" && node.op_type() != "DequantizeLinear") {
      continue;
    }
    if (of_model.contains(node.output(0))) {
      ++pairs_of_model;
      continue;
    }
    ASSERT_TRUE(constants.contains(node.input(1))) << node.name();
    ASSERT_TRUE(constants.contains(node.input(2))) << node.name();
    const Tensor scales = TensorOf(*constants[node.input(1)], {});
    const Tensor zeros = TensorOf(*constants[node.input(2)], {});
    EXPECT_EQ(zeros.dtype(), DType::kInt8) << node.name();
    EXPECT_TRUE(std::ranges::all_of(DoublesOf(zeros), [](double zero) { return zero == 0; }));
    EXPECT_TRUE(std::ranges::all_of(DoublesOf(scales), [](double scale) { return scale > 0; }));
    EXPECT_EQ(scales.ElementCount(), zeros.ElementCount()) << node.name();
  }
  if (pairs_of_model > 0) {
    EXPECT_THAT(file.notes, Contains(HasSubstr("of the model itself have some")));
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, TypedInRuntime, ::testing::ValuesIn(Networks()),
                         [](const auto& c) {
                           std::string name = c.param;
                           std::ranges::replace(name, '-', '_');
                           std::ranges::replace(name, '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace halftone
