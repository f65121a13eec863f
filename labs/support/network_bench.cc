#include "labs/support/network_bench.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {

void AddNetworkOptions(CLI::App& app, NetworkArguments& arguments) {
  app.add_option("models", arguments.models, "ONNX files, or folders that hold model.onnx")
      ->required();
  app.add_option("--threads", arguments.threads,
                 "Numbers of threads, one after the other; 0: all cores")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--precision_mode", arguments.precision_mode)->capture_default_str();
  app.add_option("--input_shape", arguments.input_shape,
                 "Of free dimensions, as halftone has it; else 1");
}

std::string ThreadsText(int threads) {
  return threads == 0 ? "all" : fmt::format("{}", threads);
}

int RunNetworkBench(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  try {
    app.parse(argc, argv);
    return body();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return error.kind() == ErrorKind::kUsage ? 2 : 1;
  }
}

int ForEachNetwork(const NetworkArguments& arguments,
                   const std::function<double(const std::string& model, int threads)>& ratio_of) {
  int failed = 0;
  for (const int threads : arguments.threads) {
    double sum_of_logarithms = 0;
    int count = 0;
    for (const std::string& model : arguments.models) {
      try {
        sum_of_logarithms += std::log(ratio_of(model, threads));
        ++count;
      } catch (const Error& error) {
        fmt::print("{}: {}\n", model, error.what());
        ++failed;
      }
      std::fflush(stdout);
    }
    if (count > 0) {
      fmt::print("geometric mean of {} with {}: {:.4f}\n", Counted(count, "network"),
                 threads == 0 ? "all cores" : Counted(threads, "thread"),
                 std::exp(sum_of_logarithms / count));
    }
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace halftone
