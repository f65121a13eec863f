#include "src/api/export_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <utility>

#include "src/amct/layers.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/shell_words.h"
#include "src/base/text.h"
#include "src/export/amct_record.h"
#include "src/export/encodings.h"
#include "src/export/mindspore_plan.h"
#include "src/export/mnn_compression.h"
#include "src/export/ncnn_param.h"
#include "src/export/onnx_encodings.h"
#include "src/export/onnx_mixed.h"
#include "src/export/onnx_qdq.h"
#include "src/export/openvino_ir.h"
#include "src/export/openvino_marks.h"
#include "src/export/polygraphy_script.h"
#include "src/export/rknn_config.h"
#include "src/export/tensorrt_arguments.h"
#include "src/onnx/model_file.h"
#include "src/precision/resolve/node_formats.h"
#include "src/precision/resolve/resolve.h"
#include "src/quantization/files/amct_config.h"

namespace halftone {
namespace {

constexpr std::string_view kFlavourOption = ":flavour=";
constexpr std::string_view kAllFormats = "all";

// What a writer gets.
struct Source {
  const Model& model;
  const PrecisionPlan& plan;
  const ExportPlace& place;

  [[nodiscard]] std::string model_file() const { return ModelFile(model.path).filename().string(); }
};

// The data of large tensors, where an ONNX file of this name does not hold them.
ModelForm FormOf(const Source& source) {
  return {.data_name = source.place.file + ".data"};
}

std::vector<ExportedFile> WeightsBeside(const Source& source, WeightFile weights) {
  if (weights.empty()) {
    return {};
  }
  auto shared = std::make_shared<const WeightFile>(std::move(weights));
  return {{.name = FormOf(source).data_name, .bytes = {}, .write = [shared](const ByteSink& sink) {
             shared->Write(sink);
           }}};
}

ExportedPlan OfText(ExportedText written, std::string_view summary) {
  ExportedPlan exported{.bytes = std::move(written.text),
                        .beside = std::move(written.beside),
                        .summary = std::string(summary),
                        .notes = NotesOf(written.losses),
                        .losses = std::move(written.losses),
                        .command = std::move(written.flags)};
  exported.notes.insert(exported.notes.end(), written.notes.begin(), written.notes.end());
  return exported;
}

[[noreturn]] void RefuseUniform() {
  throw Error(ErrorKind::kUsage,
              "the plan has no operator in 8 or 16 bits, so that its file would be the model "
              "itself; name a point of a tuning");
}

ExportedPlan Rounded(const Source& source, QdqFlavour flavour) {
  QdqModel written =
      WriteOnnxQdq(source.model.path, source.model.graph, source.plan, flavour, FormOf(source));
  if (written.tensors == 0 && written.products == 0) {
    RefuseUniform();
  }
  return {.bytes = std::move(written.bytes),
          .beside = WeightsBeside(source, std::move(written.weights)),
          .summary = fmt::format("{} tensors rounded, {} operators with 8-bit weights, opset {}",
                                 written.tensors, written.products, written.opset),
          .notes = std::move(written.notes),
          .losses = std::move(written.losses)};
}

ExportedPlan ForOrt(const Source& source) {
  return Rounded(source, QdqFlavour::kOrt);
}

ExportedPlan ForTensorRt(const Source& source) {
  return Rounded(source, QdqFlavour::kTensorRt);
}

ExportedPlan TensorRtArguments(const Source& source) {
  return OfText(WriteTensorRtArguments(ModelFile(source.model.path).string(), source.model.graph,
                                       source.plan),
                "arguments of trtexec");
}

template <AimetVersion version>
ExportedPlan Encodings(const Source& source) {
  return OfText(WriteEncodings(source.model.graph, source.plan, version),
                "encodings of all tensors");
}

ExportedPlan MindSporePlan(const Source& source) {
  return OfText(WriteMindSporePlan(source.model.graph, source.plan),
                "execution plan of MindSpore Lite");
}

ExportedPlan OnnxEncodings(const Source& source) {
  return OfText(WriteOnnxEncodings(source.model.graph, source.plan),
                "encodings of all tensors in 8 bits");
}

// Polygraphy imports the script as a module of its name.
ExportedPlan Polygraphy(const Source& source) {
  const std::filesystem::path file = source.place.file;
  if (file.extension() != ".py" || file.stem().string().find('.') != std::string::npos) {
    throw Error(ErrorKind::kUsage,
                fmt::format("Polygraphy imports '{}' as a module; expected a name that ends in .py "
                            "and has no other dot",
                            source.place.file));
  }
  return OfText(WritePolygraphyScript(source.model.graph, source.plan), "script of Polygraphy");
}

ExportedPlan OpenVinoScript(const Source& source) {
  return OfText(WriteOpenVinoMarks(source.model.graph, source.plan),
                "marks of OpenVINO, and mark_openvino.py that sets them");
}

// The file that is patched. Error kIo.
std::string Patched(const Source& source, std::uintmax_t most_bytes) {
  return ReadSmallFile(source.place.patched, most_bytes);
}

ExportedPlan OpenVinoIr(const Source& source) {
  OpenVinoMarks marks = OpenVinoMarksOf(source.model.graph, source.plan);
  return OfText(PatchOpenVinoIr(Patched(source, kMostIrBytes), source.place.patched.string(),
                                std::move(marks)),
                "IR of OpenVINO with marks; its .bin is that of the file it was made of");
}

ExportedPlan Ncnn(const Source& source) {
  const std::vector<NcnnMask> masks = NcnnMasksOf(source.model.graph, source.plan);
  return OfText(
      PatchNcnnParam(Patched(source, kMostParamBytes), source.place.patched.string(), masks),
      "layers of ncnn with their masks");
}

ExportedPlan Rknn(const Source& source) {
  return OfText(
      PatchRknnConfig(Patched(source, kMostRknnConfigBytes), source.place.patched.string(),
                      NodesOfFile(source.model.graph, source.plan)),
      "layers of RKNN-Toolkit in floating point");
}

ExportedPlan Mnn(const Source& source) {
  return OfText(PatchMnnCompression(Patched(source, kMostMnnBytes), source.place.patched.string(),
                                    NodesOfFile(source.model.graph, source.plan)),
                "bits of MNN's weights");
}

// quant.cfg, which has AMCT find the scales again, and the record file that has them.
ExportedPlan Amct(const Source& source) {
  if (std::ranges::none_of(source.plan.nodes, UsesScales)) {
    throw Error(ErrorKind::kUnsupported,
                "the plan has no operator in 8 bits, and AMCT quantises those alone");
  }
  const auto samples = static_cast<int>(source.plan.quantization.source().samples);
  ExportedText text{.text =
                        WriteAmctConfig(AmctConfigOf(source.model.graph, source.plan, samples))};
  ExportedText record = WriteAmctRecord(source.model.graph, source.plan);
  text.losses = std::move(record.losses);
  text.beside.push_back(
      {std::filesystem::path(source.place.file).replace_extension(".record.txt").string(),
       std::move(record.text)});
  return OfText(std::move(text), "quant.cfg of AMCT, and its record file");
}

ExportedPlan Mixed(const Source& source) {
  MixedModel written =
      WriteOnnxMixed(source.model.path, source.model.graph, source.plan, FormOf(source));
  if (written.low_operators == 0 && written.casts == 0) {
    RefuseUniform();
  }
  return {.bytes = std::move(written.bytes),
          .beside = WeightsBeside(source, std::move(written.weights)),
          .summary = fmt::format("{} operators in 16 bits, {} Casts, opset {}",
                                 written.low_operators, written.casts, written.opset),
          .notes = std::move(written.notes),
          .losses = std::move(written.losses)};
}

constexpr std::string_view kRunByOrt = "ONNX Runtime 1.30.0 on the CPU";

// docs/exporting.md lists these rows. Those of one name are its flavours, the default first.
struct WriterRow {
  std::string_view name;
  std::string_view flavour;
  std::string_view file;  // name in a folder; behind that of the network where it begins with a dot
  std::string_view read_by;      // tools and their versions
  std::string_view command;      // with {file}, {model} and {flags} for words of the shell
  std::string_view verified_by;  // ExportedPlan::verified_by
  std::string_view patches;      // PatchedFile()
  ExportedPlan (*write)(const Source& source);
};

constexpr WriterRow kWriters[] = {
    {"onnx-qdq", "ort", ".qdq.onnx", "ONNX Runtime from 1.17, OpenVINO, QNN",
     "onnxruntime_perf_test -e cpu -o 99 {file}", kRunByOrt, "", ForOrt},
    {"onnx-qdq", "tensorrt", ".qdq.tensorrt.onnx", "TensorRT from 8",
     "trtexec --onnx={file} --int8", "", "", ForTensorRt},
    {"onnx-rounded", "", ".rounded.onnx",
     "any runtime of ONNX that keeps pairs of Casts: ONNX Runtime from 1.17",
     "onnxruntime_perf_test -e cpu -o 99 {file}", kRunByOrt, "", ForOrt},
    {"onnx-mixed", "", ".mixed.onnx",
     "TensorRT 10 --stronglyTyped and 11, ONNX Runtime on GPUs, ATC",
     "trtexec --onnx={file} --stronglyTyped", kRunByOrt, "", Mixed},
    {"encodings", "1.0.0", ".encodings.json", "QAIRT and QNN converters, --quantization_overrides",
     "qairt-converter --input_network {model} --quantization_overrides {file}", "", "",
     Encodings<AimetVersion::k100>},
    {"encodings", "0.6.1", ".encodings-0.6.1.json",
     "QNN and SNPE converters, --quantization_overrides",
     "qnn-onnx-converter -i {model} --quantization_overrides {file}", "", "",
     Encodings<AimetVersion::k061>},
    {"encodings", "2.0.0", ".encodings-2.0.0.json",
     "QAIRT converters from 2.37, --quantization_overrides",
     "qairt-converter --input_network {model} --quantization_overrides {file} {flags}", "", "",
     OnnxEncodings},
    {"trtexec", "", "trtexec.args", "trtexec of TensorRT 8.6 to 10.x",
     "grep -v '^#' {file} | { mapfile -t words; trtexec \"${words[@]}\"; }", "", "",
     TensorRtArguments},
    {"polygraphy", "", "add_constraints.py", "Polygraphy with TensorRT 8.6 to 10.x",
     "polygraphy run {model} --trt {flags} --precision-constraints obey "
     "--trt-network-postprocess-script {file}",
     "", "", Polygraphy},
    {"openvino", "", ".openvino.json", "OpenVINO from 2023.1, its Python package",
     "python3 mark_openvino.py {file} {model} marked.xml && benchmark_app -m marked.xml "
     "-infer_precision {flags}",
     "", "", OpenVinoScript},
    {"openvino-ir", "", ".xml", "OpenVINO from 2022.1, IR of version 10 and 11",
     "cp {weights} {bin} && benchmark_app -m {file} -infer_precision {flags}", "",
     "the IR of the network, net.xml", OpenVinoIr},
    {"ncnn", "", ".param", "ncnn from 20220216, opt.use_fp16_* or opt.use_bf16_storage on",
     "benchncnn 8 1 0 -1 0 {param}", "", "the network in text, net.param", Ncnn},
    {"rknn", "", ".quantization.cfg", "RKNN-Toolkit 1 and 2, hybrid_quantization_step2()",
     "python3 -c 'from rknn.api import RKNN; "
     "RKNN().hybrid_quantization_step2(*__import__(\"sys\").argv[1:])' "
     "{stem}.model {stem}.data {file}",
     "", "net.quantization.cfg of hybrid_quantization_step1()", Rknn},
    {"mnn", "", ".mnn.json", "MNNConvert from 1.1 --weightQuantBits --compressionParamsFile",
     "MNNConvert -f ONNX --modelFile {model} --MNNModel net.mnn --weightQuantBits 8 "
     "--compressionParamsFile {file}",
     "", "the JSON file that MNNConvert --compressionParamsFile wrote", Mnn},
    {"amct", "", ".quant.cfg", "AMCT for ONNX, of CANN",
     "amct_onnx calibration --model={model} --calibration_config={file} --save_path=quantised", "",
     "", Amct},
    {"mindspore-lite", "", ".mindspore.cfg", "Model::LoadConfig() of MindSpore Lite",
     "benchmark --modelFile=NETWORK.ms --configFile={file}", "", "", MindSporePlan},
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

const WriterRow& RowOf(const ExportFormat& format) {
  const WriterRow* row = Find(format.name, format.flavour);
  if (row == nullptr) {
    throw Error(ErrorKind::kInternal, fmt::format("no format {}", format.name));
  }
  return *row;
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
    throw Error(ErrorKind::kUsage, fmt::format("--to={} is no format; expected all, {}", text,
                                               Join(ExportFormatTexts(), ", ")));
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
    for (const WriterRow& row : kWriters) {
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
  const Source source{model, plan, place};
  ExportedPlan exported = row.write(source);
  exported.read_by = row.read_by;
  exported.command =
      Filled(row.command, {{"{file}", ShellWord(place.file)},
                           {"{model}", ShellWord(source.model_file())},
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
