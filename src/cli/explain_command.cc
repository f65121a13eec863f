#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "src/cli/command.h"
#include "src/cli/shared_options.h"

namespace halftone {
namespace {

struct ExplainFlags {
  ModelFlags model;
  PrecisionArguments precision;
};

}  // namespace

void DefineExplainCommand(CLI::App& app, int& /*exit_code*/) {
  auto flags = std::make_shared<ExplainFlags>();
  AddModelFlags(app, flags->model);
  AddPrecisionFlags(app, flags->precision);
  AddLaterOptions(app);
  app.final_callback([flags] {
    const LoadedPrecision loaded = LoadPrecision(flags->precision);
    PrintWarnings(loaded.warnings);
    const Model model = LoadModelOf(flags->model, "");
    fmt::print("{}", ExplainText(model, LoadTarget(flags->model.soc_version), loaded.options));
  });
}

}  // namespace halftone
