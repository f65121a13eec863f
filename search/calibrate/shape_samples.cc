#include "search/calibrate/shape_samples.h"

#include <map>
#include <string_view>

namespace halftone {

std::vector<CalibratedShape> ShapesOf(const Graph& graph, const Dataset& samples,
                                      const std::vector<CalibrationShape>& others) {
  std::map<std::string_view, ValueId> names;
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    names.emplace(graph.values[i].name, static_cast<ValueId>(i));
  }
  std::vector<CalibratedShape> shapes;
  shapes.push_back({.graph = &graph, .samples = samples, .of_first = {}});
  for (const CalibrationShape& other : others) {
    shapes.push_back({.graph = other.graph, .samples = other.samples, .of_first = {}});
  }
  for (CalibratedShape& shape : shapes) {
    for (const Value& value : shape.graph->values) {
      const auto known = names.find(value.name);
      shape.of_first.push_back(known == names.end() ? kNoValue : known->second);
    }
  }
  return shapes;
}

std::vector<SampleAt> SamplesOf(const std::vector<CalibratedShape>& shapes) {
  std::vector<SampleAt> all;
  for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
    for (std::size_t i = 0; i < shapes[shape].samples.size(); ++i) {
      all.push_back({shape, i});
    }
  }
  return all;
}

std::vector<SampleAt> EvenlySpacedOf(const std::vector<SampleAt>& all, std::size_t count) {
  std::vector<SampleAt> some;
  for (std::size_t i = 0; i < count; ++i) {
    some.push_back(all[i * all.size() / count]);
  }
  return some;
}

}  // namespace halftone
