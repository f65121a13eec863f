// The formats of `halftone export`: one row each, with its writer.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/api/export_plan.h"

namespace halftone {

// Input of a writer.
struct ExportSource {
  const Model& model;
  const PrecisionPlan& plan;
  const ExportPlace& place;
};

struct WriterRow {
  std::string_view name;
  std::string_view flavour;  // empty: it has none
  // Name in a folder; one that begins with a dot is appended to the network's name.
  std::string_view file;
  std::string_view read_by;  // tools and their versions
  // In a shell, with {file}, {model}, {flags} and the other words of Filled() (export_plan.cc).
  std::string_view command;
  std::string_view verified_by;  // ExportedPlan::verified_by
  std::string_view patches;      // PatchedFile()
  // Writes the file; ExportedPlan::command holds only the flags. Errors as ExportPlan().
  ExportedPlan (*write)(const ExportSource& source);
};

// Rows with one name are its flavours, the default first.
std::span<const WriterRow> ExportWriters();

}  // namespace halftone
