#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "src/api/export_plan.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/interrupt.h"
#include "src/cli/point_option.h"
#include "src/cli/shared_options.h"
#include "src/cli/target_flags.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

struct ExportFlags {
  ModelFlags model;
  PrecisionArguments precision;
  std::string point;
  std::vector<std::string> to = {ExportFormatTexts().front()};
  std::string file;
  std::string output;
  bool strict = false;
};

// Result over all points and formats.
struct Outcome {
  int written = 0;
  int refused = 0;  // plans that a format cannot say, and with --strict those that it loses from
};

// A network with a plan, and where its files go.
class PointExport {
 public:
  // `flags` are merged with those of the point. Errors as ReadPoint() and LoadModel().
  explicit PointExport(ExportFlags flags) : flags_(std::move(flags)) {
    const std::optional<Point> point = TakePoint(flags_.point, flags_.model, flags_.precision);
    target_ = LoadTargetOf(flags_.model.target);
    LoadedPrecision loaded = LoadPrecisionOf(point, flags_.precision, target_);
    PrintWarnings(loaded.warnings);
    model_ = LoadModelOf(flags_.model, {}, "export");
    options_ = std::move(loaded.options);
    RequirePlanOf(point, model_, target_, options_);
  }

  // Writes `output` with all files beside it. False: Ctrl-C came first, nothing is written. `about`
  // stands in front of each note.
  [[nodiscard]] bool Write(const ExportFormat& format, const fs::path& output,
                           const std::string& about = "") const {
    const std::string text = TextOf(format);
    std::error_code error;
    if (!PatchedFile(format).empty() && fs::equivalent(flags_.file, output, error)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}' is the file that is patched, and stays as it is; name another "
                              "--output",
                              output.string()));
    }
    const ExportedPlan exported =
        ExportPlan(model_, target_, options_, format,
                   {.file = output.filename().string(),
                    .patched = PatchedFile(format).empty() ? "" : flags_.file});
    for (const std::string& note : exported.notes) {
      PrintNote(about + note);
    }
    if (flags_.strict && !exported.notes.empty()) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("--strict: the {} file would not say all of the plan (notes above: "
                              "{}), so that nothing was written; leave out --strict to write it",
                              text, exported.notes.size()));
    }
    if (WriteExported(exported, text, output, InterruptGuard::Requested).empty()) {
      return false;
    }
    PrintLine(fmt::format("{}: {}", output.string(), exported.summary));
    return true;
  }

  // Every format into a folder. A plan that one of them cannot say is a warning.
  [[nodiscard]] Outcome WriteFormats(const std::vector<ExportFormat>& formats,
                                     const fs::path& folder) const {
    Outcome outcome;
    for (const ExportFormat& format : formats) {
      if (InterruptGuard::Requested()) {
        break;
      }
      const fs::path file =
          folder / (PatchedFile(format).empty() ? fs::path(ExportFileName(format, model_.name))
                                                : fs::path(flags_.file).filename());
      try {
        outcome.written += Write(format, file, file.string() + ": ") ? 1 : 0;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::kUnsupported && error.kind() != ErrorKind::kUsage) {
          throw;
        }
        PrintWarning(fmt::format("{} is not written: {}", file.string(), error.what()));
        ++outcome.refused;
      }
    }
    return outcome;
  }

 private:
  ExportFlags flags_;
  TargetSpec target_;
  Model model_;
  PrecisionOptions options_;
};

// The folders of the points of a front, in their order; empty: `folder` is a point itself.
std::vector<fs::path> PointsOf(const fs::path& folder) {
  std::vector<std::pair<int, fs::path>> points;
  std::error_code error;
  if (!folder.empty() && !fs::exists(folder / "arguments.txt", error)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      constexpr std::string_view kPoint = "point_";
      if (name.starts_with(kPoint) && entry.is_directory(error) && name.size() < 16 &&
          name.size() > kPoint.size() &&
          name.find_first_not_of("0123456789", kPoint.size()) == std::string::npos) {
        points.emplace_back(std::stoi(name.substr(kPoint.size())), entry.path());
      }
    }
  }
  std::ranges::sort(points);
  std::vector<fs::path> folders;
  folders.reserve(points.size());
  for (auto& [number, path] : points) {
    folders.push_back(std::move(path));
  }
  return folders;
}

std::vector<ExportFormat> FormatsOf(const ExportFlags& flags) {
  std::vector<ExportFormat> formats = ParseExportFormats(Join(flags.to, ","));
  const auto patching = std::ranges::count_if(
      formats, [](const ExportFormat& format) { return !PatchedFile(format).empty(); });
  if (patching > 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--to names {} formats that patch --file, which is one file; export "
                            "them one by one",
                            patching));
  }
  if (patching == 0 && !flags.file.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("--file={} is patched by none of the formats of "
                                               "--to={}; leave it out",
                                               flags.file, Join(flags.to, ",")));
  }
  return formats;
}

// Several formats, several points, or both.
int ExportFolder(const ExportFlags& flags, const std::vector<ExportFormat>& formats,
                 const std::vector<fs::path>& points) {
  const InterruptGuard interrupt;
  Outcome all;
  const auto add = [&](const ExportFlags& of_point, const fs::path& folder) {
    const Outcome outcome = PointExport(of_point).WriteFormats(formats, folder);
    all.written += outcome.written;
    all.refused += outcome.refused;
  };
  if (points.empty()) {
    add(flags, flags.output);
  }
  for (const fs::path& point : points) {
    if (!InterruptGuard::Requested()) {
      ExportFlags of_point = flags;
      of_point.point = point.string();
      add(of_point, fs::path(flags.output) / point.filename());
    }
  }
  if (InterruptGuard::Requested()) {
    PrintNote(fmt::format("interrupted: {} written whole", Counted(all.written, "file")));
    return kExitInterrupted;
  }
  if (all.written == 0 || (flags.strict && all.refused > 0)) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("{}{} of {} files were not written (warnings above)",
                    flags.strict ? "--strict: " : "", all.refused, all.written + all.refused));
  }
  return 0;
}

int Export(const ExportFlags& flags) {
  const std::vector<ExportFormat> formats = FormatsOf(flags);
  const std::vector<fs::path> points = PointsOf(flags.point);
  if (formats.size() > 1 || !points.empty()) {
    return ExportFolder(flags, formats, points);
  }
  const InterruptGuard interrupt;
  const PointExport point(flags);
  return !InterruptGuard::Requested() && point.Write(formats.front(), flags.output)
             ? kExitDone
             : kExitInterrupted;
}

}  // namespace

void DefineExportCommand(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<ExportFlags>();
  AddModelFlags(app, flags->model);
  AddPrecisionFlags(app, flags->precision);
  AddPointFlag(app, flags->point);
  app.add_option("--to", flags->to,
                 fmt::format("Formats, as a list or given several times: all, {} "
                             "(docs/guide/exporting.md)",
                             Join(ExportFormatTexts(), ", ")))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("TEXT")
      ->default_str(flags->to.front());
  app.add_option("--file", flags->file,
                 "File of the tool that is patched, for the formats that patch one; it stays as "
                 "it is, --output gets the result");
  app.add_option("--output", flags->output,
                 "File to write; OUTPUT.export.json beside it says what it is and what it lacks. "
                 "With several formats, or a front as --point, a folder")
      ->required();
  app.add_flag("--strict", flags->strict,
               "Write nothing where the file would not say all of the plan");
  app.final_callback([flags, &exit_code] { exit_code = Export(*flags); });
}

}  // namespace halftone
