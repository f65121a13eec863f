// Options of a point of a front in place of typed ones (--point=FOLDER).
#pragma once

#include <optional>
#include <string>

#include "src/api/options/point.h"
#include "src/cli/parser_classes.h"
#include "src/cli/shared_options.h"

namespace halftone {

void AddPointFlag(CLI::App& app, std::string& folder);

// Adds --export, for commands that write points. ParsePointModels() reads `formats`.
void AddPointModelsFlag(CLI::App& app, std::string& formats);

// Adds --write_v2, for commands that write option files.
void AddWriteV2Flag(CLI::App& app, bool& write_v2);

// Reads the point, puts its target, input shapes, fusion switches and precision options into the
// flags, and prints its notes on standard error. An option that was typed beside --point has this
// effect:
//
//   the same value as in the point           none
//   --status_check                           it replaces that of the point, since no plan depends
//                                            on it
//   target, shapes or switches that a        it is used, since such a folder may lack options on
//   folder without point.json lacks          which its plan depends
//   any other option on which plans depend   Error kUsage
//
// For an empty `folder`, returns an empty result and calls TakeInstallation() for the target.
std::optional<Point> TakePoint(const std::string& folder, ModelFlags& model,
                               PrecisionArguments& precision);

// Prints OptionAdvice() as a note on standard error, if there is any.
void PrintAdvice(const PrecisionArguments& typed);

// Loads the options that TakePoint() merged. With a point, calls ReadPrecision(), since the folder
// of a point may have any name. Without one, calls LoadPrecision() and PrintAdvice().
LoadedPrecision LoadPrecisionOf(const std::optional<Point>& point,
                                const PrecisionArguments& precision, const TargetSpec& target);

// Calls CheckPoint() if there is a point, and prints its warnings on standard error.
void RequirePlanOf(const std::optional<Point>& point, const Model& model, const TargetSpec& target,
                   const PrecisionOptions& options);

}  // namespace halftone
