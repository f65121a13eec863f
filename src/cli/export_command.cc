#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "src/api/export_plan.h"
#include "src/base/error.h"
#include "src/base/output_file.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/point_option.h"
#include "src/cli/shared_options.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

struct ExportFlags {
  ModelFlags model;
  PrecisionArguments precision;
  std::string point;
  std::string to = ExportFormatTexts().front();
  std::string output;
  bool strict = false;
};

void Export(ExportFlags& flags) {
  const ExportFormat format = ParseExportFormat(flags.to);
  const std::optional<Point> point = TakePoint(flags.point, flags.model, flags.precision);
  const TargetSpec target = LoadTargetOf(flags.model.target);
  const LoadedPrecision loaded = LoadPrecisionOf(point, flags.precision, target);
  PrintWarnings(loaded.warnings);
  const Model model = LoadModelOf(flags.model, {}, "export");
  RequirePlanOf(point, model, target, loaded.options);
  const ExportedPlan exported = ExportPlan(model, target, loaded.options, format);
  PrintNotes(exported.notes);
  if (flags.strict && !exported.notes.empty()) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("--strict: the {} file would not say all of the plan (notes above: {}), "
                    "so that nothing was written; leave out --strict to write it",
                    flags.to, exported.notes.size()));
  }
  OutputFile file(flags.output);
  file.Write(exported.bytes);
  file.Finish();
  const std::filesystem::path path(flags.output);
  OutputFile record(flags.output + ".export.json");
  record.Write(ExportRecord(exported, flags.to, path.filename().string()));
  record.Finish();
  PrintLine(fmt::format("{}: {}", flags.output, exported.summary));
}

}  // namespace

void DefineExportCommand(CLI::App& app, int& /*exit_code*/) {
  auto flags = std::make_shared<ExportFlags>();
  AddModelFlags(app, flags->model);
  AddPrecisionFlags(app, flags->precision);
  AddPointFlag(app, flags->point);
  app.add_option(
         "--to", flags->to,
         fmt::format("Format of the file: {} (docs/exporting.md)", Join(ExportFormatTexts(), ", ")))
      ->capture_default_str();
  app.add_option("--output", flags->output,
                 "File to write; OUTPUT.export.json beside it says what it is and what it lacks")
      ->required();
  app.add_flag("--strict", flags->strict,
               "Write nothing where the file would not say all of the plan");
  app.final_callback([flags] { Export(*flags); });
}

}  // namespace halftone
