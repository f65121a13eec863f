// Texts of --image, --state, --metric and --labels: the first byte says which.

#include "src/accuracy/image_transform.h"
#include "src/accuracy/labels.h"
#include "src/accuracy/loss_metric.h"
#include "src/accuracy/state_links.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

namespace {

// Two states that fit each other and one that does not; names with colons, blanks and semicolons.
Graph Network() {
  Graph graph;
  const TensorType state{DType::kFloat32, {1, 4}};
  for (const char* name : {"x", "h", "c:0"}) {
    graph.inputs.push_back(graph.AddValue({.name = name, .type = state}));
  }
  graph.outputs = {graph.AddValue({.name = "hn", .type = state}),
                   graph.AddValue({.name = "cn:0", .type = state}),
                   graph.AddValue({.name = "class", .type = {DType::kInt64, {1}}})};
  return graph;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  static const Graph network = Network();
  const std::string text(TextOf(data + 1, size - 1));
  switch (data[0]) {
    case 'i':
      if (const auto transform = ValueOrError([&] { return ParseImageTransform(text); })) {
        const Value input{.name = "x", .type = {DType::kFloat32, {1, 3, 4, 4}}};
        ValueOrError([&] { return ImageShapeOf(input, *transform); });
      }
      break;
    case 's':
      if (const auto links = ValueOrError([&] { return ParseStateLinks(network, text); })) {
        for (const StateLink& link : *links) {
          Require(link.output < network.outputs.size() && link.input < network.inputs.size(),
                  "a link of an output and an input");
        }
      }
      break;
    case 'm':
      if (const auto metric = ValueOrError([&] {
            return ChooseMetric(MetricArgumentsFor(network, {.metric = text, .better = ""}));
          })) {
        Require(!metric->name.empty(), "a metric without a name");
        OutputMetricOf(network, *metric);
      }
      break;
    case 'l':
      ValueOrError([&] { return ReadLabels(network, text, 2); });
      break;
    default:
      break;
  }
  return 0;
}
