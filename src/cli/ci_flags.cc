#include "src/cli/ci_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "src/base/output_file.h"
#include "src/cli/terminal.h"

namespace halftone {

void AddCiFlags(CLI::App& app, CiFlags& flags, std::string_view judged) {
  app.add_option(
         "--fail_if", flags.fail_if,
         fmt::format("Gate for CI, such as sqnr_db<40, latency_ratio>0.9 or promised_sqnr_db<38: "
                     "exit code 4 when {} is so; several with commas, or the option again",
                     judged))
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--junit", flags.junit, "File for the verdict and the gates as JUnit XML");
  std::string styles;
  for (const AnnotationStyle& style : AllAnnotationStyles()) {
    styles += fmt::format("{}{} ({})", styles.empty() ? "" : ", ", style.name, style.meaning);
  }
  app.add_option(
      "--annotations", flags.annotations,
      fmt::format("Last lines for a CI service, the verdict and each gate that failed: {}",
                  styles));
}

std::vector<Gate> GatesIn(const CiFlags& flags) {
  std::vector<Gate> gates;
  for (const std::string& text : flags.fail_if) {
    gates.push_back(ParseGate(text));
  }
  return gates;
}

void CheckCiFlags(const CiFlags& flags) {
  if (!flags.annotations.empty()) {
    AnnotationStyleNamed(flags.annotations);
  }
  if (!flags.junit.empty()) {
    OutputFile::Check(flags.junit);
  }
}

void PrintAnnotations(const CiFlags& flags, const std::vector<Annotation>& annotations) {
  if (!flags.annotations.empty()) {
    PrintText(FormatAnnotations(annotations, AnnotationStyleNamed(flags.annotations)),
              Colors::kYes);
  }
}

}  // namespace halftone
