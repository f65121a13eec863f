#include "src/exec/overflow.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace halftone {
namespace {

std::string_view Became(const OverflowFinding& finding) {
  if (finding.nans == 0) {
    return "Inf";
  }
  return finding.infinities == 0 ? "NaN" : "Inf or NaN";
}

}  // namespace

const OverflowFinding* OverflowCensus::FirstNonFinite() const {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [](const OverflowFinding& f) { return !f.saturated; });
  return found == findings.end() ? nullptr : &*found;
}

std::string Describe(const OverflowFinding& finding, std::int64_t samples) {
  const std::int64_t values = finding.infinities + finding.nans;
  const std::string became =
      finding.in_float32_too
          ? fmt::format("were {} in float32, too, and are finite here (saturated)", Became(finding))
          : fmt::format("became {}{}", Became(finding), finding.saturated ? " (saturated)" : "");
  return fmt::format(
      "overflow: node '{}' ({}){}: {} {} value{} in {} of {} sample{} {}; first: {} in sample {} "
      "('{}'), element [{}]",
      finding.node, finding.op,
      finding.output == 0 ? "" : fmt::format(", output {}", finding.output), values,
      NameOf(finding.dtype), values == 1 ? "" : "s", finding.samples, samples,
      samples == 1 ? "" : "s", became, finding.first_value, finding.first_sample,
      finding.first_sample_name, fmt::join(finding.first_element, ","));
}

std::vector<std::string> Describe(const OverflowCensus& census, std::size_t most) {
  const std::size_t count = census.findings.size();
  const std::size_t shown = most == kAllFindings ? count : std::min(most, count);
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < shown; ++i) {
    sentences.push_back(Describe(census.findings[i], census.samples));
  }
  if (shown < count) {
    sentences.push_back(fmt::format("overflow: {} more node{}; --status_check=1 lists all",
                                    count - shown, count - shown == 1 ? "" : "s"));
  }
  return sentences;
}

}  // namespace halftone
