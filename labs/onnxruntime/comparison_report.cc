#include "labs/onnxruntime/comparison_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "src/api/bank/workload.h"
#include "src/api/halftone.h"
#include "src/base/error.h"

namespace halftone {
namespace {

constexpr std::size_t kThreadColumns = std::size(kThreadCounts);

// A quiet machine spends less on services; from here on the summary says that it was not quiet.
constexpr double kQuietCores = 0.1;

struct NamedRatio {
  double ratio;
  std::string_view network;
};

// Ratios of the networks with numbers, for one column.
std::vector<NamedRatio> Ratios(std::span<const ComparedNetwork> networks, std::size_t column) {
  std::vector<NamedRatio> ratios;
  for (const ComparedNetwork& network : networks) {
    if (const auto* compared = std::get_if<Compared>(&network.outcome)) {
      ratios.push_back({compared->latencies[column].ratio, network.name});
    }
  }
  return ratios;
}

double GeometricMean(const std::vector<NamedRatio>& ratios) {
  double sum = 0;
  for (const NamedRatio& each : ratios) {
    sum += std::log(each.ratio);
  }
  return std::exp(sum / static_cast<double>(ratios.size()));
}

NamedRatio Least(const std::vector<NamedRatio>& ratios) {
  return *std::min_element(
      ratios.begin(), ratios.end(),
      [](const NamedRatio& a, const NamedRatio& b) { return a.ratio < b.ratio; });
}

double MeanOtherCores(std::span<const ComparedNetwork> networks) {
  double sum = 0;
  double count = 0;
  for (const ComparedNetwork& network : networks) {
    if (const auto* compared = std::get_if<Compared>(&network.outcome)) {
      sum += compared->other_cores;
      count += 1;
    }
  }
  return count > 0 ? sum / count : 0;
}

nlohmann::json JsonOf(const Compared& compared) {
  nlohmann::json threads = nlohmann::json::array();
  for (std::size_t column = 0; column < kThreadColumns; ++column) {
    const Latency& latency = compared.latencies[column];
    threads.push_back(
        {{"threads", kThreadCounts[column]},
         {"ours_ms", 1e3 * latency.anchor_median_s},
         {"theirs_ms", 1e3 * latency.median_s},
         {"ratio", latency.ratio},
         {"ratio_interval", {latency.ratio_interval.low, latency.ratio_interval.high}},
         {"pairs", latency.candidate_samples_s.size()}});
  }
  return {{"rel_l2", compared.rel_l2},
          {"peer_rel_l2", compared.peer_rel_l2},
          {"input_shapes", compared.input_shapes},
          {"random_weights", compared.random_weights},
          {"other_cores", compared.other_cores},
          {"by_threads", std::move(threads)}};
}

}  // namespace

std::string FormatHead(const ComparisonHead& head) {
  std::string text = fmt::format(
      "# halftone {} ({}) and ONNX Runtime {} ({}), on {}; {}\n"
      "# networks of {}; {:.3g} s each, in turns in one process; medians of a run in ms, and of "
      "the\n"
      "# ratios theirs / ours of pairs: above 1 halftone is faster; others: cores that other\n# "
      "processes kept busy\n{:<28}",
      Version(), head.plan, head.peer_version, NameOf(head.peer), CpuName(), CompilerName(),
      head.models, head.budget_s, "network");
  for (const int threads : kThreadCounts) {
    text += fmt::format(" {:>9} {:>9} {:>7}", fmt::format("ours {}T", threads),
                        fmt::format("theirs {}T", threads), "ratio");
  }
  return text + fmt::format(" {:>8} {:>8} {:>7}\n", "rel L2", "theirs", "others");
}

std::string ComparisonRow(const ComparedNetwork& network) {
  std::string text = fmt::format("{:<28}", network.name);
  if (const auto* none = std::get_if<NotCompared>(&network.outcome)) {
    return text + fmt::format(" {}: {}\n", none->disagrees ? "FAIL" : "not compared", none->reason);
  }
  const auto& compared = std::get<Compared>(network.outcome);
  for (const Latency& latency : compared.latencies) {
    text += fmt::format(" {:>9.3f} {:>9.3f} {:>7.2f}", 1e3 * latency.anchor_median_s,
                        1e3 * latency.median_s, latency.ratio);
  }
  text += fmt::format(" {:>8.1e} {:>8.1e} {:>7.2f}\n", compared.rel_l2, compared.peer_rel_l2,
                      compared.other_cores);
  for (std::size_t column = 0; column < compared.profiles.size(); ++column) {
    text += fmt::format("  threads: {}\n{}", kThreadCounts[column], compared.profiles[column]);
  }
  return text;
}

std::string FormatSummary(std::span<const ComparedNetwork> networks) {
  std::string minimum = "minimum";
  std::string mean = "geomean";
  std::size_t compared = 0;
  for (std::size_t column = 0; column < kThreadColumns; ++column) {
    const std::vector<NamedRatio> ratios = Ratios(networks, column);
    compared = ratios.size();
    if (ratios.empty()) {
      throw Error(ErrorKind::kUnsupported,
                  "no network could be compared: the table says why for each");
    }
    const std::string_view gap = column == 0 ? " " : "  ";
    const NamedRatio least = Least(ratios);
    minimum +=
        fmt::format("{}{}T: {:.2f} ({})", gap, kThreadCounts[column], least.ratio, least.network);
    mean += fmt::format("{}{}T: {:.2f}", gap, kThreadCounts[column], GeometricMean(ratios));
  }
  const auto failed = std::count_if(networks.begin(), networks.end(), [](const auto& network) {
    const auto* none = std::get_if<NotCompared>(&network.outcome);
    return none != nullptr && none->disagrees;
  });
  const double other_cores = MeanOtherCores(networks);
  const std::string busy =
      other_cores > kQuietCores
          ? fmt::format(
                "the machine was not quiet: other processes kept {:.2f} cores busy, so the "
                "ratios are not to be trusted\n",
                other_cores)
          : "";
  return fmt::format("{}compared: {} of {}; outputs disagree: {}\n{}\n{}\n", busy, compared,
                     networks.size(), failed, minimum, mean);
}

std::string FormatComparisonJson(const ComparisonHead& head,
                                 std::span<const ComparedNetwork> networks) {
  nlohmann::json rows = nlohmann::json::array();
  for (const ComparedNetwork& network : networks) {
    nlohmann::json row;
    if (const auto* compared = std::get_if<Compared>(&network.outcome)) {
      row = JsonOf(*compared);
    } else {
      const auto& none = std::get<NotCompared>(network.outcome);
      row = {{none.disagrees ? "failure" : "not_compared", none.reason}};
    }
    row["network"] = network.name;
    rows.push_back(std::move(row));
  }
  const nlohmann::json document = {{"halftone", Version()},      {"plan", head.plan},
                                   {"peer", NameOf(head.peer)},  {"onnxruntime", head.peer_version},
                                   {"cpu", CpuName()},           {"compiler", CompilerName()},
                                   {"time", UtcNow()},           {"budget_s", head.budget_s},
                                   {"networks", std::move(rows)}};
  return document.dump(2) + "\n";
}

}  // namespace halftone
