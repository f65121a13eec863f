#include "src/api/point_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>

#include "src/api/export_plan.h"
#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/lack_of_memory.h"
#include "src/base/text.h"
#include "src/precision/plan_formats.h"
#include "src/precision/resolve/resolve.h"
#include "src/target/destinations.h"

namespace halftone {
namespace {

bool IsRounded(NumericFormat format) {
  return IsIn8Bits(format) || IsIn16Bits(format);
}

struct ModelRow {
  std::string_view format;  // of ParseExportFormat()
  std::string_view file;
  bool (*is_for)(NumericFormat format);  // plans that have such
  bool has_flavours = false;             // of a destination, where the target is one
};

// docs/guide/inference.md lists these rows.
constexpr ModelRow kModels[] = {
    {"onnx-mixed", "model_mixed.onnx", IsRounded},
    {"onnx-rounded", "model_rounded.onnx", IsRounded},
    {"onnx-qdq", "model_qdq.onnx", IsIn8Bits, true},
};

constexpr std::string_view kEnds[] = {"", ".data", ".export.json"};

// A sentence why it is not written; empty: it is, and `written` has its names.
std::string WriteModel(const std::filesystem::path& file, const Model& model,
                       const TargetSpec& target, const PrecisionOptions& options,
                       const ModelRow& row, const PointModels& wanted, WrittenModels& written) {
  const bool has_flavour = target.destination != nullptr && row.has_flavours;
  const std::string format =
      has_flavour ? fmt::format("{}:flavour={}", row.format, target.destination->flavour)
                  : std::string(row.format);
  const ExportedPlan exported = ExportPlan(model, target, options, ParseExportFormat(format),
                                           {.file = std::string(row.file), .patched = {}});
  const std::vector<std::string> names =
      WriteExported(exported, format, file, wanted.stop_requested);
  written.files.insert(names.begin(), names.end());
  return names.empty() ? "the run was stopped before it was written; halftone export writes it"
                       : "";
}

}  // namespace

std::vector<std::string> PointModelFormats() {
  std::vector<std::string> formats;
  for (const ModelRow& row : kModels) {
    formats.emplace_back(row.format);
  }
  return formats;
}

std::vector<std::string> ParsePointModels(std::string_view text) {
  const std::vector<std::string> all = PointModelFormats();
  if (text == "all") {
    return all;
  }
  std::vector<std::string> formats;
  for (const std::string_view part : Split(text, ',')) {
    formats.emplace_back(Trim(part));
    if (text != "none" && std::ranges::count(all, formats.back()) == 0) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--export={}: expected all, none, or some of {}, comma-separated",
                              text, Join(all, ", ")));
    }
  }
  return text == "none" ? std::vector<std::string>() : formats;
}

std::set<std::string> PointModelNames() {
  std::set<std::string> names;
  for (const ModelRow& row : kModels) {
    for (const std::string_view end : kEnds) {
      names.insert(fmt::format("{}{}", row.file, end));
    }
  }
  return names;
}

WrittenModels WritePointModels(const std::filesystem::path& folder, const Model& model,
                               const TargetSpec& target, const PrecisionOptions& options,
                               const PointModels& wanted) {
  WrittenModels written;
  const PrecisionPlan plan = ResolvePrecision(model.graph, options, target);
  for (const ModelRow& row : kModels) {
    if (std::ranges::count(wanted.formats, row.format) == 0 || !HasFormat(plan, row.is_for)) {
      continue;
    }
    std::string reason;
    bool failed = false;
    if (wanted.several_shapes) {
      reason =
          "the point is one of several input shapes; name one with --input_shape of halftone "
          "export";
    }
    if (reason.empty()) {
      try {
        reason = WriteModel(folder / row.file, model, target, options, row, wanted, written);
        failed = !reason.empty();
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::kInternal) {
          throw;
        }
        reason = error.what();
        failed = error.kind() == ErrorKind::kIo;
      } catch (const std::bad_alloc&) {
        std::array<char, kLackOfMemoryChars> text{};
        reason = LackOfMemory(text);
        failed = true;
      }
    }
    if (!reason.empty()) {
      if (failed && written.failure.empty()) {
        written.failure = fmt::format("{}: {}", (folder / row.file).string(), reason);
      }
      written.missing.emplace(row.file, std::move(reason));
    }
  }
  return written;
}

}  // namespace halftone
