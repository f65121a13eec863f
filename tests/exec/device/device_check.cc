// Accuracy for every built-in target against an emulation of it.
//   device_check [--seed=1] [--networks=300]
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

#include "src/base/error.h"
#include "src/passes/passes.h"
#include "src/precision/resolve/resolve.h"
#include "src/target/builtin_targets.h"
#include "tests/exec/device/device_emulation.h"
#include "tests/exec/device/device_networks.h"

namespace halftone::testing {
namespace {

constexpr std::string_view kModes[] = {"force_fp16", "allow_fp32_to_fp16", "allow_mix_precision",
                                       "must_keep_origin_dtype"};

// A mode, implementations and some kept nodes; empty: the target cannot run that.
std::optional<PrecisionPlan> RandomDevicePlan(const Graph& graph, const TargetSpec& target,
                                              Rng& rng) {
  PrecisionOptions options;
  options.precision_mode = kModes[rng.Below(std::size(kModes))];
  options.op_select_implmode = rng.Below(4) == 0 ? "high_performance" : "high_precision";
  for (const Node& node : graph.nodes) {
    if (rng.Below(8) == 0) {
      options.keep_dtype.push_back(node.name);
    }
  }
  try {
    return ResolvePrecision(graph, options, target, {.unknown_names_are_warnings = true});
  } catch (const Error&) {
    return std::nullopt;
  }
}

int Check(std::uint64_t seed, std::uint64_t networks) {
  DeviceCounts counts;
  int failed = 0;
  for (std::uint64_t index = 0; index < networks; ++index) {
    Rng rng(Rng(seed).Next() + index);
    DeviceNetwork network = RandomDeviceNetwork(rng);
    Canonicalize(network.graph);
    for (const std::string_view family : TargetFamilies()) {
      const TargetFile& file = *FindFamily(family);
      if (file.soc_versions.empty()) {
        continue;  // a base alone
      }
      const std::string& soc = file.soc_versions[rng.Below(file.soc_versions.size())];
      const TargetSpec target = file.ForSoc(soc);
      const auto plan = RandomDevicePlan(network.graph, target, rng);
      if (!plan) {
        continue;
      }
      for (const std::string& difference :
           DifferencesOf(network.graph, *plan, target, network.sample, counts)) {
        std::printf("network %llu of seed %llu on %s: %s\n", static_cast<unsigned long long>(index),
                    static_cast<unsigned long long>(seed), soc.c_str(), difference.c_str());
        ++failed;
      }
    }
  }
  std::printf(
      "%llu networks, %lld plans, %lld elements compared, %lld of them to the bit, %lld saturated, "
      "%lld not finite, %lld nodes in fusions of targets; %d differences\n",
      static_cast<unsigned long long>(networks), static_cast<long long>(counts.plans),
      static_cast<long long>(counts.values), static_cast<long long>(counts.exact),
      static_cast<long long>(counts.saturated), static_cast<long long>(counts.not_finite),
      static_cast<long long>(counts.fused), failed);
  const bool tried = counts.values > 0 && counts.exact > 0 && counts.saturated > 0 &&
                     counts.not_finite > 0 && counts.fused > 0;
  return failed == 0 && tried ? 0 : 1;
}

bool ParseNumber(std::string_view argument, std::string_view name, std::uint64_t& number) {
  if (!argument.starts_with(name)) {
    return false;
  }
  const std::string_view value = argument.substr(name.size());
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc() && end == value.data() + value.size();
}

}  // namespace
}  // namespace halftone::testing

int main(int argc, char** argv) {
  std::uint64_t seed = 1;
  std::uint64_t networks = 300;
  for (int i = 1; i < argc; ++i) {
    if (!halftone::testing::ParseNumber(argv[i], "--seed=", seed) &&
        !halftone::testing::ParseNumber(argv[i], "--networks=", networks)) {
      std::fprintf(stderr, "usage: device_check [--seed=1] [--networks=300]\n");
      return 2;
    }
  }
  try {
    return halftone::testing::Check(seed, networks);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
