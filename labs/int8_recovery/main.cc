// Accuracy of plans in 8 bits by what recovers it: the plan that is in qint8 wherever a form exists
// (search/calibrate/int8_plan.h), its ranges by minmax or auto, with and without channel factors
// and bias correction. SQNR in dB of the worst output, of the mean of error powers and the median
// over samples; nothing is timed. Every second sample is calibrated with, the others are measured;
// of a single sample both.
//
//   halftone_int8_recovery --models=DIR[,DIR...] [--inputs=eval] [--max_samples=64]
//
// `--inputs` names a folder in that of the model; models without it take their test_data_set_N.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "labs/support/network_bench.h"
#include "search/calibrate/calibrate.h"
#include "search/calibrate/int8_plan.h"
#include "search/calibrate/sequential_correction.h"
#include "search/probe/activation_cache.h"
#include "src/accuracy/dataset.h"
#include "src/accuracy/metrics.h"
#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/precision/resolve/node_formats.h"

namespace halftone {
namespace {

struct Arguments {
  std::vector<std::string> models;
  std::string inputs = "eval";
  std::int64_t max_samples = 64;
  int threads = 0;
  bool same_samples = false;
};

enum class Correction : std::uint8_t { kNone, kLocal, kSequential };

struct Variant {
  std::string_view name;
  std::string_view method;
  bool factors;
  Correction correction;
};

constexpr Variant kVariants[] = {
    {"minmax", "minmax", false, Correction::kNone},
    {"auto", "auto", false, Correction::kNone},
    {"auto, local", "auto", false, Correction::kLocal},
    {"auto, sequential", "auto", false, Correction::kSequential},
    {"factors", "auto", true, Correction::kNone},
    {"factors, local", "auto", true, Correction::kLocal},
    {"factors, sequential", "auto", true, Correction::kSequential},
};

std::vector<std::size_t> EverySecond(std::size_t count, std::size_t first) {
  std::vector<std::size_t> indices;
  for (std::size_t i = count > 1 ? first : 0; i < count; i += 2) {
    indices.push_back(i);
  }
  return indices;
}

// Of the mean of error powers over the samples, and the median of the samples, which no single one
// decides.
struct Sqnr {
  double mean = 0;
  double median = 0;
};

Sqnr SqnrOf(const Graph& graph, const PrecisionPlan& plan, const Dataset& data,
            const ThreadPool& pool) {
  const Executable exact = Compile(graph, ReferencePlan(graph));
  const Executable candidate = Compile(graph, plan);
  AccuracyAccumulator accumulator;
  for (std::size_t s = 0; s < data.size(); ++s) {
    const Sample sample = data.Read(s);
    const std::vector<Tensor> reference = RunOnce(exact, exact.ConvertInputs(sample.inputs), pool);
    const std::vector<Tensor> actual =
        RunOnce(candidate, candidate.ConvertInputs(sample.inputs), pool);
    accumulator.Add(data.OutputsOf(s, reference, actual));
  }
  const Accuracy accuracy = accumulator.Finish();
  const MetricValue* sqnr = accuracy.Find("sqnr_db");
  if (sqnr == nullptr || sqnr->values.empty()) {
    return {};
  }
  std::vector<double> values = sqnr->values;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return {sqnr->mean, *middle};
}

void PrintRow(const std::string& path, const Arguments& arguments) {
  const Model model = LoadModel({.path = path, .inputs = path});
  const std::string eval = path + "/" + arguments.inputs;
  const Dataset data =
      LoadDataset(model.graph, {.inputs = std::filesystem::exists(eval) ? eval : path,
                                .labels = {},
                                .max_samples = arguments.max_samples});
  const Dataset calibrated = arguments.same_samples ? data : data.Part(EverySecond(data.size(), 0));
  const Dataset measured = arguments.same_samples ? data : data.Part(EverySecond(data.size(), 1));
  const ThreadPool pool(arguments.threads);
  std::string cells;
  std::size_t nodes = 0;
  std::size_t factors = 0;
  double runs = 0;
  for (const Variant& variant : kVariants) {
    CalibrationOptions options{.methods = CalibrationCandidates(variant.method),
                               .equalise = variant.factors,
                               .correct_bias = variant.correction == Correction::kLocal,
                               .threads = arguments.threads};
    const Calibration calibration = Calibrate(model.graph, calibrated, options);
    PrecisionPlan plan = Int8Plan(model.graph, SharedQuantization(calibration.quantization));
    if (variant.correction == Correction::kSequential) {
      SequentialCorrection correction(model.graph, calibrated, {}, pool);
      plan = correction.Corrected(plan);
      runs = correction.runs();
    }
    nodes = static_cast<std::size_t>(std::ranges::count_if(plan.nodes, UsesScales));
    factors = std::max(factors, calibration.quantization.channel_factors.size());
    const Sqnr sqnr = SqnrOf(model.graph, plan, measured, pool);
    cells += fmt::format(" {:.1f}, {:.1f} |", sqnr.mean, sqnr.median);
  }
  fmt::print("| {} | {}/{} | {}/{} | {} |{} {:.0f} |\n", model.name, calibrated.size(),
             measured.size(), nodes, model.graph.nodes.size(), factors, cells, runs);
  std::fflush(stdout);
}

int Run(const Arguments& arguments) {
  fmt::print("| network | calibrated/measured | in qint8/operators | with factors |");
  for (const Variant& variant : kVariants) {
    fmt::print(" {} |", variant.name);
  }
  fmt::print(" runs |\n|---|---|---|---|");
  for (std::size_t i = 0; i <= std::size(kVariants); ++i) {
    fmt::print("---|");
  }
  fmt::print("\n");
  int code = 0;
  for (const std::string& path : arguments.models) {
    try {
      PrintRow(path, arguments);
    } catch (const Error& error) {
      fmt::print("{}: {}\n", path, error.what());
      code = 1;
    }
  }
  return code;
}

}  // namespace
}  // namespace halftone

int main(int argc, char** argv) {
  halftone::Arguments arguments;
  CLI::App app("SQNR of networks in 8 bits by what recovers accuracy");
  app.add_option("--models", arguments.models, "folders of networks")->required()->delimiter(',');
  app.add_option("--inputs", arguments.inputs, "folder of samples in that of a network");
  app.add_option("--max_samples", arguments.max_samples, "the first so many; 0: all");
  app.add_option("--threads", arguments.threads, "0: all cores");
  app.add_flag("--same_samples", arguments.same_samples, "calibrate with and measure all samples");
  return halftone::RunNetworkBench(app, argc, argv, [&] { return halftone::Run(arguments); });
}
