// A plan as files and options of the Cloud AI compiler: node_precision.yaml, the profile of a
// quantized plan, and the command line.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/qaic/glow_quantization.h"
#include "src/qaic/node_choice.h"
#include "src/qaic/profile_file.h"
#include "src/quantization/files/custom_io.h"
#include "src/quantization/files/node_precision.h"

namespace halftone {

// TargetSpec::family of the devices whose points are such files.
inline constexpr std::string_view kCloudAiFamily = "cloud_ai_100";

// Files in the folder of a point.
inline constexpr std::string_view kNodePrecisionFile = "node_precision.yaml";
inline constexpr std::string_view kQaicProfileFile = "profile.yaml";
inline constexpr std::string_view kCustomIoFile = "custom_io.yaml";
inline constexpr std::string_view kCompileScript = "qaic_compile.sh";

struct QaicPoint {
  NodePrecisionLists lists;          // every node that is fused into another has its own entry
  std::vector<std::string> options;  // that name no file: "-convert-to-fp16"
  bool quantizes = false;
  QaicPrecision integers = QaicPrecision::kInt8;  // of a quantized plan

  // The request that these options and lists make to ChooseNodes().
  [[nodiscard]] NodeChoiceRequest Request() const;
};

// The fewest names that give every node the precision of the plan: kinds of which all nodes are
// alike stand in -execute-nodes-in-fp16 or -keep-original-precision-for-nodes, others in the lists.
// Error kUnsupported naming a node that computes in another format than float16, float32 and qint8
// or qint16, or whose operands and results differ; nodes in both qint8 and qint16; a plan of
// integers for a kind that is not quantized; single nodes in FP32 for the older tool.
QaicPoint PointOf(const Graph& graph, const PrecisionPlan& plan,
                  QaicTool tool = QaicTool::kCompile);

// Options that make the compiler take the scales of a profile from ProfileOf(): asymmetric
// activations, no calibration; constants by `rules`.
std::vector<std::string> ScaleOptions(const GlowQuantizationRules& rules);

// Ranges that the asymmetric schema turns into the scales of the quantisation; histograms of
// `measured`, moved to the new ranges, or one bin. Error kUnsupported: a scale for which there is
// no such range.
ValueProfiles ProfilesOf(const Graph& graph, const Quantization& quantization,
                         const ValueProfiles& measured,
                         QaicPrecision integers = QaicPrecision::kInt8);

// "-model-input=x,float,[1,3,224,224]" for each input of the network.
std::vector<std::string> ModelInputOptions(const Graph& graph);

struct QaicPointFiles {
  QaicPoint point;
  std::filesystem::path model;             // an .onnx file, or a folder that holds model.onnx
  std::vector<std::string> model_options;  // "-batchsize=8"
  const GlowProfile* profile = nullptr;    // of a quantized plan
  GlowQuantizationRules rules;             // of a quantized plan
  std::vector<CustomIo> custom_io = {};    // of -custom-IO-list-file; empty: the model's interface
  QaicTool tool = QaicTool::kCompile;      // that the script calls
};

// The files by name. The script compiles the network from any folder: its files stand beside it,
// the environment variable MODEL replaces the path of the model, further arguments go to the
// compiler.
std::map<std::string, std::string> QaicPointTexts(const QaicPointFiles& files);

// Rules under which the files of a plan give its scales: asymmetric activations, weights by channel
// and row, no calibration.
GlowQuantizationRules RulesOfPoints();

// The quantisation that the compiler makes of the ranges of a calibration under RulesOfPoints(),
// with weights and biases of its own.
Quantization CompilersQuantization(const Graph& graph, const Quantization& calibrated);

struct PointModel {
  std::filesystem::path path;
  bool has_own_shapes = false;  // its free dimensions are given
  Hash128 hash;                 // Model::hash
  std::string_view version;     // of halftone
  // Source of the hash, order, other records and unknown keys in the profile of a quantized plan;
  // null: halftone makes the whole profile.
  const DumpedProfile* dumped_profile = nullptr;
};

struct QaicPointText {
  std::map<std::string, std::string> files;  // texts by name
  std::vector<std::string> warnings;         // as FilledProfile
};

// The files of a plan for the device; its scales, if it has any, must come from
// CompilersQuantization(). Where no options give the plan: a script that says so and fails.
QaicPointText QaicPointTexts(const Graph& graph, const PrecisionPlan& plan,
                             const PointModel& model);

}  // namespace halftone
