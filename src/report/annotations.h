// Lines that a CI service shows beside a change: the outcome of a run and every gate that failed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/report/gates.h"

namespace halftone {

struct TuneSummary;

enum class Severity : std::uint8_t { kNotice, kWarning, kError };

struct Annotation {
  Severity severity = Severity::kNotice;
  std::string title;    // "halftone tune: gate sqnr_db<40"
  std::string message;  // one sentence or more
};

struct AnnotationStyle {
  std::string_view name;  // value of --annotations
  std::string_view meaning;
  std::string (*line)(const Annotation& annotation);  // with its line break
};

std::span<const AnnotationStyle> AllAnnotationStyles();

// Error kUsage: no style has the name.
const AnnotationStyle& AnnotationStyleNamed(std::string_view name);

// The lines of the annotations, errors first.
std::string FormatAnnotations(std::vector<Annotation> annotations, const AnnotationStyle& style);

// An error for each gate that failed. Its title begins with "halftone <command>".
std::vector<Annotation> AnnotationsOf(std::span<const GateResult> gates, std::string_view command);

// The verdict of a search, and an error for each gate that failed.
std::vector<Annotation> AnnotationsOf(const TuneSummary& summary);

}  // namespace halftone
