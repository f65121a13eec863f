#include "src/report/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/report/tune_summary.h"

namespace halftone {
namespace {

struct SeverityRow {
  Severity severity;
  std::string_view command;    // of a workflow command of GitHub
  std::string_view word;       // for readers
  std::string_view rendition;  // Select Graphic Rendition (ECMA-48)
};

constexpr SeverityRow kSeverities[] = {
    {Severity::kNotice, "notice", "NOTICE", "1;32"},
    {Severity::kWarning, "warning", "WARNING", "1;33"},
    {Severity::kError, "error", "ERROR", "1;31"},
};

const SeverityRow& RowOf(Severity severity) {
  const auto* const row = std::ranges::find(kSeverities, severity, &SeverityRow::severity);
  Check(row != std::end(kSeverities), "every severity has a row");
  return *row;
}

// Percent-encodes what ends a field: https://docs.github.com/actions/reference/workflow-commands.
std::string Encoded(std::string_view text, std::string_view special) {
  std::string encoded;
  for (const char c : Printable(text)) {
    encoded += special.find(c) == std::string_view::npos
                   ? std::string(1, c)
                   : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

std::string GitHubLine(const Annotation& annotation) {
  return fmt::format("::{} title={}::{}\n", RowOf(annotation.severity).command,
                     Encoded(annotation.title, "%:,"), Encoded(annotation.message, "%"));
}

// A job log of GitLab shows the colours.
std::string GitLabLine(const Annotation& annotation) {
  const SeverityRow& row = RowOf(annotation.severity);
  return fmt::format("\x1b[{}m{}: {}\x1b[0m: {}\n", row.rendition, row.word,
                     Printable(annotation.title), Printable(annotation.message));
}

constexpr AnnotationStyle kStyles[] = {
    {"github", "::error title=...::..., shown beside the change", GitHubLine},
    {"gitlab", "ERROR: ... in colour, as job logs show it", GitLabLine},
};

}  // namespace

std::span<const AnnotationStyle> AllAnnotationStyles() {
  return kStyles;
}

const AnnotationStyle& AnnotationStyleNamed(std::string_view name) {
  std::vector<std::string> names;
  for (const AnnotationStyle& style : kStyles) {
    if (style.name == name) {
      return style;
    }
    names.emplace_back(style.name);
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("--annotations={}: expected one of {}", Shown(name), Join(names, ", ")));
}

std::string FormatAnnotations(std::vector<Annotation> annotations, const AnnotationStyle& style) {
  std::ranges::stable_sort(annotations, std::ranges::greater(), &Annotation::severity);
  std::string text;
  for (const Annotation& annotation : annotations) {
    text += style.line(annotation);
  }
  return text;
}

std::vector<Annotation> AnnotationsOf(std::span<const GateResult> gates, std::string_view command) {
  std::vector<Annotation> annotations;
  for (const GateResult& result : gates) {
    if (!result.passed) {
      annotations.push_back(
          {.severity = Severity::kError,
           .title = fmt::format("halftone {}: gate {}", command, result.gate.text),
           .message = fmt::format("expected {}, found {}{}", result.expected, result.found,
                                  result.point.empty() ? "" : fmt::format(", {}", result.point))});
    }
  }
  return annotations;
}

std::vector<Annotation> AnnotationsOf(const TuneSummary& summary) {
  const Verdict& verdict = summary.outcome.verdict;
  std::vector<Annotation> annotations = AnnotationsOf(summary.outcome.gates, "tune");
  // Where no promise was asked for, a bound that is met on the samples is all that was.
  const bool unpromised = verdict.kind == VerdictKind::kMetOnSamples && summary.confidence;
  const Severity severity = !verdict.satisfied ? Severity::kError
                            : unpromised       ? Severity::kWarning
                                               : Severity::kNotice;
  annotations.push_back(
      {.severity = severity,
       .title = fmt::format("halftone tune: {}, {}", summary.run.model_name, LabelOf(verdict.kind)),
       .message = verdict.sentence});
  return annotations;
}

}  // namespace halftone
