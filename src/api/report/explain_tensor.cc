#include "src/api/report/explain_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <system_error>
#include <utility>
#include <vector>

#include "search/calibrate/record_calibration.h"
#include "src/api/load/calibration_samples.h"
#include "src/api/load/traced_samples.h"
#include "src/base/csv.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/qaic/point_files.h"
#include "src/quantization/calibration_method.h"
#include "src/quantization/files/histogram_file.h"
#include "src/report/quantization_tables.h"
#include "src/report/tensor_text.h"

namespace halftone {
namespace {

constexpr std::size_t kMostNames = 3;  // that a message offers

struct Found {
  CalibrationRecord record;
  std::vector<std::string> notes;
};

Found OnSamples(const Model& model, const TargetSpec& target, const SharedQuantization& given,
                const TensorRequest& request) {
  const Model* const profiles[] = {&model};
  const CalibrationSamples samples = LoadCalibrationSamples(profiles, *request.samples);
  const bool by_compiler = target.family == kCloudAiFamily;
  CalibrationOptions options{.methods = CalibrationCandidates(request.method),
                             .equalise = !by_compiler,
                             .correct_bias = !by_compiler,
                             .given = given ? &*given : nullptr,
                             .threads = 0};
  options.stop_requested = request.hooks.stop_requested;
  if (request.hooks.on_progress) {
    options.on_progress = [&](std::size_t done, std::size_t planned) {
      request.hooks.on_progress("calibration", done, planned);
    };
  }
  for (std::size_t i = 1; i < samples.shapes.size(); ++i) {
    options.others.push_back({&samples.shapes[i].model->graph, samples.shapes[i].samples});
  }
  Calibration made = Calibrate(samples.graph(), samples.samples(), options);
  if (by_compiler && !given) {
    made.quantization = CompilersQuantization(model.graph, made.quantization);
  }
  return {RecordCalibration(model.graph, made.quantization, made.tensors,
                            {.tool_version = std::string(Version()),
                             .model = model.hash,
                             .calibration_data = samples.Hash(),
                             .method = given ? given.source().method : request.method,
                             .samples = static_cast<std::int64_t>(made.samples)}),
          samples.notes};
}

CalibrationRecord FromFile(const std::filesystem::path& path, const Model& model) {
  CalibrationRecord record =
      ParseHistograms(ReadSmallFile(path, kMostHistogramsBytes), path.string());
  if (record.source.model && *record.source.model != model.hash) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: it is of another network (hash {}; --model has {}): give the file "
                            "of a run with this one, or --calibration_inputs",
                            path.string(), record.source.model->ToHex(), model.hash.ToHex()));
  }
  return record;
}

// The scales of `given` with what `seen` has of the same tensors. The loss of other scales follows
// from the histogram. Tensors with other channel factors are skipped, since their histograms hold
// other values.
CalibrationRecord WithSeen(CalibrationRecord given, const CalibrationRecord& seen) {
  for (TensorRecord& tensor : given.tensors) {
    const auto known = std::ranges::find(seen.tensors, tensor.name, &TensorRecord::name);
    if (known == seen.tensors.end() || !known->seen || known->factors != tensor.factors) {
      continue;
    }
    tensor.seen = known->seen;
    tensor.histogram = known->histogram;
    if (tensor.scale != known->scale) {
      const TensorRecord* histogram = HistogramOf(seen, *known);
      tensor.seen->method.clear();
      if (histogram == nullptr) {
        tensor.seen.reset();
      } else {
        tensor.seen->loss = LossByScale(histogram->histogram, tensor.scale);
      }
    }
  }
  given.source.samples = seen.source.samples;
  given.histograms_left_out = seen.histograms_left_out;
  return given;
}

// Of the run that wrote the point; empty: there is none.
std::filesystem::path HistogramsBeside(const std::filesystem::path& point) {
  std::error_code error;
  const auto path = point.empty() ? std::filesystem::path()
                                  : std::filesystem::absolute(point, error).lexically_normal() /
                                        "" / ".." / kHistogramsFile;
  return std::filesystem::is_regular_file(path, error) ? path.lexically_normal()
                                                       : std::filesystem::path();
}

Found RecordFor(const Model& model, const TargetSpec& target, const PrecisionOptions& options,
                const TensorRequest& request) {
  const SharedQuantization& given = options.quantization;
  if (request.samples) {
    return OnSamples(model, target, given, request);
  }
  const std::filesystem::path path =
      request.histograms.empty() ? HistogramsBeside(request.point) : request.histograms;
  if (!given && path.empty()) {
    throw Error(ErrorKind::kUsage,
                "--tensor and --tensors show scales, and nothing gives any: expected "
                "--quantization=FILE, --point of a plan in 8 bits, --histograms=FILE of a run of "
                "tune, or --calibration_inputs");
  }
  if (!given) {
    return {FromFile(path, model), {}};
  }
  CalibrationRecord record = RecordCalibration(model.graph, *given, {}, given.source());
  if (path.empty()) {
    return {std::move(record),
            {"there is no histogram of these scales: give --histograms=FILE of a run of tune, or "
             "--calibration_inputs"}};
  }
  try {
    return {WithSeen(std::move(record), FromFile(path, model)),
            {fmt::format("histograms are those of {}", path.string())}};
  } catch (const Error& error) {
    if (!request.histograms.empty()) {
      throw;
    }
    return {std::move(record), {fmt::format("there are no histograms: {}", error.what())}};
  }
}

