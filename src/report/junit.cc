// JUnit XML as CI servers read it (the schema of Jenkins' xUnit plug-in): one suite, a test case
// for the bounds of the search and one for each gate.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.h"
#include "src/report/formats.h"
#include "src/report/front_rows.h"
#include "src/report/gates.h"

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

struct TestCase {
  std::string name;
  std::string message;             // why it failed; empty: it passed
  std::vector<std::string> lines;  // of the failure, or of the output of a case that passed
};

std::vector<TestCase> TestCasesOf(const TuneSummary& summary) {
  std::vector<TestCase> cases;
  TestCase bounds{.name = "a configuration meets the bounds", .message = {}, .lines = {}};
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
  for (const GateResult& result : summary.outcome.gates) {
    TestCase gate{.name = "not " + result.gate.text, .message = {}, .lines = {}};
    if (!result.passed) {
      gate.message = fmt::format("expected {}, found {}", result.expected, result.found);
      gate.lines = {"expected: " + result.expected, "found: " + result.found,
                    "at: " + (result.point.empty() ? "no point" : result.point)};
    }
    cases.push_back(std::move(gate));
  }
  return cases;
}

}  // namespace

std::string FormatJUnit(const TuneSummary& summary) {
  const std::vector<TestCase> cases = TestCasesOf(summary);
  const auto failures = std::count_if(cases.begin(), cases.end(),
                                      [](const TestCase& test) { return !test.message.empty(); });
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\"", cases.size(), failures);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"halftone tune\" {}>\n"
      "  <testsuite name=\"{} on {}\" {} skipped=\"0\" time=\"{:.3f}\" timestamp=\"{}\">\n"
      "    <properties>\n",
      counts, Escaped(summary.run.model_name), Escaped(summary.run.target), counts,
      summary.elapsed_s, Escaped(summary.run.created_at));
  const std::pair<std::string_view, std::string> properties[] = {
      {"tool", "halftone " + summary.run.tool_version},
      {"command", summary.run.command},
      {"model", summary.run.model_path},
      {"model_hash", summary.run.model_hash.ToHex()},
      {"cpu", summary.run.cpu},
      {"verdict_kind", std::string(NameOf(summary.outcome.verdict.kind))},
      {"verdict", summary.outcome.verdict.sentence}};
  for (const auto& [name, value] : properties) {
    text += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, Escaped(value));
  }
  text += "    </properties>\n";
  for (const TestCase& test : cases) {
    text += fmt::format("    <testcase classname=\"halftone.{}\" name=\"{}\" time=\"0\"",
                        Escaped(summary.run.model_name), Escaped(test.name));
    if (test.message.empty() && test.lines.empty()) {
      text += "/>\n";
      continue;
    }
    text += test.message.empty() ? std::string(">\n      <system-out>")
                                 : fmt::format(">\n      <failure type=\"gate\" message=\"{}\">",
                                               Escaped(test.message));
    for (const std::string& line : test.lines) {
      text += "\n" + Escaped(line);
    }
    text += fmt::format("\n      </{}>\n    </testcase>\n",
                        test.message.empty() ? "system-out" : "failure");
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace halftone
