#include "src/api/load/traced_samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/accuracy/shape_datasets.h"
#include "src/api/load/model_source.h"
#include "src/api/load/state_sequences.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::size_t kMostElements = 8;  // that a message quotes
constexpr std::size_t kMostValues = 3;

// "int64 3 [2, 3, 4]"
std::string ShownTensor(const Tensor& tensor) {
  std::vector<std::string> elements;
  const std::vector<double> values = DoublesOf(tensor);
  for (std::size_t i = 0; i < std::min(values.size(), kMostElements); ++i) {
    elements.push_back(fmt::format("{:.9g}", values[i]));
  }
  return fmt::format("{} [{}{}]", tensor.type().ToString(), Join(elements, ", "),
                     values.size() > kMostElements ? ", ..." : "");
}

bool SameBytes(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && std::ranges::equal(a.bytes(), b.bytes());
}

// The first profile of each input shape.
std::vector<std::size_t> FirstsOfTheirShape(std::span<const Model> profiles) {
  std::vector<std::size_t> firsts;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const bool known = std::ranges::any_of(firsts, [&](std::size_t first) {
      return profiles[first].input_shapes == profiles[i].input_shapes;
    });
    if (!known) {
      firsts.push_back(i);
    }
  }
  return firsts;
}

// The profile of the shape of profile `first` that agrees with the sample. Error kUnsupported.
std::size_t ProfileOf(std::span<const Model> profiles, std::size_t first, const Sample& sample,
                      ModelSource& source) {
  const std::vector<TracedValue> trace = TraceOf(profiles[first], sample, source);
  for (std::size_t i = first; i < profiles.size(); ++i) {
    if (profiles[i].input_shapes == profiles[first].input_shapes &&
        Difference(profiles[i].traced, trace).empty()) {
      return i;
    }
  }
  throw Error(ErrorKind::kUnsupported,
              fmt::format("sample '{}': {} in the sample that the model was read for; shapes or "
                          "branches depend on it, so give samples for which it is the same",
                          sample.name, Difference(profiles[first].traced, trace)));
}

// The samples of one input shape to the profiles of that shape.
void Distribute(std::span<const Model> profiles, std::size_t first, Dataset&& all,
                std::vector<Dataset>& datasets) {
  const Model& model = profiles[first];
  if (model.traced.empty()) {
    datasets[first] = std::move(all);
    return;
  }
  const auto source =
      model.source != nullptr ? model.source : std::make_shared<ModelSource>(model.path);
  std::vector<std::vector<std::size_t>> indices(profiles.size());
  for (std::size_t s = 0; s < all.size(); ++s) {
    indices[ProfileOf(profiles, first, all.Read(s), *source)].push_back(s);
  }
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (!indices[i].empty()) {
      datasets[i] = all.Part(indices[i]);
    }
  }
  datasets[first].notes = std::move(all.notes);
  datasets[first].drawn_from = all.drawn_from;
}

// The options by which steps are loaded: counts of samples are counts of sequences.
DatasetOptions OfSteps(DatasetOptions options) {
  if (options.sequence_length < 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--sequence_length={}: expected a number of steps, or 0 for one "
                            "sequence of all",
                            options.sequence_length));
  }
  if (options.state.empty()) {
    if (options.sequence_length > 0) {
      throw Error(ErrorKind::kUsage,
                  "--sequence_length counts steps of --state: give both, or neither");
    }
    return options;
  }
  if (!options.has_inputs()) {
    throw Error(ErrorKind::kUsage, "--state needs the steps of a sequence: give --inputs");
  }
  options.draw_samples = 0;
  options.max_samples *= options.sequence_length;  // one sequence of all: all of it
  return options;
}

Dataset DrawnSequences(Dataset sequences, const DatasetOptions& options) {
  const auto wanted = static_cast<std::size_t>(options.draw_samples);
  if (wanted == 0 || wanted >= sequences.size()) {
    return sequences;
  }
  Dataset drawn = sequences.Part(DrawnNumbers(sequences.size(), wanted, options.seed));
  drawn.notes = std::move(sequences.notes);
  drawn.drawn_from = sequences.size();
  return drawn;
}

}  // namespace

SampleSource FirstSampleOf(const ModelOptions& options) {
  DatasetOptions first{.inputs = options.inputs, .labels = {}, .state = options.state};
  first.image = options.image;
  first.max_samples = 1;
  first.arrays = options.arrays;
  first.max_memory = options.max_memory;
  if (!first.has_inputs()) {
    return nullptr;
  }
  return [first](const Graph& graph) { return LoadDataset(graph, first).Read(0).inputs; };
}

std::string ListTrace(const std::vector<TracedValue>& traced) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < std::min(traced.size(), kMostValues); ++i) {
    values.push_back(
        fmt::format("'{}' is {}", Shown(traced[i].name), ShownTensor(traced[i].tensor)));
  }
  return Join(values, ", ") +
         (traced.size() > kMostValues
              ? fmt::format(", and {} more values", traced.size() - kMostValues)
              : "");
}

std::string Difference(const std::vector<TracedValue>& first,
                       const std::vector<TracedValue>& other) {
  for (std::size_t i = 0; i < std::min(first.size(), other.size()); ++i) {
    if (first[i].name != other[i].name) {
      return fmt::format("another branch is taken before '{}'", first[i].name);
    }
    if (!SameBytes(first[i].tensor, other[i].tensor)) {
      return fmt::format("'{}' is {}, it is {}", first[i].name, ShownTensor(other[i].tensor),
                         ShownTensor(first[i].tensor));
    }
  }
  return first.size() != other.size() ? "another number of iterations or branches is taken" : "";
}

std::vector<TracedValue> TraceOf(const Model& model, const Sample& sample, ModelSource& source) {
  ImportOptions reading = model.import_options;
  reading.sample = [&](const Graph& /*graph*/) { return sample.inputs; };
  return source.file.Import(reading).traced;
}

Dataset LoadSamples(const Model& model, const DatasetOptions& options) {
  return std::move(LoadSamples({&model, 1}, options).front());
}

std::vector<Dataset> LoadSamples(std::span<const Model> profiles,
                                 const DatasetOptions& all_options) {
  DatasetOptions options = OfSteps(all_options);
  options.declared = profiles.front().declared;
  options.max_memory = profiles.front().options.max_memory;
  const std::vector<std::size_t> firsts = FirstsOfTheirShape(profiles);
  std::vector<const Graph*> graphs;
  graphs.reserve(firsts.size());
  for (const std::size_t first : firsts) {
    graphs.push_back(&profiles[first].graph);
  }
  std::vector<Dataset> loaded = LoadDatasets(graphs, options);
  std::vector<Dataset> datasets(profiles.size());
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    Distribute(profiles, firsts[i], std::move(loaded[i]), datasets);
  }
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (datasets[i].empty()) {
      throw Error(ErrorKind::kModel, fmt::format("no sample is as the model was read for, where {}",
                                                 ListTrace(profiles[i].traced)));
    }
  }
  for (std::size_t i = 0; !options.state.empty() && i < profiles.size(); ++i) {
    datasets[i] = DrawnSequences(
        SequencesOf(profiles[i].graph, datasets[i],
                    ParseStateLinks(profiles[i].graph, options.state), options.sequence_length),
        all_options);
  }
  return datasets;
}

}  // namespace halftone
