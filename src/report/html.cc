// report.html: one self-contained file. Words and tables are HTML; scripts draw the charts from the
// content of front.json, and of histograms.json where tensors are quantised. The security policy
// allows exactly these scripts and this style sheet, and no fetches, whatever names the model has.
#include <fmt/format.h>

#include "src/base/error.h"
#include "src/report/formats.h"
#include "src/report/html_sections.h"
#include "src/report/html_text.h"
#include "src/report/page_files.h"

namespace halftone {
namespace {

struct SectionRow {
  std::string_view id;
  std::string_view link;
  std::string (*section)(const TuneSummary&);
};

constexpr SectionRow kSections[] = {
    {"bounds", "bounds", BoundsSection},
    {"network", "network", NetworkSection},
    {"sensitivity", "operators", SensitivitySection},
    {"kept", "kept in float32", KeptSection},
    {"growth", "errors", GrowthSection},
    {"time", "time", TimeSection},
    {"quantization", "8 bits", QuantizationSection},
    {"prediction", "predictions", PredictionSection},
    {"data", "data", DataSection},
    {"reproduce", "reproduction", ReproductionSection},
};

std::string Policy() {
  const auto files = PageFiles();
  std::string scripts;
  for (const EmbeddedText& script : files.subspan(1)) {
    scripts += " " + PolicyHash(script.sha256);
  }
  return fmt::format(
      "default-src 'none'; script-src{}; style-src {}; base-uri 'none'; form-action 'none'",
      scripts, PolicyHash(files.front().sha256));
}

}  // namespace

std::string FormatHtml(const TuneSummary& summary) {
  const auto files = PageFiles();
  Check(files.size() > 1 && files.front().name == "report",
        "the page has a style sheet and scripts");
  const std::string name = HtmlEscaped(summary.run.model_name);
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" "
      "content=\"halftone {}\">\n<title>Precision front of {}</title>\n<style>{}</style>\n</head>\n"
      "<body>\n<header>\n<h1>Precision front of {}</h1>\n<p class=\"soft\">On {}, made at {} by "
      "halftone {}.</p>\n</header>\n<main>\n",
      Policy(), HtmlEscaped(summary.run.tool_version), name, files.front().text, name,
      HtmlEscaped(summary.run.target), HtmlEscaped(summary.run.created_at),
      HtmlEscaped(summary.run.tool_version));
  const std::string front = FrontSection(summary);
  text += VerdictSection(summary);
  std::string links = front.empty() ? "" : "<li><a href=\"#front\">front</a></li>\n";
  std::string sections;
  for (const SectionRow& row : kSections) {
    const std::string section = row.section(summary);
    if (!section.empty()) {
      links += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", row.id, row.link);
      sections += section;
    }
  }
  text +=
      "<noscript><p class=\"warning\">Charts need JavaScript; the tables hold the same "
      "figures.</p></noscript>\n";
  text += front + "<nav aria-label=\"Sections\"><ul>\n" + links + "</ul></nav>\n" + sections +
          "</main>\n";
  text += "<script type=\"application/json\" id=\"front-json\">" +
          JsonForScript(FormatFrontJson(summary)) + "</script>\n";
  text += QuantizationData(summary);
  for (const EmbeddedText& script : files.subspan(1)) {
    text += fmt::format("<script>{}</script>\n", script.text);
  }
  return text + "</body>\n</html>\n";
}

}  // namespace halftone
