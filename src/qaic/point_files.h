// A plan as files and options of the Cloud AI compiler: node_precision.yaml, the profile of a
// quantized plan, and the command line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/qaic/glow_quantization.h"
#include "src/qaic/node_choice.h"
#include "src/qaic/profile_file.h"
#include "src/quantization/files/node_precision.h"

namespace halftone {

// Files in the folder of a point.
inline constexpr std::string_view kNodePrecisionFile = "node_precision.yaml";
inline constexpr std::string_view kProfileFile = "profile.yaml";
inline constexpr std::string_view kCompileScript = "qaic_compile.sh";

struct QaicPoint {
  NodePrecisionLists lists;          // every node of a chain that is fused has its own entry
  std::vector<std::string> options;  // that name no file: "-convert-to-fp16"
  bool quantizes = false;

  // What the options and lists say, for ChooseNodes().
  [[nodiscard]] NodeChoiceRequest Request() const;
};

// The fewest names that give every node the precision of the plan: kinds of which all nodes are
// alike stand in -execute-nodes-in-fp16 or -keep-original-precision-for-nodes, others in the lists.
// Error kUnsupported naming a node that computes in another format than float16, float32 and qint8,
// or whose operands and results differ; a plan of 8 bits for a kind that is not quantized.
QaicPoint PointOf(const Graph& graph, const PrecisionPlan& plan);

// Options that make the compiler take the scales of a profile from ProfileOf(): asymmetric
// activations, no calibration; constants by `rules`.
std::vector<std::string> ScaleOptions(const GlowQuantizationRules& rules);

// Ranges that the asymmetric schema turns into the scales of the quantisation; histograms of
// `measured`, moved to the new ranges, or one bin. Error kUnsupported: a scale for which there is
// no such range.
ValueProfiles ProfilesOf(const Graph& graph, const Quantization& quantization,
                         const ValueProfiles& measured);

struct QaicPointFiles {
  QaicPoint point;
  std::filesystem::path model;
  std::vector<std::string> model_options;  // "-batchsize=8"
  const GlowProfile* profile = nullptr;    // of a quantized plan
  GlowQuantizationRules rules;
};

// Writes them to the folder, which is created, the script last; its paths are those of the files in
// the folder and of the model. Error kIo.
void WriteQaicPoint(const std::filesystem::path& folder, const QaicPointFiles& files);

}  // namespace halftone
