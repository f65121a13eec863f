#include "src/api/write_outputs.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/precision/write_files.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

constexpr std::string_view kPointPrefix = "point_";

void WritePoint(FrontPoint& point, const std::filesystem::path& output, std::size_t number) {
  point.folder = fmt::format("{}{}", kPointPrefix, number);
  CreateFolder(output / point.folder);
  const OptionFiles files = WriteOptionFiles(point.trial.candidate.options);
  if (files.keep_dtype_cfg) {
    WriteFileAtomically(output / point.folder / kKeepDtypeFileName, *files.keep_dtype_cfg);
  }
  if (files.op_precision_ini) {
    WriteFileAtomically(output / point.folder / kOpPrecisionFileName, *files.op_precision_ini);
  }
  point.arguments.clear();
  std::string command_line;
  for (const std::string& argument : files.arguments) {
    const auto equals = argument.find('=');
    Argument parsed{argument.substr(0, equals), argument.substr(equals + 1)};
    command_line += argument + "\n";
    if (parsed.value == kKeepDtypeFileName || parsed.value == kOpPrecisionFileName) {
      parsed.value = point.folder + "/" + parsed.value;
    }
    point.arguments.push_back(std::move(parsed));
  }
  WriteFileAtomically(output / point.folder / "arguments.txt", command_line);
}

void RemoveOldPoints(const std::filesystem::path& output, std::size_t kept) {
  std::error_code error;
  for (std::size_t number = kept + 1;; ++number) {
    const auto folder = output / fmt::format("{}{}", kPointPrefix, number);
    if (!std::filesystem::is_directory(folder, error)) {
      return;
    }
    // Only files that this function writes; a folder that holds anything else stays.
    for (const auto name :
         {kKeepDtypeFileName, kOpPrecisionFileName, std::string_view("arguments.txt")}) {
      std::filesystem::remove(folder / name, error);
    }
    std::filesystem::remove(folder, error);
  }
}

}  // namespace

void CheckWritable(const std::filesystem::path& output) {
  const std::filesystem::path probe = output / ".halftone-probe";
  WriteFileAtomically(probe, "");
  std::error_code error;
  std::filesystem::remove(probe, error);
}

void WriteOutputs(TuneSummary& summary, const std::filesystem::path& output) {
  CreateFolder(output);
  for (std::size_t i = 0; i < summary.points.size(); ++i) {
    const std::filesystem::path folder = output / fmt::format("{}{}", kPointPrefix, i + 1);
    std::error_code error;
    std::filesystem::remove(folder / kKeepDtypeFileName, error);
    std::filesystem::remove(folder / kOpPrecisionFileName, error);
    WritePoint(summary.points[i], output, i + 1);
  }
  RemoveOldPoints(output, summary.points.size());
  for (const ReportFormat& format : AllReportFormats()) {
    if (!format.file_name.empty()) {
      WriteFileAtomically(output / format.file_name, format.format(summary));
    }
  }
}

}  // namespace halftone
