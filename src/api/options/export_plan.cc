#include "src/api/export_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <utility>

#include "src/api/options/export_writers.h"
#include "src/base/error.h"
#include "src/base/shell_words.h"
#include "src/base/text.h"
#include "src/onnx/model_file.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

constexpr std::string_view kFlavourOption = ":flavour=";
constexpr std::string_view kAllFormats = "all";

std::string TextOf(const WriterRow& row) {
  return row.flavour.empty() ? std::string(row.name)
                             : fmt::format("{}{}{}", row.name, kFlavourOption, row.flavour);
}

const WriterRow& RowOf(const ExportFormat& format) {
  const std::span<const WriterRow> rows = ExportWriters();
  const auto found = std::ranges::find_if(rows, [&](const WriterRow& row) {
    return row.name == format.name && row.flavour == format.flavour;
  });
  if (found == rows.end()) {
    throw Error(ErrorKind::kInternal, fmt::format("no format {}", format.name));
  }
  return *found;
}

// `text` with each key between braces replaced by its value.
std::string Filled(std::string_view text,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
  std::string filled;
  while (!text.empty()) {
    const auto* const value = std::ranges::find_if(
        values, [&](const auto& pair) { return text.starts_with(pair.first); });
    filled += value == values.end() ? text.substr(0, 1) : value->second;
    text.remove_prefix(value == values.end() ? 1 : value->first.size());
  }
  return filled;
}

// The weights beside an IR of OpenVINO.
std::string WeightsOf(std::filesystem::path ir) {
  return ir.replace_extension(".bin").string();
}

std::filesystem::path Absolute(const std::filesystem::path& path) {
  return path.empty() ? path : std::filesystem::absolute(path);
}

// "net" of "net.quantization.cfg".
std::string StemOf(const std::string& file) {
  return file.substr(0, file.find('.'));
}

void CheckPatched(const WriterRow& row, const ExportPlace& place) {
  if (row.patches.empty() && !place.patched.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("--to={} patches no file; leave out --file={}",
                                               TextOf(row), place.patched.string()));
  }
  if (!row.patches.empty() && place.patched.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--to={} patches {}: name it with --file", TextOf(row), row.patches));
  }
}

}  // namespace

std::string TextOf(const ExportFormat& format) {
  return TextOf(RowOf(format));
}

std::string ExportFileName(const ExportFormat& format, const std::string& network) {
  const std::string_view file = RowOf(format).file;
  return (file.starts_with('.') ? network : "") + std::string(file);
}

std::string_view PatchedFile(const ExportFormat& format) {
  return RowOf(format).patches;
}

std::vector<std::string> ExportFormatTexts() {
  std::vector<std::string> texts;
  for (const WriterRow& row : ExportWriters()) {
    if (std::string name(row.name); !row.flavour.empty() && std::ranges::count(texts, name) == 0) {
      texts.push_back(std::move(name));
    }
    texts.push_back(TextOf(row));
  }
  return texts;
}

ExportFormat ParseExportFormat(std::string_view text) {
  const std::span<const WriterRow> rows = ExportWriters();
  const auto found = std::ranges::find_if(
      rows, [&](const WriterRow& row) { return row.name == text || TextOf(row) == text; });
  if (found == rows.end()) {
    throw Error(ErrorKind::kUsage, fmt::format("--to={} is no format; expected {}, {}", text,
                                               kAllFormats, Join(ExportFormatTexts(), ", ")));
  }
  return {.name = std::string(found->name), .flavour = std::string(found->flavour)};
}

std::vector<ExportFormat> ParseExportFormats(std::string_view list) {
  std::vector<ExportFormat> formats;
  const auto add = [&](ExportFormat format) {
    if (std::ranges::find(formats, format) == formats.end()) {
      formats.push_back(std::move(format));
    }
  };
  for (const std::string_view text : Split(list, ',')) {
    if (text != kAllFormats) {
      add(ParseExportFormat(text));
      continue;
    }
    for (const WriterRow& row : ExportWriters()) {
      if (row.patches.empty()) {
        add({.name = std::string(row.name), .flavour = std::string(row.flavour)});
      }
    }
  }
  return formats;
}

ExportedPlan ExportPlan(const Model& model, const TargetSpec& target,
                        const PrecisionOptions& options, const ExportFormat& format,
                        const ExportPlace& place) {
  CheckPatched(RowOf(format), place);
  return ExportPlan(model, ResolvePrecision(model.graph, options, target), format, place);
}

ExportedPlan ExportPlan(const Model& model, const PrecisionPlan& plan, const ExportFormat& format,
                        const ExportPlace& place) {
  const WriterRow& row = RowOf(format);
  CheckPatched(row, place);
  const ExportSource source{model, plan, place};
  ExportedPlan exported = row.write(source);
  exported.read_by = row.read_by;
  exported.command =
      Filled(row.command, {{"{file}", ShellWord(place.file)},
                           {"{model}", ShellWord(ModelFile(model.path).filename().string())},
                           {"{weights}", ShellWord(WeightsOf(Absolute(place.patched)))},
                           {"{param}", ShellWord("param=" + place.file)},
                           {"{bin}", ShellWord(WeightsOf(place.file))},
                           {"{stem}", ShellWord(StemOf(place.file))},
                           {"{flags}", exported.command}});
  exported.verified_by = row.verified_by;
  exported.plan = plan.Digest();
  return exported;
}

}  // namespace halftone
