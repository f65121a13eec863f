#include "halftone/export.h"

#include <fmt/format.h>

#include <system_error>

#include "src/api/export_plan.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/public/configured_network.h"

namespace halftone {

WrittenExport Export(const ConfiguredNetwork& network, const ExportRequest& request) {
  const ExportFormat format = ParseExportFormat(request.format);
  const std::string text = TextOf(format);
  std::error_code error;
  if (!request.patched.empty() &&
      std::filesystem::equivalent(request.patched, request.file, error)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("'{}' is the file that is patched, and stays as it is: name another "
                            "one to write",
                            request.file.string()));
  }
  const ConfiguredNetwork::Content& content = network.content();
  const std::string name = request.file.filename().string();
  const ExportedPlan exported =
      ExportPlan(content.models.front(), content.target, content.precision, format,
                 {.file = name, .patched = request.patched});
  if (request.strict && !exported.notes.empty()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("strict: the {} file would not say all of the plan, so that nothing "
                            "was written: {}",
                            text, Join(exported.notes, "; ")));
  }
  std::vector<std::string> files = WriteExported(exported, text, request.file);
  return {.record = ExportRecord(exported, text, name), .files = std::move(files)};
}

std::vector<std::string> WriteOptions(const ConfiguredNetwork& network,
                                      const std::filesystem::path& folder, bool write_v2) {
  const ConfiguredNetwork::Content& content = network.content();
  return WriteSmallestOptions({&content.models.front(), 1}, content.target_options,
                              content.precision, folder, {.v2_names = write_v2})
      .arguments;
}

}  // namespace halftone
