// RFC 4180: comma, double quotes doubled, one header line; numbers with full precision. Control
// characters in names become escapes first, so that a line is a point.
#include <fmt/format.h>

#include "src/base/text.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

std::string Quoted(std::string_view foreign) {
  std::string text = Printable(foreign);
  if (text.find_first_of(",\"") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') {
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace

std::string FormatFrontCsv(const TuneSummary& summary) {
  std::string text =
      "point,chosen,speed_up,speed_up_low,speed_up_high,median_s,reference_median_s,peak_arena_"
      "bytes,configuration,precision_mode,"
      "keep_dtype,plan_digest,folder,soc_version,latency_measured_on";
  for (const MetricRow& metric : AllMetrics()) {
    text += fmt::format(",{0}_mean,{0}_worst", metric.name);
  }
  text += "\n";
  for (std::size_t i = 0; i < summary.front.points.size(); ++i) {
    const FrontPoint& point = summary.front.points[i];
    const Measurement& measurement = point.measurement();
    const Latency& latency = measurement.latency;
    const PrecisionOptions& options = point.trial.candidate.options;
    const Interval interval = latency.speed_up_interval();
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", i + 1, summary.front.chosen == i ? 1 : 0,
        latency.speed_up(), interval.low, interval.high, latency.median_s, latency.anchor_median_s,
        measurement.peak_arena_bytes, Quoted(Summary(point.trial.candidate, *summary.run.words)),
        Quoted(options.precision_mode), Quoted(Join(options.keep_dtype, ";")),
        point.trial.plan_digest.ToHex(), Quoted(point.folder), Quoted(summary.run.target),
        Quoted(NameOfLatencySource(summary.run)));
    for (const MetricRow& metric : AllMetrics()) {
      const MetricValue* value = measurement.accuracy.Find(metric.name);
      text += value != nullptr ? fmt::format(",{},{}", value->mean, value->worst) : ",,";
    }
    text += "\n";
  }
  return text;
}

}  // namespace halftone
