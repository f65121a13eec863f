// Report formats: one table, one function each.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "src/accuracy/metric_words.h"
#include "src/base/text_table.h"
#include "src/report/tune_summary.h"

namespace halftone {

struct ReportFormat {
  std::string_view name;       // value of --format
  std::string_view file_name;  // under --output; empty: for the screen
  std::string_view meaning;
  // Empty text: the run has nothing for it, and no such file.
  std::string (*format)(const TuneSummary&);
};

std::span<const ReportFormat> AllReportFormats();
// Null when there is none of that name.
const ReportFormat* FindReportFormat(std::string_view name);

// What a text for the screen is fitted to.
struct ScreenFacts {
  bool colored = false;  // with escape sequences of a terminal
  std::size_t columns = kColumnsOfFiles;
};

std::string FormatConsole(const TuneSummary& summary, const ScreenFacts& screen = {});
std::string FormatMarkdown(const TuneSummary& summary);
std::string FormatFrontJson(const TuneSummary& summary);
std::string FormatFrontCsv(const TuneSummary& summary);
std::string FormatHtml(const TuneSummary& summary);
std::string FormatHistograms(const TuneSummary& summary);
std::string FormatJUnit(const TuneSummary& summary);

// As fast as float32 as far as is known: the interval holds 1, or the difference is below 1 %.
bool IsTie(const Latency& latency);

// Texts of single figures, as all formats write them.
// "1.83x [1.81, 1.85]"; with " tie" behind it when the interval holds 1 or the difference is below
// 1 %.
std::string FormatSpeedUp(const Latency& latency);

// "1.83x [1.81, 1.85] the speed of fp32"; of a tie "as fast as fp32 (1.01x [0.99, 1.02])".
// `anchor`: Anchor::name.
std::string FormatSpeed(const Latency& latency, std::string_view anchor);

// "float32", or the name of another anchor.
std::string AnchorInWords(const std::string& anchor);

// "7 (digits.npy[7])"; the number alone where the name is not known; "-" for no sample.
std::string FormatWorstSample(const MetricValue& value);

// Accuracy of a point against float32: SQNR, or agreement where no output is floating. Unknown
// values are "-".
struct Nearness {
  std::string_view what;  // "SQNR", "agreement"
  std::string mean;       // "47.1 dB", "98.50 %"
  std::string worst;      // of a sample
};

Nearness NearnessOf(const Accuracy& accuracy);
// True for an agreement without SQNR: no output is floating.
bool IsJudgedByAgreement(const Accuracy& accuracy);
bool IsJudgedByAgreement(const TuneSummary& summary);
// A metric as the heading of a column: "metric" for a program of the user's, whose command line is
// too long.
std::string TitleOfMetric(const std::string& name);
// A value of a metric: "98.50 %" of agreement, the words of FormatSqnr(), else six digits.
std::string FormatMetric(std::string_view metric, double value);

// "latency: predicted for Ascend310P3, not measured; ...": note for a target other than this CPU;
// empty for "host".
std::string LatencyNote(std::string_view target, std::string_view runtime = {});

// Name of the source of latencies of this target in files: "host", "nothing: predicted".
std::string NameOfLatencySource(const RunFacts& run);

// The version of the layout of front.json, raised when a field changes its meaning or goes away.
inline constexpr int kFrontJsonSchemaVersion = 1;

}  // namespace halftone
