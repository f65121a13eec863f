#include "src/report/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "src/base/text.h"
#include "src/report/formats.h"
#include "src/report/front_rows.h"

namespace halftone {
namespace {

// Text as an attribute value or character data of XML. Control characters, which XML 1.0 has no
// place for, and bytes that are not UTF-8 are shown as escapes.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::vector<JUnitCase> TestCasesOf(const TuneSummary& summary) {
  std::vector<JUnitCase> cases;
  JUnitCase bounds{.name = "a configuration meets the bounds", .message = {}, .lines = {}};
  const Verdict& verdict = summary.outcome.verdict;
  for (const BoundVerdict& bound : verdict.bounds) {
    bounds.lines.push_back(
        fmt::format("{}: {}: {}", bound.demand, LabelOf(bound.kind), bound.sentence));
  }
  for (const RefusedPoint& refused : verdict.refused) {
    bounds.lines.push_back(fmt::format("not point {}: {}", refused.point + 1, refused.reason));
  }
  if (!verdict.satisfied) {
    bounds.message = verdict.sentence;
    bounds.lines.insert(bounds.lines.begin(), bounds.message);
  }
  cases.push_back(std::move(bounds));
  std::ranges::move(TestCasesOf(summary.outcome.gates), std::back_inserter(cases));
  return cases;
}

}  // namespace

std::vector<JUnitCase> TestCasesOf(std::span<const GateResult> gates) {
  std::vector<JUnitCase> cases;
  for (const GateResult& result : gates) {
    JUnitCase gate{.name = "not " + result.gate.text, .message = {}, .lines = {}};
    if (!result.passed) {
      gate.message = fmt::format("expected {}, found {}", result.expected, result.found);
      gate.lines = {"expected: " + result.expected, "found: " + result.found,
                    "at: " + (result.point.empty() ? "no point" : result.point)};
    }
    cases.push_back(std::move(gate));
  }
  return cases;
}

std::string FormatJUnitSuite(const JUnitSuite& suite) {
  const auto count_of = [&](bool undecided) {
    return std::ranges::count_if(suite.cases, [&](const JUnitCase& test) {
      return !test.message.empty() && test.undecided == undecided;
    });
  };
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"",
                                         suite.cases.size(), count_of(false), count_of(true));
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"halftone {}\" {}>\n"
      "  <testsuite name=\"{} on {}\" {} skipped=\"0\" time=\"{:.3f}\" timestamp=\"{}\">\n"
      "    <properties>\n",
      suite.command, counts, Escaped(suite.model_name), Escaped(suite.target), counts,
      suite.elapsed_s, Escaped(suite.created_at));
  for (const auto& [name, value] : suite.properties) {
    text += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, Escaped(value));
  }
  text += "    </properties>\n";
  for (const JUnitCase& test : suite.cases) {
    text += fmt::format("    <testcase classname=\"halftone.{}\" name=\"{}\" time=\"0\"",
                        Escaped(suite.model_name), Escaped(test.name));
    if (test.message.empty() && test.lines.empty()) {
      text += "/>\n";
      continue;
    }
    const std::string_view element = test.message.empty() ? "system-out"
                                     : test.undecided     ? "error"
                                                          : "failure";
    text += fmt::format(">\n      <{}", element);
    text += test.message.empty()
                ? std::string(">")
                : fmt::format(" type=\"{}\" message=\"{}\">",
                              test.undecided ? "inconclusive" : "gate", Escaped(test.message));
    for (const std::string& line : test.lines) {
      text += "\n" + Escaped(line);
    }
    text += fmt::format("\n      </{}>\n    </testcase>\n", element);
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

std::string FormatJUnit(const TuneSummary& summary) {
  return FormatJUnitSuite(
      {.command = "tune",
       .model_name = summary.run.model_name,
       .target = summary.run.target,
       .created_at = summary.run.created_at,
       .elapsed_s = summary.elapsed_s,
       .properties = {{"tool", "halftone " + summary.run.tool_version},
                      {"command", summary.run.command},
                      {"model", summary.run.model_path},
                      {"model_hash", summary.run.model_hash.ToHex()},
                      {"cpu", summary.run.cpu},
                      {"verdict_kind", std::string(NameOf(summary.outcome.verdict.kind))},
                      {"verdict", summary.outcome.verdict.sentence}},
       .cases = TestCasesOf(summary)});
}

}  // namespace halftone
