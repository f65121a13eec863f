#include "src/accuracy/open_steps.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/accuracy/npz_file.h"
#include "src/accuracy/state_links.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Samples with zeros for the inputs that are left out.
class WithZeros : public SampleReader {
 public:
  // `left_out`: by input of the graph, in order.
  WithZeros(std::unique_ptr<SampleReader> given, std::vector<TensorType> types,
            std::vector<bool> left_out)
      : given_(std::move(given)), types_(std::move(types)), left_out_(std::move(left_out)) {}

  [[nodiscard]] std::size_t size() const override { return given_->size(); }

  [[nodiscard]] std::string NameOf(std::size_t index) const override {
    return given_->NameOf(index);
  }

  [[nodiscard]] std::vector<Tensor> Read(std::size_t index) const override {
    std::vector<Tensor> given = given_->Read(index);
    std::vector<Tensor> inputs;
    std::size_t next = 0;
    for (std::size_t i = 0; i < types_.size(); ++i) {
      if (left_out_[i]) {
        Tensor& zeros = inputs.emplace_back(types_[i]);
        std::fill_n(zeros.mutable_data(), zeros.size_bytes(), std::byte{0});
      } else {
        inputs.push_back(std::move(given[next++]));
      }
    }
    return inputs;
  }

 private:
  std::unique_ptr<SampleReader> given_;
  std::vector<TensorType> types_;
  std::vector<bool> left_out_;
};

template <typename Named>
bool HasArray(const std::vector<Named>& arrays, const std::string& name) {
  return std::ranges::any_of(arrays, [&](const Named& array) { return array.name == name; });
}

// Whether the argument gives this input: a folder of sets gives all, a list the inputs it names, an
// archive its arrays.
bool Gives(const DatasetOptions& options, const std::string& name) {
  if (options.arrays != nullptr) {
    return HasArray(options.arrays->inputs, name);
  }
  const std::string& inputs = options.inputs;
  const std::filesystem::path path(inputs);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return !SetFoldersIn(path).empty() || std::filesystem::exists(path / "input_0.pb", error);
  }
  if (path.extension() == ".npz" && std::filesystem::exists(path, error)) {
    return HasArray(NpzTypes(path, options.max_memory), name);
  }
  return std::ranges::any_of(Split(inputs, ';'), [&](std::string_view part) {
    return Trim(part).starts_with(name + ":");
  });
}

OpenedSamples OpenGiven(const Graph& graph, const DatasetOptions& options, std::size_t wanted) {
  return options.arrays != nullptr
             ? OpenArrays(graph, *options.arrays)
             : OpenSamples(graph, options.inputs, wanted, options.image, options.max_memory);
}

}  // namespace

OpenedSamples OpenSteps(const Graph& graph, const DatasetOptions& options, std::size_t wanted) {
  if (options.state.empty()) {
    return OpenGiven(graph, options, wanted);
  }
  std::vector<bool> left_out(graph.inputs.size());
  for (const StateLink& link : ParseStateLinks(graph, options.state)) {
    left_out[link.input] = !Gives(options, graph.value(graph.inputs[link.input]).name);
  }
  Graph given;  // of the other inputs: no more is read than their types
  std::vector<TensorType> types;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const Value& input = graph.value(graph.inputs[i]);
    types.push_back(input.type);
    if (!left_out[i]) {
      given.inputs.push_back(given.AddValue({.name = input.name, .type = input.type}));
    }
  }
  OpenedSamples opened = OpenGiven(given, options, wanted);
  opened.reader =
      std::make_unique<WithZeros>(std::move(opened.reader), std::move(types), std::move(left_out));
  return opened;
}

}  // namespace halftone
