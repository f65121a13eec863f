#include "src/api/write_outputs.h"

#include <fmt/format.h>

#include "src/api/option_folder.h"
#include "src/base/file.h"
#include "src/base/output_file.h"
#include "src/precision/write_files.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

constexpr std::string_view kPointPrefix = "point_";

void WritePoint(FrontPoint& point, const std::string& fusion_switches,
                const std::filesystem::path& output, std::size_t number) {
  point.folder = fmt::format("{}{}", kPointPrefix, number);
  const OptionFiles files =
      WriteOptionFolder(output / point.folder, point.trial.candidate.options, fusion_switches);
  point.arguments.clear();
  for (const std::string& argument : files.arguments) {
    const auto equals = argument.find('=');
    Argument parsed{argument.substr(0, equals), argument.substr(equals + 1)};
    if (files.files.contains(parsed.value)) {
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

void WriteOutputs(TuneSummary& summary, const std::string& fusion_switches,
                  const std::filesystem::path& output) {
  CreateFolder(output);
  for (std::size_t i = 0; i < summary.points.size(); ++i) {
    WritePoint(summary.points[i], fusion_switches, output, i + 1);
  }
  RemoveOldPoints(output, summary.points.size());
  for (const ReportFormat& format : AllReportFormats()) {
    if (!format.file_name.empty()) {
      WriteFileAtomically(output / format.file_name, format.format(summary));
    }
  }
}

}  // namespace halftone
