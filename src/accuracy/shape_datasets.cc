#include "src/accuracy/shape_datasets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "src/accuracy/sample_sets.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Error about the first set that every graph leaves out; each of `left_out` is sorted by number.
void RefuseSamplesOfNone(std::span<const Graph* const> graphs, const DatasetOptions& options,
                         std::span<const std::vector<SetFolder>> left_out) {
  for (const SetFolder& set : left_out.front()) {
    const bool of_none = std::ranges::all_of(left_out, [&](const auto& others) {
      auto at = std::lower_bound(
          others.begin(), others.end(), set.number,
          [](const SetFolder& other, std::int64_t number) { return other.number < number; });
      while (at != others.end() && at->number == set.number && *at != set) {
        ++at;
      }
      return at != others.end() && *at == set;
    });
    if (!of_none) {
      continue;
    }
    std::vector<std::string> shapes;
    for (const Graph* graph : graphs) {
      shapes.push_back(fmt::format("'{}'", InputShapesOf(*graph)));
    }
    const std::vector<Value> inputs = InputsOf(*graphs.front());
    const std::filesystem::path folder = options.inputs;
    const auto why = WhyLeftOut(inputs, InputFilesIn(inputs, folder / set.Name()));
    throw Error(ErrorKind::kModel,
                fmt::format("sample '{}' has none of the input shapes {} ({}): give its shape too, "
                            "or leave the sample out",
                            set.Name(), Join(shapes, ", "),
                            why ? why->what() : "it was written anew meanwhile"));
  }
}

}  // namespace

std::vector<Dataset> LoadDatasets(std::span<const Graph* const> graphs,
                                  const DatasetOptions& options) {
  std::vector<Dataset> datasets;
  if (graphs.size() == 1) {
    datasets.push_back(LoadDataset(*graphs.front(), options));
    return datasets;
  }
  std::vector<std::vector<SetFolder>> left_out(graphs.size());
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    datasets.push_back(
        WithContext([&] { return fmt::format("input shape '{}'", InputShapesOf(*graphs[i])); },
                    [&] { return LoadDataset(*graphs[i], options, &left_out[i]); }));
  }
  if (!graphs.empty()) {
    RefuseSamplesOfNone(graphs, options, left_out);
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
