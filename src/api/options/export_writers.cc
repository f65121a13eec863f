#include "src/api/options/export_writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "src/amct/layers.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/export/amct_record.h"
#include "src/export/encodings.h"
#include "src/export/file_nodes.h"
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
#include "src/quantization/files/amct_config.h"

namespace halftone {
namespace {

// The data of large tensors, where an ONNX file of this name does not hold them.
ModelForm FormOf(const ExportSource& source) {
  return {.data_name = source.place.file + ".data"};
}

std::vector<ExportedFile> WeightsBeside(const ExportSource& source, WeightFile weights) {
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

// For tools that find nodes by name.
Graph NamedNetwork(const ExportSource& source) {
  return WithNamesOfFile(source.model.graph, source.model.path);
}

[[noreturn]] void RefuseUniform() {
  throw Error(ErrorKind::kUsage,
              "the plan has no operator in 8 or 16 bits, so that its file would be the model "
              "itself; name a point of a tuning");
}

ExportedPlan Rounded(const ExportSource& source, QdqFlavour flavour) {
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

ExportedPlan ForOrt(const ExportSource& source) {
  return Rounded(source, QdqFlavour::kOrt);
}

ExportedPlan ForTensorRt(const ExportSource& source) {
  return Rounded(source, QdqFlavour::kTensorRt);
}

ExportedPlan TensorRtArguments(const ExportSource& source) {
  return OfText(WriteTensorRtArguments(ModelFile(source.model.path).string(), NamedNetwork(source),
                                       source.plan),
                "arguments of trtexec");
}

template <AimetVersion version>
ExportedPlan Encodings(const ExportSource& source) {
  return OfText(WriteEncodings(source.model.graph, source.plan, version),
                "encodings of all tensors");
}

ExportedPlan MindSporePlan(const ExportSource& source) {
  return OfText(WriteMindSporePlan(NamedNetwork(source), source.plan),
                "execution plan of MindSpore Lite");
}

ExportedPlan OnnxEncodings(const ExportSource& source) {
  return OfText(WriteOnnxEncodings(source.model.graph, source.plan),
                "encodings of all tensors in 8 bits");
}

// Polygraphy imports the script as a module of its name.
ExportedPlan Polygraphy(const ExportSource& source) {
  const std::filesystem::path file = source.place.file;
  if (file.extension() != ".py" || file.stem().string().find('.') != std::string::npos) {
    throw Error(ErrorKind::kUsage,
                fmt::format("Polygraphy imports '{}' as a module; expected a name that ends in .py "
                            "and has no other dot",
                            source.place.file));
  }
  return OfText(WritePolygraphyScript(NamedNetwork(source), source.plan), "script of Polygraphy");
}

ExportedPlan OpenVinoScript(const ExportSource& source) {
  return OfText(WriteOpenVinoMarks(source.model.graph, source.plan),
                "marks of OpenVINO, and mark_openvino.py that sets them");
}

// The file that is patched. Error kIo.
std::string Patched(const ExportSource& source, std::uintmax_t most_bytes) {
  return ReadSmallFile(source.place.patched, most_bytes);
}

ExportedPlan OpenVinoIr(const ExportSource& source) {
  OpenVinoMarks marks = OpenVinoMarksOf(source.model.graph, source.plan);
  return OfText(PatchOpenVinoIr(Patched(source, kMostIrBytes), source.place.patched.string(),
                                std::move(marks)),
                "IR of OpenVINO with marks; its .bin is that of the file it was made of");
}

ExportedPlan Ncnn(const ExportSource& source) {
  const std::vector<NcnnMask> masks = NcnnMasksOf(NamedNetwork(source), source.plan);
  return OfText(
      PatchNcnnParam(Patched(source, kMostParamBytes), source.place.patched.string(), masks),
      "layers of ncnn with their masks");
}

ExportedPlan Rknn(const ExportSource& source) {
  return OfText(
      PatchRknnConfig(Patched(source, kMostRknnConfigBytes), source.place.patched.string(),
                      NodesOfFile(source.model.graph, source.plan)),
      "layers of RKNN-Toolkit in floating point");
}

ExportedPlan Mnn(const ExportSource& source) {
  return OfText(PatchMnnCompression(Patched(source, kMostMnnBytes), source.place.patched.string(),
                                    NodesOfFile(source.model.graph, source.plan)),
                "bits of MNN's weights");
}

// Layers by their names in the file, which AMCT has: whether the plan leaves each of them out.
std::map<std::string, std::vector<bool>> SkippedByName(const Graph& model, const Graph& named,
                                                       const AmctConfig& config) {
  std::map<std::string, std::vector<bool>> skipped;
  for (const NodeId id : AmctLayers(named)) {
    skipped[named.node(id).origins[0].name].push_back(
        std::ranges::find(config.skip_layers, model.node(id).name) != config.skip_layers.end());
  }
  return skipped;
}

// The configuration with the names of the file. A layer to be left out that has no name, or that of
// one to be quantised, stands in no line.
AmctConfig WithFileNames(AmctConfig config, const Graph& named,
                         const std::map<std::string, std::vector<bool>>& skipped) {
  config.skip_layers.clear();
  for (const NodeId id : AmctLayers(named)) {
    const std::string& name = named.node(id).origins[0].name;
    const std::vector<bool>& left_out = skipped.at(name);
    if (!name.empty() && std::ranges::find(left_out, false) == left_out.end() &&
        std::ranges::find(config.skip_layers, name) == config.skip_layers.end()) {
      config.skip_layers.push_back(name);
    }
  }
  return config;
}

// quant.cfg, which has AMCT find the scales again, and the record file that has them.
ExportedPlan Amct(const ExportSource& source) {
  if (std::ranges::none_of(source.plan.nodes, UsesScales)) {
    throw Error(ErrorKind::kUnsupported,
                "the plan has no operator in 8 bits, and AMCT quantises those alone");
  }
  const auto samples = static_cast<int>(source.plan.quantization.source().samples);
  const Graph named = NamedNetwork(source);
  const AmctConfig config = AmctConfigOf(source.model.graph, source.plan, samples);
  const auto skipped = SkippedByName(source.model.graph, named, config);
  ExportedText text{.text = WriteAmctConfig(WithFileNames(config, named, skipped))};
  ExportedText record = WriteAmctRecord(named, source.plan);
  text.losses = std::move(record.losses);
  for (const NodeId id : AmctLayers(named)) {
    const Origin& origin = named.node(id).origins[0];
    const NumericFormat asked = source.plan.nodes[static_cast<std::size_t>(id)].compute_format();
    const std::vector<bool>& left_out = skipped.at(origin.name);
    if (origin.name.empty()) {
      text.losses.push_back(LossOf(origin.output, asked, "",
                                   "layers without a name in the model, which AMCT finds by "
                                   "name alone: give them names"));
    } else if (!asked.is_scaled() && std::ranges::find(left_out, false) != left_out.end()) {
      text.losses.push_back(LossOf(origin.output, asked, "qint8",
                                   "layers with the name of one that is quantised, which AMCT "
                                   "cannot tell apart: give each a name of its own"));
    }
  }
  text.beside.push_back(
      {std::filesystem::path(source.place.file).replace_extension(".record.txt").string(),
       std::move(record.text)});
  return OfText(std::move(text), "quant.cfg of AMCT, and its record file");
}

ExportedPlan Mixed(const ExportSource& source) {
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

// docs/guide/exporting.md lists these rows.
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

}  // namespace

std::span<const WriterRow> ExportWriters() {
  return kWriters;
}

}  // namespace halftone
