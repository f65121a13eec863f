#include "labs/onnxruntime/best_report.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/api/bank/workload.h"
#include "src/api/halftone.h"

namespace halftone {
namespace {

nlohmann::json FormJson(const ComparedForm& form) {
  if (!form.missing.empty()) {
    return {{"missing", form.missing}};
  }
  nlohmann::json json = {{"ms", 1e3 * form.median_s},
                         {"rel_l2", form.rel_l2},
                         {"ratio", form.ratio},
                         {"ratio_interval", {form.ratio_interval.low, form.ratio_interval.high}}};
  if (form.ratio_to_best) {
    json["ratio_to_best"] = *form.ratio_to_best;
  }
  return json;
}

nlohmann::json BestJson(const BestCompared& compared) {
  nlohmann::json forms = nlohmann::json::object();
  for (std::size_t i = 0; i < std::size(kBestForms); ++i) {
    forms[std::string(kBestForms[i])] = FormJson(compared.forms[i]);
  }
  return {{"forms", std::move(forms)},
          {"input_shapes", compared.input_shapes},
          {"random_weights", compared.random_weights},
          {"other_cores", compared.other_cores},
          {"rounds", compared.rounds}};
}

}  // namespace

std::string BestRow(const BestNetwork& network) {
  std::string text = fmt::format("{:<28}", network.name);
  if (const auto* none = std::get_if<NotCompared>(&network.outcome)) {
    return text + fmt::format(" {}: {}\n", none->disagrees ? "FAIL" : "not compared", none->reason);
  }
  const auto& compared = std::get<BestCompared>(network.outcome);
  for (std::size_t i = 0; i < std::size(kBestForms); ++i) {
    const ComparedForm& form = compared.forms[i];
    text += form.missing.empty() ? fmt::format("  {} {:.3f} ms ({:.0e})", kBestForms[i],
                                               1e3 * form.median_s, form.rel_l2)
                                 : fmt::format("  {} -", kBestForms[i]);
  }
  return text + "\n";
}

std::string FormatBestJson(const BestHead& head, std::span<const BestNetwork> networks) {
  nlohmann::json rows = nlohmann::json::array();
  for (const BestNetwork& network : networks) {
    nlohmann::json row;
    if (const auto* compared = std::get_if<BestCompared>(&network.outcome)) {
      row = BestJson(*compared);
    } else {
      const auto& none = std::get<NotCompared>(network.outcome);
      row = {{none.disagrees ? "failure" : "not_compared", none.reason}};
    }
    row["network"] = network.name;
    rows.push_back(std::move(row));
  }
  const nlohmann::json document = {{"halftone", Version()},      {"bound", head.bound},
                                   {"threads", head.threads},    {"onnxruntime", head.peer_version},
                                   {"cpu", CpuName()},           {"compiler", CompilerName()},
                                   {"time", UtcNow()},           {"budget_s", head.budget_s},
                                   {"networks", std::move(rows)}};
  return document.dump(2) + "\n";
}

}  // namespace halftone
