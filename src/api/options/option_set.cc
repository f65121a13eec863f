// Option sets as one text, read for `explain --diff` and written for `explain --output`.
#include <filesystem>

#include "src/api/halftone.h"
#include "src/api/load/plan_sources.h"
#include "src/api/options/option_folder.h"
#include "src/api/options/read_precision.h"
#include "src/api/options/set_arguments.h"
#include "src/base/file.h"
#include "src/precision/files/write_files.h"
#include "src/precision/resolve/resolve.h"
#include "src/precision/write/plan_writer.h"
#include "src/precision/write/v2_name.h"

namespace halftone {
namespace {

constexpr std::uintmax_t kMostBytes = 16U << 20U;  // of a file of options

SetArguments ReadSet(const std::string& text) {
  std::error_code error;
  const std::filesystem::path path = text;
  if (std::filesystem::is_directory(path, error)) {
    return ReadSetArguments(path);
  }
  if (!text.starts_with("-") && std::filesystem::is_regular_file(path, error)) {
    return ParseSetArguments(ReadSmallFile(path, kMostBytes), path.parent_path());
  }
  return ParseSetArguments(text, {});
}

}  // namespace

OptionSet LoadOptionSet(const std::string& text, const TargetOptions& target) {
  SetArguments arguments = ReadSet(text);
  const bool own_target =
      !arguments.target.soc_version.empty() || !arguments.target.ops_info.empty();
  OptionSet set{.target = LoadTarget(own_target ? arguments.target : target),
                .precision = {},
                .fusion_switch_file = std::move(arguments.fusion_switch_file),
                .shapes = std::move(arguments.shapes)};
  set.precision = ReadPrecision(arguments.precision, set.target);
  return set;
}

WrittenOptions WriteSmallestOptions(std::span<const Model> models, const TargetOptions& target,
                                    const PrecisionOptions& options,
                                    const std::filesystem::path& folder,
                                    const SmallestOptionsRequest& request) {
  const Model& model = models.front();
  const TargetSpec spec = LoadTarget(target);
  const PrecisionPlan plan =
      ResolvePrecision(model.graph, options, spec,
                       {.unknown_names_are_warnings = request.unknown_names_are_warnings});
  WrittenConfiguration written = ConfigurationFor(model.graph, plan, spec);
  if (request.v2_names) {
    written.options = WithV2Name(std::move(written.options));
  }
  const OptionFiles files = Joined(PlanSourcesOf(target, spec, models),
                                   WriteOptionFiles(written.options, model.fusion_switches));
  WriteOptionFolder(folder, files, RecordOf(model, spec.name, plan.Digest()));
  return {files.arguments, written.size, std::move(written.notes)};
}

}  // namespace halftone
