// halftone_operator_tuning: gain of operator tuning over the static order of kernels. For each
// network and number of threads, it tunes the operators without a knowledge base, then measures the
// network with the chosen kernels afresh against the static order, in paired rounds with buffers at
// several addresses.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "labs/support/network_bench.h"
#include "src/api/halftone.h"
#include "src/api/operator_tuning.h"

namespace halftone {
namespace {

struct Arguments : NetworkArguments {
  OperatorTuningOptions tuning{.measure = {.full_budget_s = 4.0}};
  bool table = false;
};

// The gain of one network; prints its row.
double TuneOne(const Model& model, int threads, const Arguments& arguments) {
  const TargetSpec target = LoadTarget("host");
  const PrecisionOptions precision =
      LoadPrecision({.precision_mode = arguments.precision_mode}, target).options;
  OperatorTuningOptions options = arguments.tuning;
  options.measure.threads = threads;
  const OperatorTuningResult result = TuneOperators(model, target, precision, options);
  std::size_t tuned = 0;
  for (const TunedOperator& op : result.operators) {
    tuned += op.timing.tuned() ? 1 : 0;
  }
  if (result.network) {
    const OperatorTiming& network = *result.network;
    fmt::print("{:<24} {:>7} {:>9} {:>5} {:>10.3f} {:>10.3f}   {:.4f} [{:.4f}, {:.4f}]{}\n",
               model.name, ThreadsText(threads), result.operators.size(), tuned,
               1e3 * network.static_s, 1e3 * network.static_s * network.ratio, network.ratio,
               network.ratio_interval.low, network.ratio_interval.high,
               result.dropped ? "  the static order stays" : "");
  } else {
    fmt::print("{:<24} {:>7} {:>9} {:>5} {:>10} {:>10}   {:.4f} (no other kernel)\n", model.name,
               ThreadsText(threads), result.operators.size(), tuned, "-", "-", 1.0);
  }
  if (arguments.table) {
    fmt::print("{}\n", FormatOperatorTable(result));
  }
  return result.network && !result.dropped ? result.network->ratio : 1;
}

int Main(int argc, char** argv) {
  CLI::App app("What operator tuning gains over the static order of kernels.");
  Arguments arguments;
  AddNetworkOptions(app, arguments);
  app.add_option("--budget", arguments.tuning.budget_s, "Seconds in which operators are timed")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--compare", arguments.tuning.measure.full_budget_s,
                 "Seconds in which the networks are compared")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--seed", arguments.tuning.measure.seed, "Of inputs and rounds")
      ->capture_default_str();
  app.add_flag("--table", arguments.table, "The operators with another kernel, too");
  return RunNetworkBench(app, argc, argv, [&] {
    fmt::print("{:<24} {:>7} {:>9} {:>5} {:>10} {:>10}   {}\n", "network", "threads", "operators",
               "tuned", "static ms", "tuned ms", "tuned / static, 95 % interval");
    return ForEachNetwork(arguments, [&](const std::string& path, int threads) {
      const Model model = LoadModel({.path = path, .input_shape = arguments.input_shape});
      return TuneOne(model, threads, arguments);
    });
  });
}

}  // namespace
}  // namespace halftone

int main(int argc, char** argv) {
  return halftone::Main(argc, argv);
}
