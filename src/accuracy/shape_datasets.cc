#include "src/accuracy/shape_datasets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// The first sample that all of them leave out.
void RefuseSamplesOfNone(std::span<const Graph* const> graphs,
                         std::span<const std::vector<LeftOutSample>> left_out) {
  for (const LeftOutSample& sample : left_out.front()) {
    const bool of_none = std::ranges::all_of(left_out, [&](const auto& others) {
      return std::ranges::count(others, sample.name, &LeftOutSample::name) > 0;
    });
    if (!of_none) {
      continue;
    }
    std::vector<std::string> shapes;
    for (const Graph* graph : graphs) {
      shapes.push_back(fmt::format("'{}'", InputShapesOf(*graph)));
    }
    throw Error(ErrorKind::kModel,
                fmt::format("sample '{}' has none of the input shapes {} ({}): give its shape too, "
                            "or leave the sample out",
                            sample.name, Join(shapes, ", "), sample.reason));
  }
}

}  // namespace

std::vector<Dataset> LoadDatasets(std::span<const Graph* const> graphs,
                                  const DatasetOptions& options) {
  if (graphs.size() == 1) {
    return {LoadDataset(*graphs.front(), options)};
  }
  std::vector<Dataset> datasets;
  std::vector<std::vector<LeftOutSample>> left_out(graphs.size());
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    datasets.push_back(
        WithContext([&] { return fmt::format("input shape '{}'", InputShapesOf(*graphs[i])); },
                    [&] { return LoadDataset(*graphs[i], options, &left_out[i]); }));
  }
  if (!graphs.empty()) {
    RefuseSamplesOfNone(graphs, left_out);
  }
  return datasets;
}

std::string InputShapesOf(const Graph& graph) {
  std::string text;
  for (const ValueId id : graph.inputs) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ";", graph.value(id).name,
                        fmt::join(graph.value(id).type.shape.dims(), ","));
  }
  return text;
}

}  // namespace halftone
