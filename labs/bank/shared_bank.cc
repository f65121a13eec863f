// halftone_shared_bank: cost of tuning a second network when the knowledge base knows a first one
// of the same blocks.
//
// Two networks of residual blocks (product, Relu, product, Add) with their own weights; the second
// ends in a product that the first does not have. Each row is one `tune` with operator tuning: of
// the second network with an empty bank, of the first, of the second with the bank of the first,
// and of the second once more.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>

#include "knowledge_base/sqlite_store.h"
#include "labs/support/network_bench.h"
#include "src/api/bank/workload.h"
#include "src/api/halftone.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

struct Arguments {
  std::int64_t blocks = 4;
  std::int64_t width = 256;
  std::int64_t rows = 16;
  std::filesystem::path folder = std::filesystem::temp_directory_path() / "halftone_shared_bank";
  TuneOptions tune{.strategy = "model",
                   .max_trials = 12,
                   .modes = {"must_keep_origin_dtype", "force_fp16"},
                   .measure = {.threads = 1, .quick_budget_s = 0.1, .full_budget_s = 0.5},
                   .operator_tuning = OperatorTuningMode::kFull,
                   .operator_budget_s = 2.0};
};

class NetworkWriter {
 public:
  explicit NetworkWriter(std::uint64_t seed) : rng_(seed) {}

  ValueId Input(const Shape& shape) {
    graph_.inputs.push_back(graph_.AddValue({"x", {DType::kFloat32, shape}, std::nullopt}));
    return graph_.inputs.back();
  }

  ValueId Add(OpKind op, std::vector<ValueId> inputs, const Shape& shape) {
    const std::string name = fmt::format("{}_{}", InfoOf(op).name, graph_.nodes.size());
    const ValueId output = graph_.AddValue({name, {DType::kFloat32, shape}, std::nullopt});
    graph_.nodes.push_back({.op = op,
                            .name = name,
                            .origins = {{name, std::string(InfoOf(op).name), name}},
                            .attributes = {},
                            .inputs = std::move(inputs),
                            .outputs = {output}});
    return output;
  }

  // Uniform weights with which a product keeps the size of its operand.
  ValueId Product(ValueId x, std::int64_t rows, std::int64_t from, std::int64_t to) {
    Tensor weights(DType::kFloat32, {from, to});
    const double bound = std::sqrt(3.0 / static_cast<double>(from));
    for (float& weight : weights.mutable_values<float>()) {
      weight = static_cast<float>(rng_.Uniform(-bound, bound));
    }
    const ValueId w =
        graph_.AddValue({fmt::format("w_{}", graph_.values.size()), weights.type(), weights});
    return Add(OpKind::kMatMul, {x, w}, {rows, to});
  }

  Model Finish(std::string name, ValueId output, std::string input_shapes) {
    graph_.outputs = {output};
    Model model;
    model.graph = std::move(graph_);
    model.name = std::move(name);
    model.hash = HashOf(model.graph);
    model.input_shapes = std::move(input_shapes);
    return model;
  }

 private:
  Rng rng_;
  Graph graph_;
};

Model MakeNetwork(const Arguments& arguments, std::string name, bool with_head,
                  std::uint64_t seed) {
  NetworkWriter writer(seed);
  const std::int64_t rows = arguments.rows;
  const std::int64_t width = arguments.width;
  ValueId x = writer.Input({rows, width});
  for (std::int64_t i = 0; i < arguments.blocks; ++i) {
    ValueId y = writer.Product(x, rows, width, 4 * width);
    y = writer.Add(OpKind::kRelu, {y}, {rows, 4 * width});
    y = writer.Product(y, rows, 4 * width, width);
    x = writer.Add(OpKind::kAdd, {x, y}, {rows, width});
  }
  if (with_head) {
    x = writer.Product(x, rows, width, width / 2 + 10);
  }
  return writer.Finish(std::move(name), x, fmt::format("x:{},{}", rows, width));
}

std::int64_t TimedOperators(const std::filesystem::path& bank) {
  const auto database = DatabasePath(bank, "host");
  std::int64_t operators = 0;
  if (std::filesystem::exists(database)) {
    for (const TimingSummary& summary :
         OpenSqliteStore(database, OpenMode::kReadOnly)->OperatorTimingSummaries()) {
      operators += summary.operators;
    }
  }
  return operators;
}

void TuneInto(const Arguments& arguments, const Model& model, const std::string& bank,
              const std::string& what) {
  TuneOptions options = arguments.tune;
  options.bank = arguments.folder / bank;
  std::int64_t rounds = 0;
  TuneCallbacks callbacks;
  callbacks.on_operators = [&](const OperatorTunerProgress&) { ++rounds; };
  const std::int64_t before = TimedOperators(options.bank);
  const auto start = std::chrono::steady_clock::now();
  const TuneSummary summary = Tune(model, options, callbacks);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{:<34} {:>9} {:>7} {:>8} {:>7} {:>9}\n", what, TimedOperators(options.bank) - before,
             rounds, summary.search.measured, summary.search.known, fmt::format("{:.1f}", seconds));
}

int Main(int argc, char** argv) {
  CLI::App app(
      "What tuning a second network of the same blocks spends with the bank of the first.");
  Arguments arguments;
  app.add_option("--blocks", arguments.blocks, "Residual blocks of both networks")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--width", arguments.width, "Of the blocks; four times as much inside")
      ->check(CLI::Range(8, 8192))
      ->capture_default_str();
  app.add_option("--rows", arguments.rows, "Of the input")
      ->check(CLI::Range(1, 8192))
      ->capture_default_str();
  app.add_option("--max_trials", arguments.tune.max_trials, "Distinct plans of each run")
      ->capture_default_str();
  app.add_option("--operator_budget", arguments.tune.operator_budget_s,
                 "Seconds in which the operators of a mode are timed")
      ->capture_default_str();
  app.add_option("--threads", arguments.tune.measure.threads, "Of a run of the network; 0: all")
      ->capture_default_str();
  return RunNetworkBench(app, argc, argv, [&] {
    std::filesystem::remove_all(arguments.folder);
    const Model first = MakeNetwork(arguments, "first", false, 1);
    const Model second = MakeNetwork(arguments, "second", true, 2);
    fmt::print("{:<34} {:>9} {:>7} {:>8} {:>7} {:>9}\n", "network and bank", "operators", "rounds",
               "plans", "known", "seconds");
    TuneInto(arguments, second, "alone", "second, empty bank");
    TuneInto(arguments, first, "both", "first, empty bank");
    TuneInto(arguments, second, "both", "second, bank of the first");
    TuneInto(arguments, second, "both", "second once more");
    std::filesystem::remove_all(arguments.folder);
    return 0;
  });
}

}  // namespace
}  // namespace halftone

int main(int argc, char** argv) {
  return halftone::Main(argc, argv);
}
