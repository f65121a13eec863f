// halftone_ort_front: the files of a tuned front in plain sessions of ONNX Runtime, beside what the
// front says of them. labs/onnxruntime/ort_fronts.py runs it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "labs/onnxruntime/runtime_session.h"
#include "src/accuracy/dataset.h"
#include "src/accuracy/metrics.h"
#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/exec/executable.h"
#include "src/onnx/model_file.h"
#include "src/runtimes/onnxruntime/ort_api.h"
#include "src/runtimes/onnxruntime/ort_binding.h"
#include "src/runtimes/onnxruntime/ort_session.h"
#include "src/runtimes/onnxruntime/time_bindings.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string library;
  std::string model;
  std::string inputs;
  std::string front;
  int threads = 1;
  double budget_s = 2;
};

std::map<std::string, Tensor> ByName(const Graph& graph, const std::vector<Tensor>& inputs) {
  std::map<std::string, Tensor> by_name;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    by_name.emplace(graph.value(graph.inputs[i]).name, inputs[i]);
  }
  return by_name;
}

// The file of a point that ONNX Runtime is to run; empty: the point is float32.
fs::path FileOf(const fs::path& point) {
  for (const char* name : {"model_qdq.onnx", "model_mixed.onnx"}) {
    if (fs::exists(point / name)) {
      return point / name;
    }
  }
  return {};
}

Accuracy AccuracyOf(const OrtSession& session, const Graph& graph, const Dataset& samples) {
  const Executable float32 = Compile(graph, ReferencePlan(graph));
  Workspace workspace = float32.NewWorkspace();
  AccuracyAccumulator accumulator;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::vector<Tensor> inputs = samples.Read(i).inputs;
    std::vector<Tensor> expected = float32.NewOutputs();
    float32.Run(workspace, float32.ConvertInputs(inputs), expected);
    OrtBinding binding(session, ByName(graph, inputs));
    binding.Run();
    const std::vector<Tensor> outputs = binding.Outputs();
    accumulator.Add(SampleOutputs{.reference = expected, .actual = outputs, .labels = {}});
  }
  return accumulator.Finish();
}

void Compare(const Arguments& arguments) {
  const OrtApi api(arguments.library);
  const Model model = LoadModel({.path = arguments.model, .inputs = arguments.inputs});
  const Graph& graph = model.graph;
  const Dataset samples = LoadDataset(graph, {.inputs = arguments.inputs});
  const auto front = nlohmann::json::parse(ReadFile(fs::path(arguments.front) / "front.json"));
  const OrtSessionOptions options{.threads = arguments.threads};
  const fs::path file = ModelFile(arguments.model);
  const OrtSession float32(api, file, options);
  const std::map<std::string, Tensor> timed = ByName(graph, samples.Read(0).inputs);
  OrtBinding anchor(float32, timed);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& point : front.at("front")) {
    const fs::path of_point =
        FileOf(fs::path(arguments.front) / point.at("folder").get<std::string>());
    const OrtSession session(api, of_point.empty() ? file : of_point, options);
    OrtBinding candidate(session, timed);
    const Latency latency = TimeBindings(candidate, anchor, {.budget_s = arguments.budget_s});
    const Accuracy accuracy = AccuracyOf(session, graph, samples);
    const Interval speed_up = latency.speed_up_interval();
    const MetricValue* sqnr = accuracy.Find("sqnr_db");
    rows.push_back({{"file", of_point.empty() ? "the model" : of_point.filename().string()},
                    {"promised_speed_up", point.at("speed_up")},
                    {"promised_interval", point.at("speed_up_interval")},
                    {"speed_up", latency.speed_up()},
                    {"interval", {speed_up.low, speed_up.high}},
                    {"float32_s", latency.anchor_median_s},
                    {"promised_accuracy", point.at("accuracy")},
                    {"sqnr_db", sqnr != nullptr ? nlohmann::ordered_json(sqnr->mean)
                                                : nlohmann::ordered_json(nullptr)},
                    {"runtime", point.value("runtime", nlohmann::json())}});
  }
  std::fputs((rows.dump(1) + "\n").c_str(), stdout);
}

int Main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Runs the files of a front in ONNX Runtime; prints promised and measured as JSON");
  app.add_option("--library", arguments.library, "libonnxruntime.so.1")->required();
  app.add_option("--model", arguments.model, "The model that was tuned")->required();
  app.add_option("--inputs", arguments.inputs, "The samples that it was tuned on")->required();
  app.add_option("--front", arguments.front, "Folder of tune --output")->required();
  app.add_option("--threads", arguments.threads, "Threads of ONNX Runtime");
  app.add_option("--budget", arguments.budget_s, "Seconds of timed runs for each point");
  CLI11_PARSE(app, argc, argv);
  try {
    Compare(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace halftone

int main(int argc, char** argv) {
  return halftone::Main(argc, argv);
}
