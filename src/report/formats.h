// Report formats: a table with one function for each.
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
  std::string_view file_name;  // name under --output; empty: for the screen
  std::string_view meaning;
  // An empty text if the run has no data for the format; the file is then not written.
  std::string (*format)(const TuneSummary&);
};

std::span<const ReportFormat> AllReportFormats();
// Null if no format has the name.
const ReportFormat* FindReportFormat(std::string_view name);

// Properties of the screen that a text is fitted to.
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

// True if the latency cannot be told from that of the anchor: the interval of the speed-up holds 1,
// or the difference is below 1 %. False for a prediction.
bool IsTie(const Latency& latency);

// The functions below give the texts of single figures, as all formats write them.
//
// "1.830x [1.810, 1.850]", with " tie" behind it if IsTie(). "1.830x (predicted)" for a prediction.
std::string FormatSpeedUp(const Latency& latency);

// "1.830x [1.810, 1.850] the speed of fp32"; for a tie "as fast as fp32 (1.010x [0.990, 1.020])".
// `anchor` is Anchor::name.
std::string FormatSpeed(const Latency& latency, std::string_view anchor);

// "float32", or the name of another anchor.
std::string AnchorInWords(const std::string& anchor);

// "7 (digits.npy[7])"; "7" if the sample has no name; "-" if there is no sample.
std::string FormatWorstSample(const MetricValue& value);

// Accuracy of a point against float32: SQNR, or agreement if no output is floating. An unknown
// value is "-".
struct Nearness {
  std::string_view what;  // "SQNR", "agreement"
  std::string mean;       // "47.1 dB", "98.50 %"
  std::string worst;      // of the worst sample
};

Nearness NearnessOf(const Accuracy& accuracy);
// True if there is an agreement and no SQNR: no output is floating.
bool IsJudgedByAgreement(const Accuracy& accuracy);
// True if that holds for every point of the front; false without points.
bool IsJudgedByAgreement(const TuneSummary& summary);
// Heading of a metric's column: its name. "metric" for a program of the user, whose command line is
// too long.
std::string TitleOfMetric(const std::string& name);
// Text of a metric's value: "98.50 %" for agreement, a word of WordOfValue() ("exact", "not
// finite"), or a number of six digits.
std::string FormatMetric(std::string_view metric, double value);

// Note on latencies that this CPU did not measure: "latency and accuracy: of RUNTIME" for a
// runtime, whatever the target; "latency: predicted for Ascend310P3, not measured; ..." for another
// target than "host". Empty for "host" without a runtime.
std::string LatencyNote(std::string_view target, std::string_view runtime = {});

// Source of the latencies, as files name it: the runtime if there is one; else "host" for that
// target, and "nothing: predicted" for others.
std::string NameOfLatencySource(const RunFacts& run);

// The version of the layout of front.json, raised when a field changes its meaning or goes away.
inline constexpr int kFrontJsonSchemaVersion = 1;

}  // namespace halftone
