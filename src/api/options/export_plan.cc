#include "src/api/export_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/export/encodings.h"
#include "src/export/mindspore_plan.h"
#include "src/export/onnx_mixed.h"
#include "src/export/onnx_qdq.h"
#include "src/export/tensorrt_arguments.h"
#include "src/onnx/model_file.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

constexpr std::string_view kFlavourOption = ":flavour=";

// What a writer gets.
struct Source {
  const Model& model;
  const PrecisionPlan& plan;
};

[[noreturn]] void RefuseUniform() {
  throw Error(ErrorKind::kUsage,
              "the plan has no operator in 8 or 16 bits, so that its file would be the model "
              "itself; name a point of a tuning");
}

ExportedPlan Rounded(const Source& source, QdqFlavour flavour) {
  QdqModel written = WriteOnnxQdq(source.model.path, source.model.graph, source.plan, flavour);
  if (written.tensors == 0 && written.products == 0) {
    RefuseUniform();
  }
  return {.bytes = std::move(written.bytes),
          .summary = fmt::format("{} tensors rounded, {} operators with 8-bit weights, opset {}",
                                 written.tensors, written.products, written.opset),
          .notes = std::move(written.notes)};
}

ExportedPlan ForOrt(const Source& source) {
  return Rounded(source, QdqFlavour::kOrt);
}

ExportedPlan ForTensorRt(const Source& source) {
  return Rounded(source, QdqFlavour::kTensorRt);
}

ExportedPlan TensorRtArguments(const Source& source) {
  ExportedText written = WriteTensorRtArguments(ModelFile(source.model.path).string(),
                                                source.model.graph, source.plan);
  return {.bytes = std::move(written.text),
          .summary = "arguments of trtexec",
          .notes = std::move(written.notes)};
}

ExportedPlan Encodings(const Source& source, AimetVersion version) {
  ExportedText written = WriteEncodings(source.model.graph, source.plan, version);
  return {.bytes = std::move(written.text),
          .summary = "encodings of all tensors",
          .notes = std::move(written.notes)};
}

ExportedPlan Encodings100(const Source& source) {
  return Encodings(source, AimetVersion::k100);
}

ExportedPlan Encodings061(const Source& source) {
  return Encodings(source, AimetVersion::k061);
}

ExportedPlan MindSporePlan(const Source& source) {
  ExportedText written = WriteMindSporePlan(source.model.graph, source.plan);
  return {.bytes = std::move(written.text),
          .summary = "execution plan of MindSpore Lite",
          .notes = std::move(written.notes)};
}

ExportedPlan Mixed(const Source& source) {
  MixedModel written = WriteOnnxMixed(source.model.path, source.model.graph, source.plan);
  if (written.low_operators == 0 && written.casts == 0) {
    RefuseUniform();
  }
  return {.bytes = std::move(written.bytes),
          .summary = fmt::format("{} operators in 16 bits, {} Casts, opset {}",
                                 written.low_operators, written.casts, written.opset),
          .notes = std::move(written.notes)};
}

// docs/exporting.md lists these rows. Those of one name are its flavours, the default first.
struct WriterRow {
  std::string_view name;
  std::string_view flavour;
  std::string_view read_by;  // tools and their versions
  ExportedPlan (*write)(const Source& source);
};

constexpr WriterRow kWriters[] = {
    {"onnx-qdq", "ort", "ONNX Runtime from 1.17, OpenVINO, QNN", ForOrt},
    {"onnx-qdq", "tensorrt", "TensorRT from 8", ForTensorRt},
    {"onnx-rounded", "", "any runtime of ONNX that keeps pairs of Casts: ONNX Runtime from 1.17",
     ForOrt},
    {"onnx-mixed", "", "TensorRT 10 --stronglyTyped and 11, ONNX Runtime on GPUs, ATC", Mixed},
    {"encodings", "1.0.0", "QAIRT and QNN converters, --quantization_overrides", Encodings100},
    {"encodings", "0.6.1", "QNN and SNPE converters, --quantization_overrides", Encodings061},
    {"trtexec", "", "trtexec of TensorRT 8.6 to 10.x", TensorRtArguments},
    {"mindspore-lite", "", "Model::LoadConfig() of MindSpore Lite", MindSporePlan},
};

const WriterRow* Find(std::string_view name, std::string_view flavour) {
  const auto* const found = std::ranges::find_if(
      kWriters, [&](const WriterRow& row) { return row.name == name && row.flavour == flavour; });
  return found == std::end(kWriters) ? nullptr : found;
}

std::string TextOf(const WriterRow& row) {
  return row.flavour.empty() ? std::string(row.name)
                             : fmt::format("{}{}{}", row.name, kFlavourOption, row.flavour);
}

}  // namespace

std::vector<std::string> ExportFormatTexts() {
  std::vector<std::string> texts;
  for (const WriterRow& row : kWriters) {
    if (std::string name(row.name); !row.flavour.empty() && std::ranges::count(texts, name) == 0) {
      texts.push_back(std::move(name));
    }
    texts.push_back(TextOf(row));
  }
  return texts;
}

ExportFormat ParseExportFormat(std::string_view text) {
  const auto* const found = std::ranges::find_if(
      kWriters, [&](const WriterRow& row) { return row.name == text || TextOf(row) == text; });
  if (found == std::end(kWriters)) {
    throw Error(ErrorKind::kUsage, fmt::format("--to={} is no format; expected {}", text,
                                               Join(ExportFormatTexts(), ", ")));
  }
  return {.name = std::string(found->name), .flavour = std::string(found->flavour)};
}

std::string ExportRecord(const ExportedPlan& exported, std::string_view text,
                         const std::string& file) {
  const nlohmann::ordered_json record = {{"schema", 1},
                                         {"halftone", HALFTONE_VERSION},
                                         {"file", file},
                                         {"format", text},
                                         {"read_by", exported.read_by},
                                         {"plan", exported.plan.ToHex()},
                                         {"notes", exported.notes}};
  return record.dump(2) + "\n";
}

ExportedPlan ExportPlan(const Model& model, const TargetSpec& target,
                        const PrecisionOptions& options, const ExportFormat& format) {
  const WriterRow* row = Find(format.name, format.flavour);
  if (row == nullptr) {
    throw Error(ErrorKind::kInternal, fmt::format("no format {}", format.name));
  }
  const PrecisionPlan plan = ResolvePrecision(model.graph, options, target);
  ExportedPlan exported = row->write({model, plan});
  exported.read_by = row->read_by;
  exported.plan = plan.Digest();
  return exported;
}

}  // namespace halftone
