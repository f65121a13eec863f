// halftone_operator_tuning: what operator tuning gains over the static order of kernels.
// For each network and number of threads the operators are tuned without a knowledge base, then the
// network with the chosen kernels is measured afresh against the static order in paired rounds,
// with buffers in several places.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kUsage =
    "usage: halftone_operator_tuning [options] MODEL...\n"
    "  MODEL               an .onnx file, or a folder that holds model.onnx\n"
    "  --threads=N,M       numbers of threads, one after the other (default 1,0; 0: all cores)\n"
    "  --precision_mode=M  (default must_keep_origin_dtype)\n"
    "  --input_shape=S     of free dimensions, as halftone has it; else 1\n"
    "  --budget=S          seconds in which operators are timed (default 4)\n"
    "  --compare=S         seconds in which the networks are compared (default 4)\n"
    "  --seed=N            of inputs and rounds (default 1)\n"
    "  --table             the operators with another kernel, too\n";

struct Arguments {
  std::vector<std::string> models;
  std::vector<int> threads = {1, 0};
  std::string precision_mode = "must_keep_origin_dtype";
  std::string input_shape;
  OperatorTuningOptions tuning{.measure = {.full_budget_s = 4.0}};
  bool table = false;
};

template <typename Number>
Number NumberOf(std::string_view option, std::string_view text) {
  Number number{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number < 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} expects a number of at least 0, found '{}'", option, text));
  }
  return number;
}

void AddArgument(std::string_view word, Arguments& arguments) {
  if (!word.starts_with("--")) {
    arguments.models.emplace_back(word);
    return;
  }
  const auto equals = word.find('=');
  const std::string_view option = word.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
  if (option == "--threads") {
    arguments.threads.clear();
    for (const std::string_view number : Split(value, ',')) {
      arguments.threads.push_back(NumberOf<int>(option, number));
    }
  } else if (option == "--precision_mode") {
    arguments.precision_mode = value;
  } else if (option == "--input_shape") {
    arguments.input_shape = value;
  } else if (option == "--budget") {
    arguments.tuning.budget_s = NumberOf<double>(option, value);
  } else if (option == "--compare") {
    arguments.tuning.measure.full_budget_s = NumberOf<double>(option, value);
  } else if (option == "--seed") {
    arguments.tuning.measure.seed = NumberOf<std::uint64_t>(option, value);
  } else if (word == "--table") {
    arguments.table = true;
  } else {
    throw Error(ErrorKind::kUsage, fmt::format("unknown option '{}'\n{}", word, kUsage));
  }
}

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
               model.name, threads == 0 ? "all" : fmt::format("{}", threads),
               result.operators.size(), tuned, 1e3 * network.static_s,
               1e3 * network.static_s * network.ratio, network.ratio, network.ratio_interval.low,
               network.ratio_interval.high, result.dropped ? "  the static order stays" : "");
  } else {
    fmt::print("{:<24} {:>7} {:>9} {:>5} {:>10} {:>10}   {:.4f} (no other kernel)\n", model.name,
               threads == 0 ? "all" : fmt::format("{}", threads), result.operators.size(), tuned,
               "-", "-", 1.0);
  }
  if (arguments.table) {
    fmt::print("{}\n", FormatOperatorTable(result));
  }
  std::fflush(stdout);
  return result.network && !result.dropped ? result.network->ratio : 1;
}

int RunAll(const Arguments& arguments) {
  fmt::print("{:<24} {:>7} {:>9} {:>5} {:>10} {:>10}   {}\n", "network", "threads", "operators",
             "tuned", "static ms", "tuned ms", "tuned / static, 95 % interval");
  int failed = 0;
  for (const int threads : arguments.threads) {
    double sum_of_logarithms = 0;
    int count = 0;
    for (const std::string& path : arguments.models) {
      try {
        const Model model = LoadModel({.path = path, .input_shape = arguments.input_shape});
        sum_of_logarithms += std::log(TuneOne(model, threads, arguments));
        ++count;
      } catch (const Error& error) {
        fmt::print("{}: {}\n", path, error.what());
        ++failed;
      }
    }
    if (count > 0) {
      fmt::print("geometric mean of {} with {}: {:.4f}\n", Counted(count, "network"),
                 threads == 0 ? "all cores" : Counted(threads, "thread"),
                 std::exp(sum_of_logarithms / count));
    }
  }
  return failed == 0 ? 0 : 1;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--help") {
      fmt::print("{}", kUsage);
      return 0;
    }
    AddArgument(argv[i], arguments);
  }
  if (arguments.models.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("no MODEL is given\n{}", kUsage));
  }
  return RunAll(arguments);
}

}  // namespace
}  // namespace halftone

int main(int argc, char** argv) {
  try {
    return halftone::Main(argc, argv);
  } catch (const halftone::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return error.kind() == halftone::ErrorKind::kUsage ? 2 : 1;
  }
}
