#include "src/api/export_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/export/onnx_qdq.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

constexpr std::string_view kQdq = "onnx-qdq";
constexpr std::string_view kFlavourOption = ":flavour=";

[[noreturn]] void RefuseFormat(std::string_view text) {
  throw Error(ErrorKind::kUsage, fmt::format("--to={} is no format; expected {}", text,
                                             Join(ExportFormatTexts(), ", ")));
}

QdqFlavour FlavourOf(const ExportFormat& format) {
  for (const auto& row : kQdqFlavours) {
    if (row.name == format.flavour) {
      return row.value;
    }
  }
  RefuseFormat(fmt::format("{}{}{}", format.name, kFlavourOption, format.flavour));
}

}  // namespace

std::vector<std::string> ExportFormatTexts() {
  std::vector<std::string> texts = {std::string(kQdq)};
  for (const auto& row : kQdqFlavours) {
    texts.push_back(fmt::format("{}{}{}", kQdq, kFlavourOption, row.name));
  }
  return texts;
}

ExportFormat ParseExportFormat(std::string_view text) {
  if (text == kQdq) {
    return {.name = std::string(kQdq), .flavour = std::string(kQdqFlavours[0].name)};
  }
  const std::string start = fmt::format("{}{}", kQdq, kFlavourOption);
  if (!text.starts_with(start)) {
    RefuseFormat(text);
  }
  ExportFormat format{.name = std::string(kQdq), .flavour = std::string(text.substr(start.size()))};
  static_cast<void>(FlavourOf(format));
  return format;
}

ExportedPlan ExportPlan(const Model& model, const TargetSpec& target,
                        const PrecisionOptions& options, const ExportFormat& format) {
  const PrecisionPlan plan = ResolvePrecision(model.graph, options, target);
  QdqModel written = WriteOnnxQdq(model.path, model.graph, plan, FlavourOf(format));
  if (written.tensors == 0 && written.products == 0) {
    throw Error(ErrorKind::kUsage,
                "the plan has no operator in 8 or 16 bits, so that its file would be the model "
                "itself; name a point of a tuning with --quantize=on");
  }
  return {.bytes = std::move(written.bytes),
          .summary = fmt::format("{} tensors rounded, {} operators with 8-bit weights, opset {}",
                                 written.tensors, written.products, written.opset),
          .notes = std::move(written.notes)};
}

}  // namespace halftone
