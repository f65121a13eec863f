// --point=FOLDER: the options of a point of a front in place of typed ones, from any working
// directory.
#pragma once

#include <optional>
#include <string>

#include "src/api/options/point.h"
#include "src/cli/shared_options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace halftone {

void AddPointFlag(CLI::App& app, std::string& folder);

// --export of commands that write points, for ParsePointModels().
void AddPointModelsFlag(CLI::App& app, std::string& formats);

// --write_v2 of commands that write option files.
void AddWriteV2Flag(CLI::App& app, bool& write_v2);

// Reads the point and puts its target, input shapes, fusion switches and precision options into the
// flags; notes go to stderr. Empty for an empty `folder`: then the target is that of the options,
// with the library of an installation (TakeInstallation()). Options typed beside it:
//
//   the same value as the point names                   no effect
//   --status_check                                      wins: no plan depends on it
//   target, shapes or switches that the folder does     taken: folders without point.json do not
//   not name, where it has no point.json                name all that their plan depends on
//   any other option that plans depend on               Error kUsage
std::optional<Point> TakePoint(const std::string& folder, ModelFlags& model,
                               PrecisionArguments& precision);

// Note on stderr with OptionAdvice(); nothing where there is none.
void PrintAdvice(const PrecisionArguments& typed);

// LoadPrecision() of the merged options; files of a point may lie in a folder of any name. Advice
// on options that were typed without a point is a note.
LoadedPrecision LoadPrecisionOf(const std::optional<Point>& point,
                                const PrecisionArguments& precision, const TargetSpec& target);

// CheckPoint() where there is a point; its warnings go to stderr.
void RequirePlanOf(const std::optional<Point>& point, const Model& model, const TargetSpec& target,
                   const PrecisionOptions& options);

}  // namespace halftone
