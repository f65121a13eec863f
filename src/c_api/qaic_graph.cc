#include "halftone/qaic_graph.h"

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "halftone/cloud_ai.h"
#include "src/c_api/calls.h"
#include "src/c_api/open_objects.h"

namespace halftone {
namespace {

// A graph of the caller: its options, and its plan once it has nodes.
class OpenGraph {
 public:
  explicit OpenGraph(QaicGraphOptions options) : options_(std::move(options)) {}

  void AddModel(const std::string& model) {
    const std::unique_lock lock(mutex_);
    if (plan_) {
      throw Error(
          ErrorKind::kUsage,
          "qaicAddNodesToGraphFromModel: expected a graph without nodes, found one that has "
          "those of a model; open another graph for another model");
    }
    plan_ = ResolveQaicGraph(model, options_);
  }

  QaicGraphPlan Plan() const {
    const std::unique_lock lock(mutex_);
    if (!plan_) {
      throw Error(ErrorKind::kUsage,
                  "expected a graph with nodes, found one without; call "
                  "qaicAddNodesToGraphFromModel first");
    }
    return *plan_;
  }

 private:
  mutable std::mutex mutex_;
  QaicGraphOptions options_;
  std::optional<QaicGraphPlan> plan_;
};

OpenObjects<OpenGraph>& Graphs() {
  // Never destroyed: threads may use graphs while the process ends.
  static OpenObjects<OpenGraph>& graphs = *new OpenObjects<OpenGraph>("graph");
  return graphs;
}

QaicGraphOptions OptionsOf(const QAicGraphConfig* config, std::size_t size) {
  if (config == nullptr) {
    return {};
  }
  if (size != sizeof(QAicGraphConfig)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("QAicGraphConfig: expected size {}, found {}; give "
                            "sizeof(QAicGraphConfig), with the header of this library (version {})",
                            sizeof(QAicGraphConfig), size, HALFTONE_C_VERSION));
  }
  return {.node_precision = TextOf(config->quantizationConfig.nodePrecisionInfo),
          .words = TextOf(config->halftoneOptions)};
}

}  // namespace
}  // namespace halftone

using halftone::Graphs;
using halftone::Guarded;
using halftone::Require;

halftone_status halftone_qaic_graph_open(const QAicGraphConfig* config, size_t size,
                                         halftone_qaic_graph* graph) {
  return Guarded([&] {
    Require(graph, "graph");
    *graph = 0;
    *graph = Graphs().Add(std::make_shared<halftone::OpenGraph>(halftone::OptionsOf(config, size)));
  });
}

halftone_status halftone_qaic_graph_close(halftone_qaic_graph graph) {
  return Guarded([&] {
    if (graph != 0) {
      Graphs().Remove(graph);
    }
  });
}

halftone_status halftone_qaic_graph_add_model(halftone_qaic_graph graph, const char* model) {
  return Guarded([&] {
    const auto found = Graphs().Find(graph);
    Require(model, "model");
    found->AddModel(model);
  });
}

halftone_status halftone_qaic_graph_plan_digest(halftone_qaic_graph graph, char digest[33]) {
  return Guarded([&] {
    Require(digest, "digest");
    halftone::WriteDigest(Graphs().Find(graph)->Plan().digest, digest);
  });
}

halftone_status halftone_qaic_graph_explain(halftone_qaic_graph graph, char** text) {
  return Guarded([&] {
    Require(text, "text");
    *text = nullptr;
    *text = halftone::NewText(Graphs().Find(graph)->Plan().table);
  });
}

halftone_status halftone_qaic_graph_notes(halftone_qaic_graph graph, char** text) {
  return Guarded([&] {
    Require(text, "text");
    *text = nullptr;
    *text = halftone::NewText(Graphs().Find(graph)->Plan().notes);
  });
}
