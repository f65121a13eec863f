// halftone_kernel_choice: quality of kernels that are chosen with the machine profile. Each network
// is tuned twice, with the machine profile and in full, in two separate knowledge bases. Then the
// kernels of both and those of the static order are compared in paired rounds, with buffers at
// several addresses. "best" is the faster of the two and the static order.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "labs/support/network_bench.h"
#include "search/measure/compare_executables.h"
#include "src/api/halftone.h"
#include "src/api/operator_tuning.h"
#include "src/exec/executable.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

struct Arguments : NetworkArguments {
  double budget_s = 4.0;
  double compare_s = 2.0;
  std::uint64_t seed = 1;
  std::string banks = "kernel_choice_banks";
};

struct Row {
  std::string network;
  double to_static = 1;  // time with the profile's kernels over that of the static order
  double to_best = 1;
};

struct Tuned {
  KernelChoices choices;
  double spent_s = 0;
};

struct TunedNetwork {
  const Model& model;
  const TargetSpec& target;
  const PrecisionOptions& precision;
  const std::string& inputs;
  int threads;
};

Tuned TuneWith(OperatorTuningMode mode, const TunedNetwork& network, const Arguments& arguments) {
  OperatorTuningOptions options;
  options.mode = mode;
  options.data = {.inputs = network.inputs, .max_samples = 1, .generated_samples = 1};
  options.measure = {.threads = network.threads, .seed = arguments.seed};
  options.budget_s =
      mode == OperatorTuningMode::kFull ? arguments.budget_s : options.measure.full_budget_s / 4;
  options.bank =
      fs::path(arguments.banks) / (mode == OperatorTuningMode::kFull ? "full" : "profile");
  const auto start = std::chrono::steady_clock::now();
  TuneOperators(network.model, network.target, network.precision, options);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  return {LoadKernelChoices(network.model, options.bank, network.target.name, network.threads),
          spent.count()};
}

Row Compare(const std::string& path, int threads, const Arguments& arguments) {
  const std::string inputs =
      fs::is_directory(path) && fs::exists(fs::path(path) / "test_data_set_0") ? path
                                                                               : std::string();
  const Model model =
      LoadModel({.path = path, .input_shape = arguments.input_shape, .inputs = inputs});
  const TargetSpec target = LoadTarget("host");
  const PrecisionOptions precision =
      LoadPrecision({.precision_mode = arguments.precision_mode}, target).options;
  const PrecisionPlan plan = ResolvePrecision(model.graph, precision, target);
  const TunedNetwork network{model, target, precision, inputs, threads};
  const Tuned profile = TuneWith(OperatorTuningMode::kProfile, network, arguments);
  const Tuned full = TuneWith(OperatorTuningMode::kFull, network, arguments);

  const Sample sample =
      LoadDataset(model.graph, {.inputs = inputs, .max_samples = 1, .generated_samples = 1})
          .Read(0);
  const ThreadPool pool(threads);
  const auto ratio = [&](const KernelChoices& chosen, const KernelChoices& other) {
    if (chosen == other) {
      return 1.0;
    }
    return CompareExecutables(
               [&] { return Compile(model.graph, plan, {.kernels = {}, .choices = chosen}); },
               [&] { return Compile(model.graph, plan, {.kernels = {}, .choices = other}); },
               sample, pool, {.budget_s = arguments.compare_s, .seed = arguments.seed})
        .ratio;
  };
  Row row{.network = model.name};
  row.to_static = ratio(profile.choices, KernelChoices(pool.threads()));
  row.to_best = std::max({1.0, row.to_static, ratio(profile.choices, full.choices)});
  fmt::print("{:<24} {:>7} {:>8} {:>6} {:>11.1f} {:>8.1f} {:>16.3f} {:>14.3f}\n", model.name,
             ThreadsText(threads), profile.choices.kernels().size(), full.choices.kernels().size(),
             profile.spent_s, full.spent_s, row.to_static, row.to_best);
  return row;
}

void PrintSummary(const std::vector<Row>& rows) {
  double sum_static = 0;
  double sum_best = 0;
  const Row* worst = nullptr;
  for (const Row& row : rows) {
    sum_static += std::log(row.to_static);
    sum_best += std::log(row.to_best);
    worst = worst == nullptr || row.to_best > worst->to_best ? &row : worst;
  }
  if (worst != nullptr) {
    const auto count = static_cast<double>(rows.size());
    fmt::print(
        "{} networks: profile / static order {:.4f}, profile / best {:.4f} (geometric "
        "means); worst {:.3f} ({})\n",
        rows.size(), std::exp(sum_static / count), std::exp(sum_best / count), worst->to_best,
        worst->network);
  }
}

int Main(int argc, char** argv) {
  CLI::App app("How good kernels chosen with the machine profile are.");
  Arguments arguments;
  AddNetworkOptions(app, arguments);
  app.add_option("--budget", arguments.budget_s, "Seconds in which full tuning times operators")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--compare", arguments.compare_s, "Seconds in which two choices are compared")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--seed", arguments.seed, "Of inputs and rounds")->capture_default_str();
  app.add_option("--banks", arguments.banks,
                 "Folder for the knowledge bases; networks share the machine profile in it")
      ->capture_default_str();
  return RunNetworkBench(app, argc, argv, [&] {
    fmt::print("{:<24} {:>7} {:>8} {:>6} {:>11} {:>8} {:>16} {:>14}\n", "network", "threads",
               "profile", "full", "profile s", "full s", "profile/static", "profile/best");
    std::vector<Row> rows;
    const int code = ForEachNetwork(arguments, [&](const std::string& path, int threads) {
      rows.push_back(Compare(path, threads, arguments));
      return rows.back().to_best;
    });
    PrintSummary(rows);
    return code;
  });
}

}  // namespace
}  // namespace halftone

int main(int argc, char** argv) {
  return halftone::Main(argc, argv);
}
