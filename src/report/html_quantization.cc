// Section of report.html on 8-bit tensors: tables, and a tensor and a weight that the reader
// chooses, drawn from the bounded histograms.json that the page carries.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.h"
#include "src/quantization/files/histogram_file.h"
#include "src/report/html_sections.h"
#include "src/report/html_text.h"
#include "src/report/quantization_tables.h"

namespace halftone {
namespace {

// Bounds of the page: 0.5 MB of histograms, 0.4 MB of pictures, 0.4 MB of rows at most.
constexpr std::size_t kMostPageHistograms = 200;
constexpr std::size_t kMostPagePictures = 100;
constexpr std::size_t kMostPageRows = 500;

// "" where all are shown.
std::string LeftOut(std::size_t count, std::size_t most, std::string_view noun) {
  return count <= most
             ? std::string()
             : fmt::format("<p>The first {} of {}; {} has all.</p>\n", most,
                           Counted(static_cast<std::int64_t>(count), noun), kHistogramsFile);
}

std::string Chooser(std::string_view id) {
  return fmt::format("<div class=\"choice\" id=\"{}\"></div>\n", id);
}

std::string TensorPart(const CalibrationRecord& record, const TuneSummary& summary) {
  const TextTable table = TensorTable(record, kMostPageRows, &summary);
  return Chooser("tensor-choice") +
         HtmlChart("histogram-chart",
                   "How many values of the chosen tensor lie where, over all samples; the counts "
                   "are logarithmic. Between the lines is the range that the 256 numbers cover; "
                   "values beyond it are clipped.") +
         LeftOut(record.tensors.size(), kMostPageRows, "tensor") +
         HtmlFolded(
             "All tensors as a table",
             "<div id=\"tensor-table\">\n" +
                 HtmlTable(table,
                           "Tensors that operators can hold in 8 bits: what the samples showed, "
                           "the range of the 256 numbers, and what that loses. Clipped energy: "
                           "the squared error of clipped values over the sum of squares of all. "
                           "SQNR: of this tensor alone, by its histogram") +
                 "</div>\n");
}

std::string WeightPart(const CalibrationRecord& record) {
  if (record.weights.empty()) {
    return {};
  }
  return "<h3>Weights, channel by channel</h3>\n" + Chooser("weight-choice") +
         HtmlChart("weight-chart",
                   "From the lowest to the highest weight of each result channel of the chosen "
                   "weight; a channel that is much shorter than others has few numbers of its own "
                   "where one scale is for all.") +
         LeftOut(record.weights.size(), kMostPageRows, "weight") +
         HtmlFolded(
             "All weights as a table",
             "<div id=\"weight-table\">\n" +
                 HtmlTable(
                     WeightTable(record, kMostPageRows),
                     record.per_channel_weights
                         ? "Scales of the result channels of constant weights, with the channel "
                           "factors of what they are multiplied with, and the largest shift that "
                           "bias correction adds to a channel"
                         : "Scales of constant weights, one for the tensor; and the largest shift "
                           "that bias correction adds to a channel") +
                 "</div>\n");
}

}  // namespace

std::string QuantizationSection(const TuneSummary& summary) {
  const CalibrationRecord* record = summary.insight.calibration.get();
  if (record == nullptr || record->tensors.empty()) {
    return {};
  }
  return HtmlSection("quantization", "Tensors in 8 bits",
                     fmt::format("<p>{}</p>\n", HtmlEscaped(CalibrationSentence(*record))) +
                         TensorPart(*record, summary) + WeightPart(*record));
}

std::string QuantizationData(const TuneSummary& summary) {
  const CalibrationRecord* record = summary.insight.calibration.get();
  if (record == nullptr || record->tensors.empty()) {
    return {};
  }
  CalibrationRecord bounded = Bounded(*record, kMostPageHistograms, kMostPagePictures);
  bounded.tensors.resize(std::min(bounded.tensors.size(), kMostPageRows));
  bounded.weights.resize(std::min(bounded.weights.size(), kMostPageRows));
  return "<script type=\"application/json\" id=\"histograms-json\">" +
         JsonForScript(WriteHistograms(bounded)) + "</script>\n";
}

}  // namespace halftone
