// A model with a plan, the same as a QDQ file, and both run.
#pragma once

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/file.h"
#include "src/export/onnx_qdq.h"
#include "src/onnx/reader.h"
#include "src/passes/passes.h"
#include "tests/support/evaluate.h"
#include "tests/support/model_writer.h"
#include "tests/support/quantized_plan.h"
#include "tests/support/valid_model.h"

namespace halftone::testing {

namespace fs = std::filesystem;

inline Graph Imported(const fs::path& model, const ImportOptions& options = {}) {
  Graph graph = ReadOnnx(model, options);
  Canonicalize(graph);
  return graph;
}

// A model with a plan, and the same as a file.
struct Written {
  Graph graph;
  PrecisionPlan plan;
  QdqModel file;
  onnx::ModelProto proto;
  fs::path path;
  std::vector<std::vector<Tensor>> samples;

  // Every output of the plan and of the file on a sample.
  [[nodiscard]] std::pair<std::vector<Tensor>, std::vector<Tensor>> Run(
      std::size_t sample, const ImportOptions& options = {}) const {
    const Graph read = Imported(path, options);
    return {Compile(graph, plan, {}).Run(samples.at(sample)),
            Compile(read, ReferencePlan(read), {}).Run(samples.at(sample))};
  }

  [[nodiscard]] std::string Types() const {
    std::string text;
    for (const auto& node : proto.graph().node()) {
      text += (text.empty() ? "" : " ") + node.op_type();
    }
    return text;
  }
};

using FormatOf = std::function<std::string(const Node&)>;

inline std::string AllInQInt8(const Node& /*node*/) {
  return "qint8";
}

inline Written Write(const fs::path& model, const FormatOf& format_of = AllInQInt8,
                     QdqFlavour flavour = QdqFlavour::kOrt,
                     std::vector<std::vector<Tensor>> samples = {},
                     const ImportOptions& options = {},
                     const std::function<void(Quantization&)>& change = {}) {
  Written written{.graph = Imported(model, options)};
  written.samples = std::move(samples);
  if (written.samples.empty()) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      written.samples.push_back(RandomInputs(written.graph, seed));
    }
  }
  Quantization quantization = RangesOn(written.graph, written.samples);
  if (change) {
    change(quantization);
  }
  written.plan = PlanIn(written.graph, std::move(quantization), format_of);
  written.file = WriteOnnxQdq(model, written.graph, written.plan, flavour);
  EXPECT_TRUE(written.proto.ParseFromString(written.file.bytes));
  ExpectValid(written.proto, written.graph);
  written.path = fs::path(model).replace_extension(".qdq.onnx");
  if (written.path == model || !model.has_extension()) {
    written.path = fs::path(::testing::TempDir()) / (model.filename().string() + ".qdq.onnx");
  }
  WriteFileAtomically(written.path, written.file.bytes);
  return written;
}

// Steps of the output between both; its scale is that of the plan, `fallback` for a float output.
inline void ExpectWithinOneStep(const Written& written, double fallback = 0) {
  for (std::size_t s = 0; s < written.samples.size(); ++s) {
    const auto [of_plan, of_file] = written.Run(s);
    ASSERT_EQ(of_plan.size(), of_file.size());
    for (std::size_t i = 0; i < of_plan.size(); ++i) {
      const std::string& name = written.graph.value(written.graph.outputs[i]).name;
      double step = fallback;
      if (step == 0) {
        step = static_cast<double>(written.plan.quantization->activations.at(name).scale);
      }
      ASSERT_EQ(of_plan[i].type(), of_file[i].type()) << name;
      const std::vector<double> a = DoublesOf(of_plan[i]);
      const std::vector<double> b = DoublesOf(of_file[i]);
      for (std::size_t k = 0; k < a.size(); ++k) {
        // The file has the product of step and integer rounded once: 2^-23 of it.
        ASSERT_LE(std::abs(a[k] - b[k]), step * (1 + 0x1p-14)) << name << "[" << k << "]";
      }
    }
  }
}

// A network of one or a few nodes on an image [1, 4, 6, 6] called x; its output is y.
struct SmallNet : ModelWriter {
  explicit SmallNet(std::int64_t opset = 17) : ModelWriter(opset) {
    Input("x", {1, 4, 6, 6});
    Output("y");
  }

  void Weights(const std::string& name, const std::vector<std::int64_t>& dims, double low = -1,
               double high = 1) {
    Rng rng(Hasher().Add(name).Finish().low);
    const Tensor tensor = RandomTensor({DType::kFloat32, Shape(dims)}, rng, low, high);
    const auto values = tensor.values<float>();
    Floats(name, dims, {values.begin(), values.end()});
  }

  // y of 8 channels from an input, with a bias.
  void Conv(const char* x, const char* y, std::int64_t inputs = 4) {
    const std::string w = std::string(y) + "_w";
    const std::string b = std::string(y) + "_b";
    Weights(w, {8, inputs, 3, 3});
    Weights(b, {8});
    auto& node = Node("Conv", std::string(y) + "_conv", {x, w.c_str(), b.c_str()}, {y});
    SetInts(node, "pads", {1, 1, 1, 1});
  }

  void BatchNorm(const char* x, const char* y) {
    Weights("bn_scale", {8});
    Weights("bn_bias", {8});
    Weights("bn_mean", {8});
    Weights("bn_var", {8}, 0.1, 2);
    Node("BatchNormalization", "bn", {x, "bn_scale", "bn_bias", "bn_mean", "bn_var"}, {y});
  }
};

}  // namespace halftone::testing
