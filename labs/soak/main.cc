// halftone_soak: many threads on one session for minutes. Prints the number of runs, the number of
// outputs whose bits differ from those of one thread, and resident memory after warm-up and at the
// end. Exit code 1: bits differ, or memory grows.
//
//   halftone_soak --model=examples/digits/model.onnx --inputs=examples/digits/heldout_inputs.npy
//       --point=out/quickstart/point_1 --minutes=10
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "halftone/session.h"
#include "src/accuracy/dataset.h"
#include "src/api/halftone.h"
#include "src/api/load/traced_samples.h"
#include "src/base/error.h"

namespace halftone {
namespace {

using Clock = std::chrono::steady_clock;

// Memory may grow by this: what the C library keeps for threads that begin to allocate late, in
// arenas that grow by 132 KiB each.
constexpr std::int64_t kGrowthOfThread = 256 << 10;
// Part of the time after which memory is that of all later runs.
constexpr double kWarmUp = 0.2;

constexpr std::chrono::milliseconds kBeforeEnd{100};

struct Arguments {
  ModelOptions model;
  SessionOptions session;
  std::string options;  // an option set, in place of a point
  int threads = 8;
  double minutes = 0.2;
};

// Bytes that the process has in memory: the second number of statm, in pages.
std::int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t size = 0;
  std::int64_t resident = 0;
  file >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

struct Sample {
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;  // of one thread
};

// The samples in the dtypes of the session, with the outputs of one run after the other.
std::vector<Sample> RunAlone(const Session& session, const ModelOptions& model) {
  const Dataset dataset = LoadSamples(session.model(), {.inputs = model.inputs});
  std::vector<Sample> samples;
  for (std::size_t s = 0; s < std::min<std::size_t>(dataset.size(), 64); ++s) {
    Sample& sample = samples.emplace_back();
    const auto inputs = dataset.Read(s).inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      sample.inputs.push_back(Convert(inputs[i], session.inputs()[i].dtype));
    }
    sample.outputs = session.Run(sample.inputs);
  }
  return samples;
}

struct Counts {
  std::atomic<std::int64_t> runs{0};
  std::atomic<std::int64_t> wrong{0};
};

void RunUntil(const Session& session, const std::vector<Sample>& samples, std::size_t first,
              Clock::time_point end, Counts& counts) {
  std::vector<Tensor> outputs;
  for (const SessionTensor& output : session.outputs()) {
    outputs.emplace_back(output.type());
  }
  std::vector<TensorView> to;
  to.reserve(outputs.size());
  for (Tensor& output : outputs) {
    to.push_back(MutableViewOf(output));
  }
  std::vector<ConstTensorView> from(session.inputs().size());
  for (std::size_t i = first; Clock::now() < end; ++i) {
    const Sample& sample = samples[i % samples.size()];
    std::ranges::transform(sample.inputs, from.begin(), ViewOf);
    session.Run(from, to);
    bool same = true;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      same = same &&
             std::memcmp(outputs[o].data(), sample.outputs[o].data(), outputs[o].size_bytes()) == 0;
    }
    ++counts.runs;
    counts.wrong += same ? 0 : 1;
  }
}

int Soak(Arguments& arguments) {
  if (!arguments.options.empty()) {
    arguments.session.precision = std::make_shared<const PrecisionOptions>(
        LoadOptionSet(arguments.options, {}).precision.options);
  }
  Session session(arguments.model, arguments.session);
  const std::vector<Sample> samples = RunAlone(session, arguments.model);
  session.Reserve(static_cast<std::size_t>(arguments.threads));
  fmt::print("{}: {}, {} samples, {} threads of runs on {}, for {} minutes\n", session.model().name,
             session.configuration(), samples.size(), arguments.threads, session.threads(),
             arguments.minutes);
  std::fflush(stdout);

  const auto begin = Clock::now();
  const std::chrono::duration<double> time(60 * arguments.minutes);
  const auto end = begin + std::chrono::duration_cast<Clock::duration>(time);
  Counts counts;
  std::int64_t warm = 0;
  std::int64_t last = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<std::size_t>(arguments.threads));
    for (int t = 0; t < arguments.threads; ++t) {
      threads.emplace_back(
          [&, t] { RunUntil(session, samples, static_cast<std::size_t>(t), end, counts); });
    }
    std::this_thread::sleep_for(kWarmUp * time);
    warm = ResidentBytes();
    std::this_thread::sleep_until(end - kBeforeEnd);
    last = ResidentBytes();  // the threads still run
  }
  const std::chrono::duration<double> taken = Clock::now() - begin;
  constexpr double kMiB = 1 << 20;
  fmt::print("{} runs, {:.0f} a second; {} with other bits than one thread\n", counts.runs.load(),
             static_cast<double>(counts.runs) / taken.count(), counts.wrong.load());
  fmt::print(
      "resident: {:.2f} MiB after {:.0f} s, {:.2f} MiB at the end; {} contexts, arenas {:.2f} "
      "MiB\n",
      static_cast<double>(warm) / kMiB, (kWarmUp * time).count(), static_cast<double>(last) / kMiB,
      session.contexts(), static_cast<double>(session.arena_bytes()) / kMiB);
  return counts.wrong == 0 && last <= warm + arguments.threads * kGrowthOfThread ? 0 : 1;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Runs one session on many threads: equal bits, flat memory");
  app.add_option("--model", arguments.model.path, "ONNX file, or a folder with model.onnx")
      ->required();
  app.add_option("--inputs", arguments.model.inputs, "Samples, as halftone --inputs")->required();
  app.add_option("--input_shape", arguments.model.input_shape, "As halftone --input_shape");
  app.add_option("--point", arguments.session.point, "Folder of a point");
  app.add_option("--options", arguments.options,
                 "In place of a point: an option set, \"--precision_mode=force_fp16\"");
  app.add_option("--threads", arguments.threads, "Threads that run at a time")
      ->capture_default_str();
  arguments.session.threads = 1;
  app.add_option("--threads_of_run", arguments.session.threads, "Threads of one run")
      ->capture_default_str();
  app.add_flag("--allocation_free", arguments.session.allocation_free, "Without oneDNN's kernels");
  app.add_option("--minutes", arguments.minutes, "Time of the runs")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return Soak(arguments);
  } catch (const Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}

}  // namespace
}  // namespace halftone

int main(int argc, char** argv) {
  return halftone::Main(argc, argv);
}
