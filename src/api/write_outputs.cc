#include "src/api/write_outputs.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/precision/write_files.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

constexpr std::string_view kPointPrefix = "point_";
constexpr std::string_view kArgumentsFile = "arguments.txt";

void RemoveOptionFiles(const std::filesystem::path& folder) {
  for (const std::string_view name : OptionFileNames()) {
    std::error_code error;
    std::filesystem::remove(folder / name, error);
  }
}

void WritePoint(FrontPoint& point, const std::string& fusion_switches,
                const std::filesystem::path& output, std::size_t number) {
  point.folder = fmt::format("{}{}", kPointPrefix, number);
  CreateFolder(output / point.folder);
  const OptionFiles files = WriteOptionFiles(point.trial.candidate.options, fusion_switches);
  for (const auto& [name, content] : files.files) {
    WriteFileAtomically(output / point.folder / name, content);
  }
  point.arguments.clear();
  std::string command_line;
  for (const std::string& argument : files.arguments) {
    const auto equals = argument.find('=');
    Argument parsed{argument.substr(0, equals), argument.substr(equals + 1)};
    command_line += argument + "\n";
    if (files.files.contains(parsed.value)) {
      parsed.value = point.folder + "/" + parsed.value;
    }
    point.arguments.push_back(std::move(parsed));
  }
  WriteFileAtomically(output / point.folder / kArgumentsFile, command_line);
}

void RemoveOldPoints(const std::filesystem::path& output, std::size_t kept) {
  std::error_code error;
  for (std::size_t number = kept + 1;; ++number) {
    const auto folder = output / fmt::format("{}{}", kPointPrefix, number);
    if (!std::filesystem::is_directory(folder, error)) {
      return;
    }
    RemoveOptionFiles(folder);
    std::filesystem::remove(folder / kArgumentsFile, error);
    std::filesystem::remove(folder, error);  // a folder that holds anything else stays
  }
}

}  // namespace

void CheckWritable(const std::filesystem::path& output) {
  const std::filesystem::path probe = output / ".halftone-probe";
  WriteFileAtomically(probe, "");
  std::error_code error;
  std::filesystem::remove(probe, error);
}

void WriteOutputs(TuneSummary& summary, const std::string& fusion_switches,
                  const std::filesystem::path& output) {
  CreateFolder(output);
  for (std::size_t i = 0; i < summary.points.size(); ++i) {
    RemoveOptionFiles(output / fmt::format("{}{}", kPointPrefix, i + 1));
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
