#include "src/cli/point_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "src/api/options/option_advice.h"
#include "src/api/options/read_precision.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/cli/target_flags.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

// An option that no plan depends on (PrecisionPlan::Digest).
constexpr std::string_view kFree = "status_check";

enum class WithoutRecord : bool { kRefused, kTaken };

// One option, as it was typed and as the point has it; the first becomes what both say.
class Merge {
 public:
  explicit Merge(const Point& point) : point_(point) {}

  void Take(std::string_view option, std::string& typed, const std::string& of_point,
            WithoutRecord without_record) const {
    const bool open = !point_.record && of_point.empty() && without_record == WithoutRecord::kTaken;
    if (!typed.empty() && typed != of_point && !open && option != kFree) {
      Refuse(option, typed, of_point);
    }
    if (typed.empty()) {
      typed = of_point;
    }
  }

  void TakeShapes(DynamicShapes& typed) const {
    const DynamicShapes& of_point = point_.arguments.shapes;
    const std::string named = ListOf(of_point);
    if (const std::string given = ListOf(typed); given.empty()) {
      typed = of_point;
    } else if (given != named && (point_.record || !named.empty())) {
      Refuse("input_shape", given, named);
    }
  }

 private:
  // "" where nothing is given.
  static std::string ListOf(const DynamicShapes& shapes) {
    return Join(InputShapesOf(shapes), " --input_shape=");
  }

  [[noreturn]] void Refuse(std::string_view option, const std::string& typed,
                           const std::string& of_point) const {
    throw Error(ErrorKind::kUsage,
                fmt::format("--point={} {}, --{}={} says otherwise; leave one of them out",
                            point_.folder.string(),
                            of_point.empty() ? fmt::format("is a plan without --{}", option)
                                             : fmt::format("names --{}={}", option, of_point),
                            option, typed));
  }

  const Point& point_;
};

}  // namespace

void AddPointModelsFlag(CLI::App& app, std::string& formats) {
  app.add_option("--export", formats,
                 fmt::format("Model files in the folder of each point: all, none, or some of {} "
                             "(docs/guide/inference.md)",
                             Join(PointModelFormats(), ", ")))
      ->capture_default_str();
}

void AddWriteV2Flag(CLI::App& app, bool& write_v2) {
  app.add_flag("--write_v2", write_v2,
               "Files of options name the mode by --precision_mode_v2, where it has a name there");
}

void AddPointFlag(CLI::App& app, std::string& folder) {
  app.add_option("--point", folder,
                 "Folder of a point, as tune, aoe and explain --output write it: its target, input "
                 "shapes, fusion switches and precision options; what it was written for is "
                 "checked (docs/guide/inference.md)");
}

std::optional<Point> TakePoint(const std::string& folder, ModelFlags& model,
                               PrecisionArguments& precision) {
  if (folder.empty()) {
    TakeInstallation(model.target);
    return std::nullopt;
  }
  Point point = ReadPoint(folder);
  PrintNotes(point.notes);
  const SetArguments& named = point.arguments;
  const Merge merge(point);
  merge.Take("soc_version", model.target.soc_version, named.target.soc_version,
             WithoutRecord::kTaken);
  std::string ops_info = model.target.ops_info.string();
  merge.Take("ops_info", ops_info, named.target.ops_info.string(), WithoutRecord::kTaken);
  model.target.ops_info = ops_info;
  merge.Take("fusion_switch_file", model.fusion_switch_file, named.fusion_switch_file,
             WithoutRecord::kTaken);
  merge.TakeShapes(model.shapes);
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    merge.Take(row.name, precision.*row.argument, named.precision.*row.argument,
               WithoutRecord::kRefused);
  }
  return point;
}

void PrintAdvice(const PrecisionArguments& typed) {
  if (const std::string advice = OptionAdvice(typed); !advice.empty()) {
    PrintNote(advice);
  }
}

LoadedPrecision LoadPrecisionOf(const std::optional<Point>& point,
                                const PrecisionArguments& precision, const TargetSpec& target) {
  if (point) {
    return ReadPrecision(precision, target);
  }
  LoadedPrecision loaded = LoadPrecision(precision, target);
  PrintAdvice(precision);
  return loaded;
}

void RequirePlanOf(const std::optional<Point>& point, const Model& model, const TargetSpec& target,
                   const PrecisionOptions& options) {
  if (point) {
    PrintWarnings(CheckPoint(*point, model, target, options));
  }
}

}  // namespace halftone
