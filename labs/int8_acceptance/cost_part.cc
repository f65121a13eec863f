// Cost of the calibration and the probes of 8 bits.
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "labs/int8_acceptance/acceptance_parts.h"
#include "search/probe/network_prober.h"

namespace halftone {
namespace {

double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::string CostFigures(const std::filesystem::path& folder, std::size_t samples,
                        const PartOptions& options) {
  const MeasuredNetwork network = LoadMeasured(folder, samples);
  const Graph& graph = network.model.graph;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < samples; ++i) {
    numbers.push_back(i % network.calibration.size());
  }
  const Dataset repeated = network.calibration.Part(numbers);
  const SampleScales scales = CalibratedScales(graph, repeated, true, options.threads);
  const TargetSpec target = LoadTarget("host");
  const auto probes_s = [&](const SharedQuantization& quantization) {
    const Decisions decisions = DecisionsWith(graph, target, quantization);
    NetworkProber prober(graph, repeated, {.threads = options.threads});
    return Seconds([&] { prober.Probe(decisions, {}); });
  };
  const double with_s = probes_s(scales.quantization);
  const double without_s = probes_s({});
  const nlohmann::json json = {{"samples", samples},
                               {"calibration_s", scales.seconds},
                               {"probes_s", with_s},
                               {"probes_without_int8_s", without_s}};
  return json.dump();
}

}  // namespace halftone
