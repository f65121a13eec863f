#include "src/api/write_outputs.h"

#include <fmt/format.h>

#include "src/api/measured_point.h"
#include "src/api/option_folder.h"
#include "src/api/plan_sources.h"
#include "src/base/file.h"
#include "src/base/output_file.h"
#include "src/precision/write_files.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

constexpr std::string_view kPointPrefix = "point_";

// Also where it is a folder of files.
bool NamesFile(const OptionFiles& files, const Argument& argument) {
  const auto first = files.files.lower_bound(argument.value);
  return first != files.files.end() &&
         (first->first == argument.value || first->first.starts_with(argument.value + "/"));
}

// `sources` and `measured`: of the point.
void WritePoint(FrontPoint& point, const Model& model, std::string_view target,
                const OptionFiles& sources, std::string measured,
                const std::filesystem::path& output) {
  const OptionFiles files = WritePointFolder(output / point.folder, point.trial, model, target,
                                             sources, std::move(measured));
  point.arguments.clear();
  for (const std::string& argument : files.arguments) {
    const auto equals = argument.find('=');
    Argument parsed{argument.substr(0, equals), argument.substr(equals + 1)};
    if (NamesFile(files, parsed)) {
      parsed.value = point.folder + "/" + parsed.value;
    }
    point.arguments.push_back(std::move(parsed));
  }
}

void RemoveOldPoints(const std::filesystem::path& output, std::size_t kept) {
  std::error_code error;
  for (std::size_t number = kept + 1;; ++number) {
    const auto folder = output / fmt::format("{}{}", kPointPrefix, number);
    if (!std::filesystem::is_directory(folder, error)) {
      return;
    }
    RemoveOptionFolder(folder);
  }
}

}  // namespace

void CheckWritable(const std::filesystem::path& output) {
  for (const ReportFormat& format : AllReportFormats()) {
    if (!format.file_name.empty()) {
      OutputFile::Check(output / format.file_name);
    }
  }
}

OptionFiles WritePointFolder(const std::filesystem::path& folder, const Trial& trial,
                             const Model& model, std::string_view target,
                             const OptionFiles& sources, std::string measured) {
  OptionFiles files =
      Joined(sources, WriteOptionFiles(trial.candidate.options, model.fusion_switches));
  PointRecord record = RecordOf(model, target, trial.plan_digest);
  record.measured = std::move(measured);
  WriteOptionFolder(folder, files, std::move(record));
  return files;
}

void WriteOutputs(TuneSummary& summary, const Model& model, const OptionFiles& sources,
                  const std::filesystem::path& output) {
  CreateFolder(output);
  std::vector<std::string> measured = MeasuredPoints(summary);
  for (std::size_t i = 0; i < summary.points.size(); ++i) {
    summary.points[i].folder = fmt::format("{}{}", kPointPrefix, i + 1);
    WritePoint(summary.points[i], model, summary.target, sources, std::move(measured[i]), output);
  }
  RemoveOldPoints(output, summary.points.size());
  for (const ReportFormat& format : AllReportFormats()) {
    if (!format.file_name.empty()) {
      WriteFileAtomically(output / format.file_name, format.format(summary));
    }
  }
}

}  // namespace halftone