// What `name` is, where it is no 8-bit tensor and no weight of one: one sentence with what to do.
std::string NoSuchTensor(const Graph& graph, const CalibrationRecord& record,
                         const std::string& name) {
  const auto node = std::ranges::find(graph.nodes, name, &Node::name);
  if (node != graph.nodes.end() && !node->outputs.empty() && node->outputs[0] != kNoValue) {
    return fmt::format("--tensor='{}' is an operator; its result is the tensor '{}'", Shown(name),
                       Shown(graph.value(node->outputs[0]).name));
  }
  if (std::ranges::find(graph.values, name, &Value::name) != graph.values.end()) {
    return fmt::format(
        "--tensor='{}' has no scale: no operator that can compute in 8 bits makes or reads it, or "
        "the file of scales leaves it out; --tensors lists those that have one",
        Shown(name));
  }
  std::vector<std::string> names;
  for (const TensorRecord& tensor : record.tensors) {
    names.push_back(tensor.name);
  }
  for (const WeightRecord& weight : record.weights) {
    names.push_back(weight.name);
  }
  std::vector<std::string> nearest = ClosestNames(name, names);
  for (const std::string& known : names) {
    if (nearest.size() < kMostNames && known.starts_with(name)) {
      nearest.push_back(known);
    }
  }
  std::vector<std::string> close;
  close.reserve(nearest.size());
  for (const std::string& near : nearest) {
    close.push_back(fmt::format("'{}'", Shown(near)));
  }
  return fmt::format("--tensor='{}': the network has no tensor of this name; {}", Shown(name),
                     close.empty() ? std::string("--tensors lists those in 8 bits")
                                   : fmt::format("close: {}", Join(close, ", ")));
}

// The tensor with its histogram, and the weights that it is multiplied with; or the weight alone.
CalibrationRecord OnlyOne(const CalibrationRecord& record, const TensorRecord* tensor,
                          const WeightRecord* weight) {
  CalibrationRecord one{.source = record.source, .per_channel_weights = record.per_channel_weights};
  if (tensor == nullptr) {
    one.weights = {*weight};
    return one;
  }
  one.tensors = {*tensor};
  if (const TensorRecord* source = HistogramOf(record, *tensor); source != nullptr) {
    one.tensors[0].histogram = source->histogram;
  }
  for (const WeightRecord& read : record.weights) {
    if (std::ranges::find(tensor->readers, read.node) != tensor->readers.end()) {
      one.weights.push_back(read);
    }
  }
  return one;
}

std::string CsvOf(const TextTable& table) {
  std::string text = CsvLine(table.header);
  for (const std::vector<std::string>& row : table.rows) {
    text += CsvLine(row);
  }
  return text;
}

std::string AllText(const CalibrationRecord& record, const TensorRequest& request) {
  if (request.format == "json") {
    return WriteHistograms(record);
  }
  if (request.format == "csv") {
    return CsvOf(TensorTable(record, record.tensors.size()));
  }
  const auto all = [](std::size_t count) {
    std::vector<std::size_t> places(count);
    std::iota(places.begin(), places.end(), std::size_t{0});
    return places;
  };
  std::string text =
      CalibrationSentence(record) + "\n\n" +
      AlignedTable(ShortTensorTable(record, all(record.tensors.size())), request.columns);
  if (!record.weights.empty()) {
    text +=
        "\n" + AlignedTable(ShortWeightTable(record, all(record.weights.size())), request.columns);
  }
  return text;
}

}  // namespace

ExplainedText ExplainTensors(const Model& model, const TargetSpec& target,
                             const PrecisionOptions& options, const TensorRequest& request) {
  Found found = RecordFor(model, target, options, request);
  const CalibrationRecord& record = found.record;
  if (request.tensor.empty()) {
    return {AllText(record, request), std::move(found.notes), {}};
  }
  const auto tensor = std::ranges::find(record.tensors, request.tensor, &TensorRecord::name);
  const auto weight = std::ranges::find(record.weights, request.tensor, &WeightRecord::name);
  const bool is_tensor = tensor != record.tensors.end();
  if (!is_tensor && weight == record.weights.end()) {
    throw Error(ErrorKind::kUsage, NoSuchTensor(model.graph, record, request.tensor));
  }
  if (is_tensor && tensor->seen && HistogramOf(record, *tensor) == nullptr) {
    found.notes.emplace_back(
        "the file leaves out the histogram of this tensor: --calibration_inputs makes it");
  }
  std::string text;
  if (request.format == "json") {
    text = WriteHistograms(
        OnlyOne(record, is_tensor ? &*tensor : nullptr, is_tensor ? nullptr : &*weight));
  } else if (request.format == "csv") {
    text = is_tensor ? TensorCsv(record, *tensor) : WeightCsv(*weight);
  } else {
    text = is_tensor ? TensorText(record, *tensor, request.columns)
                     : WeightText(*weight, request.columns);
  }
  return {std::move(text), std::move(found.notes), {}};
}

}  // namespace halftone
