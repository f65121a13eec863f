// A tuned point as a QDQ file, in ONNX Runtime.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kernels/parallel.h"
#include "labs/int8_acceptance/acceptance_parts.h"
#include "labs/onnxruntime/our_network.h"
#include "labs/onnxruntime/runtime_session.h"
#include "src/accuracy/metrics.h"
#include "src/export/onnx_qdq.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {

std::string QdqFigures(const OrtApi& api, const std::filesystem::path& folder,
                       const std::filesystem::path& point, const PartOptions& options) {
  const MeasuredNetwork network = LoadMeasured(folder, options.samples);
  const Graph& graph = network.model.graph;
  const PrecisionPlan plan =
      ResolvePrecision(graph, PointPrecision(network.model, point), LoadTarget("host"));
  const QdqModel file = WriteOnnxQdq(folder, graph, plan, QdqFlavour::kOrt);
  const Executable executable = Compile(graph, plan, {});
  const ThreadPool pool(options.threads);
  Workspace workspace = executable.NewWorkspace();
  std::vector<Tensor> ours = executable.NewOutputs();
  AccuracyAccumulator accumulator;
  for (std::size_t i = 0; i < network.samples.size(); ++i) {
    const std::vector<Tensor> inputs = executable.ConvertInputs(network.samples.Read(i).inputs);
    std::map<std::string, Tensor> by_name;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      by_name.emplace(graph.value(graph.inputs[k]).name, inputs[k]);
    }
    pool.Run([&] { executable.Run(workspace, inputs, ours); });
    RuntimeSession session(api, file.bytes, {.threads = options.threads}, by_name);
    session.Run();
    const std::vector<Tensor> theirs = session.Outputs();
    accumulator.Add({.reference = ours, .actual = theirs, .labels = {}});
  }
  const Accuracy accuracy = accumulator.Finish();
  nlohmann::json json = {{"samples", network.samples.size()}, {"opset", file.opset},
                         {"tensors", file.tensors},           {"products", file.products},
                         {"bytes", file.bytes.size()},        {"notes", file.notes}};
  for (const MetricValue& metric : accuracy.metrics) {
    json[metric.name] = metric.mean;
  }
  return json.dump();
}

}  // namespace halftone
