// Samples and the options that describe them.
#include <cstring>

#include "src/accuracy/image_file.h"
#include "src/accuracy/image_transform.h"
#include "src/accuracy/labels.h"
#include "src/accuracy/loss_metric.h"
#include "src/accuracy/npz_file.h"
#include "src/accuracy/state_links.h"
#include "src/accuracy/tensor_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

namespace halftone::testing {
namespace {

// PNG and JPEG files, and the input that one becomes.
void ImageFile(std::string_view bytes) {
  constexpr std::int64_t kMostToScale = 1 << 20;
  const MemoryFile file(bytes);
  const auto image = ValueOrError([&] { return ReadImage(file.path()); });
  if (!image) {
    return;
  }
  const std::int64_t pixels = std::int64_t{image->height} * image->width;
  Require(image->height > 0 && image->width > 0 && pixels <= kMostPixels,
          "an image without pixels");
  Require(static_cast<std::int64_t>(image->rgb.size()) == 3 * pixels, "three bytes a pixel");
  if (pixels <= kMostToScale) {
    const Value input{.name = "x", .type = {DType::kFloat32, {1, 3, 5, 7}}};
    const ImageTransform transform;
    const Tensor scaled = TransformImage(*image, transform, ImageShapeOf(input, transform));
    for (const float value : scaled.values<float>()) {
      Require(value >= -1e-4F && value <= 1 + 1e-4F, "a pixel outside of 0 to 1");
    }
  }
}

void Npy(std::string_view bytes) {
  const auto tensor = ValueOrError([&] { return ParseNpy(bytes, "x.npy"); });
  if (tensor) {
    const Tensor again = ParseNpy(FormatNpy(*tensor), "x.npy");
    Require(again.type() == tensor->type() &&
                (tensor->size_bytes() == 0 ||
                 std::memcmp(again.data(), tensor->data(), tensor->size_bytes()) == 0),
            "the tensor read back differs");
  }
}

void Npz(std::string_view bytes) {
  const MemoryFile file(bytes);
  const auto arrays = ValueOrError([&] { return ReadNpz(file.path()); });
  Require(!arrays || !arrays->empty(), "an archive without an array was read");
}

// Two states that fit each other and one that does not; names with colons, blanks and semicolons.
Graph NetworkWithStates() {
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

// Texts of --image, --state, --metric and --labels: the first byte says which.
void SampleOptions(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  static const Graph kNetwork = NetworkWithStates();
  const std::string text(bytes.substr(1));
  switch (bytes[0]) {
    case 'i':
      if (const auto transform = ValueOrError([&] { return ParseImageTransform(text); })) {
        const Value input{.name = "x", .type = {DType::kFloat32, {1, 3, 4, 4}}};
        ValueOrError([&] { return ImageShapeOf(input, *transform); });
      }
      break;
    case 's':
      if (const auto links = ValueOrError([&] { return ParseStateLinks(kNetwork, text); })) {
        for (const StateLink& link : *links) {
          Require(link.output < kNetwork.outputs.size() && link.input < kNetwork.inputs.size(),
                  "a link of an output and an input");
        }
      }
      break;
    case 'm':
      if (const auto metric = ValueOrError([&] {
            return ChooseMetric(MetricArgumentsFor(kNetwork, {.metric = text, .better = ""}));
          })) {
        Require(!metric->name.empty(), "a metric without a name");
        OutputMetricOf(kNetwork, *metric);
      }
      break;
    case 'l':
      ValueOrError([&] { return ReadLabels(kNetwork, text, 2); });
      break;
    default:
      break;
  }
}

const FuzzedParsers kAccuracyParsers = {
    {"image", ImageFile},
    {"npy", Npy},
    {"npz", Npz},
    {"sample_options", SampleOptions},
};

}  // namespace
}  // namespace halftone::testing
