#include "src/amct/point_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "src/amct/layers.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/precision/resolve/node_formats.h"
#include "src/quantization/files/compression_config.h"
#include "src/quantization/files/proto_text.h"

namespace halftone {
namespace {

std::string DataFile(std::size_t input) {
  return fmt::format("input_{}.bin", input);
}

}  // namespace

std::map<std::string, std::string> AmctPointTexts(const Graph& graph, const PrecisionPlan& plan,
                                                  std::string_view soc) {
  if (std::ranges::none_of(plan.nodes, UsesScales)) {
    return {};
  }
  CompressionConfig compression;
  CalibrationBlock& block = compression.calibration;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const Value& input = graph.value(graph.inputs[i]);
    block.input_data.push_back(fmt::format("../{}/{}", kCalibrationFolder, DataFile(i)));
    block.input_shapes.emplace_back(input.name,
                                    fmt::format("{}", fmt::join(input.type.shape.dims(), ",")));
  }
  block.config_file = kAmctFile;
  block.infer_soc = soc;
  const auto samples = static_cast<int>(plan.quantization.source().samples);
  return {{std::string(kCompressionFile), WriteCompressionConfig(compression)},
          {std::string(kAmctFile), WriteAmctConfig(AmctConfigOf(graph, plan, samples))}};
}

void CheckAmctFile(const std::filesystem::path& folder, const Graph& graph,
                   const PrecisionPlan& plan) {
  const std::filesystem::path file = folder / kAmctFile;
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, error))) {
    return;
  }
  const auto quantized =
      QuantizedLayers(graph, ParseAmctConfig(ReadSmallFile(file, kMostProtoTextBytes), kAmctFile));
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const std::string& name = graph.nodes[n].name;
    const bool in_8_bits = UsesScales(plan.nodes[n]);
    if (in_8_bits != quantized.contains(name)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: node '{}' {} by this file, but {} by quantization.json: one of "
                              "them was changed; tune again",
                              kAmctFile, name, in_8_bits ? "is left out" : "is quantised",
                              in_8_bits ? "computes in 8 bits" : "does not compute in 8 bits"));
    }
  }
}

void WriteCalibrationData(const std::filesystem::path& folder, const Graph& graph,
                          const Dataset& samples) {
  CreateFolder(folder);
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    std::string bytes;
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const Tensor input = samples.Read(s).inputs.at(i);
      bytes.append(reinterpret_cast<const char*>(input.data()), input.size_bytes());
    }
    WriteFileAtomically(folder / DataFile(i), bytes);
  }
}

}  // namespace halftone
