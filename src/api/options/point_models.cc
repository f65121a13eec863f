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

// Why a file is not written.
struct Lack {
  std::string reason;   // a sentence; empty: it is written
  bool failed = false;  // neither the plan nor the network is the cause
};

class PointModelWriter {
 public:
  PointModelWriter(const std::filesystem::path& folder, const Model& model,
                   const TargetSpec& target, const PrecisionOptions& options,
                   const PointModels& wanted)
      : folder_(folder), model_(model), target_(target), options_(options), wanted_(wanted) {}

  WrittenModels Run() {
    const PrecisionPlan plan = ResolvePrecision(model_.graph, options_, target_);
    for (const ModelRow& row : kModels) {
      if (std::ranges::count(wanted_.formats, row.format) == 0 || !HasFormat(plan, row.is_for)) {
        continue;
      }
      Lack lack = TryToWrite(row);
      if (lack.reason.empty()) {
        continue;
      }
      if (lack.failed && written_.failure.empty()) {
        written_.failure = fmt::format("{}: {}", (folder_ / row.file).string(), lack.reason);
      }
      written_.missing.emplace(row.file, std::move(lack.reason));
    }
    return std::move(written_);
  }

 private:
  Lack TryToWrite(const ModelRow& row) {
    if (wanted_.several_shapes) {
      return {
          "the point is one of several input shapes; name one with --input_shape of halftone "
          "export"};
    }
    try {
      return Write(row);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kInternal) {
        throw;
      }
      return {error.what(), error.kind() == ErrorKind::kIo};
    } catch (const std::bad_alloc&) {
      std::array<char, kLackOfMemoryChars> text{};
      return {std::string(LackOfMemory(text)), true};
    }
  }

  Lack Write(const ModelRow& row) {
    const bool has_flavour = target_.destination != nullptr && row.has_flavours;
    const std::string format =
        has_flavour ? fmt::format("{}:flavour={}", row.format, target_.destination->flavour)
                    : std::string(row.format);
    const ExportedPlan exported = ExportPlan(model_, target_, options_, ParseExportFormat(format),
                                             {.file = std::string(row.file), .patched = {}});
    const std::vector<std::string> names =
        WriteExported(exported, format, folder_ / row.file, wanted_.stop_requested);
    if (names.empty()) {
      return {"the run was stopped before it was written; halftone export writes it", true};
    }
    written_.files.insert(names.begin(), names.end());
    return {};
  }

  const std::filesystem::path& folder_;
  const Model& model_;
  const TargetSpec& target_;
  const PrecisionOptions& options_;
  const PointModels& wanted_;
  WrittenModels written_;
};

}  // namespace

std::vector<std::string> PointModelFormats() {
  std::vector<std::string> formats;
  for (const ModelRow& row : kModels) {
    formats.emplace_back(row.format);
  }
  return formats;
}

std::vector<std::string> ParsePointModels(std::string_view text) {
  std::vector<std::string> all = PointModelFormats();
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
  return PointModelWriter(folder, model, target, options, wanted).Run();
}

}  // namespace halftone
