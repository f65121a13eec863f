// Table of the formats of `halftone export`, each with its writer.
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
  std::string_view flavour;  // empty: the format has no flavours
  // ExportFileName(); a name that begins with a dot is appended to the name of the network.
  std::string_view file;
  std::string_view read_by;  // ExportedPlan::read_by
  // ExportedPlan::command, with {file}, {model}, {flags} and other placeholders, which ExportPlan()
  // replaces.
  std::string_view command;
  std::string_view verified_by;  // ExportedPlan::verified_by
  std::string_view patches;      // PatchedFile()
  // Makes the file. ExportedPlan::command of the result has only the {flags}. Errors as
  // ExportPlan().
  ExportedPlan (*write)(const ExportSource& source);
};

// All rows. Rows with the same name are flavours of one format, the default flavour first.
std::span<const WriterRow> ExportWriters();

}  // namespace halftone
