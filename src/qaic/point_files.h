// A plan as files for the Cloud AI compiler: node_precision.yaml, the profile of a quantized plan,
// and a script with the command line.
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

// TargetSpec::family of the devices whose points are written as these files.
inline constexpr std::string_view kCloudAiFamily = "cloud_ai_100";

// Files in the folder of a point.
inline constexpr std::string_view kNodePrecisionFile = "node_precision.yaml";
inline constexpr std::string_view kQaicProfileFile = "profile.yaml";
inline constexpr std::string_view kCustomIoFile = "custom_io.yaml";
inline constexpr std::string_view kCompileScript = "qaic_compile.sh";

// The part of a point that gives nodes their precision.
struct QaicPoint {
  NodePrecisionLists lists;          // names single nodes, also those that are fused into others
  std::vector<std::string> options;  // options without a file: "-convert-to-fp16"
  bool quantizes = false;
  QaicPrecision integers = QaicPrecision::kInt8;  // of a quantized plan

  // The request to ChooseNodes() that these lists and options make.
  [[nodiscard]] NodeChoiceRequest Request() const;
};

// Lists and options with few names that give every node the precision of the plan. If several nodes
// of a kind need a name and all nodes of the kind are alike, the kind stands in
// -execute-nodes-in-fp16 or -keep-original-precision-for-nodes. Other nodes stand in the lists.
// -convert-to-fp16 is used if that takes fewer names.
//
// Error kUnsupported:
// - a node computes in another format than float16, float32, qint8 and qint16;
// - formats of the operands and results of a node differ;
// - the plan has both qint8 and qint16;
// - a node in integers is of a kind that is not quantized;
// - the older tool would have to keep a single node in FP32.
QaicPoint PointOf(const Graph& graph, const PrecisionPlan& plan,
                  QaicTool tool = QaicTool::kCompile);

// Options with which the compiler takes the scales from the ranges of ProfilesOf(): asymmetric
// activations, no calibration. Constants follow `rules`.
std::vector<std::string> ScaleOptions(const GlowQuantizationRules& rules);

// Profiles of the non-constant tensors in `quantization`. The asymmetric schema turns their ranges
// into the scales given there. Each has the histogram of `measured`, rescaled to the new range, or
// a single bin if `measured` has none. Error kUnsupported: no range gives a scale.
ValueProfiles ProfilesOf(const Graph& graph, const Quantization& quantization,
                         const ValueProfiles& measured,
                         QaicPrecision integers = QaicPrecision::kInt8);

// "-model-input=x,float,[1,3,224,224]" for each input of the network.
std::vector<std::string> ModelInputOptions(const Graph& graph);

// Input of QaicPointTexts(). `profile` and `rules` are those of a quantized plan.
struct QaicPointFiles {
  QaicPoint point;
  std::filesystem::path model;             // an .onnx file, or a folder with model.onnx
  std::vector<std::string> model_options;  // "-batchsize=8"
  const GlowProfile* profile = nullptr;    // null: the plan is not quantized
  GlowQuantizationRules rules;
  std::vector<CustomIo> custom_io = {};  // of -custom-IO-list-file; empty: the model's interface
  QaicTool tool = QaicTool::kCompile;    // the tool that the script calls
};

// The texts of the files by name. The script runs from any folder and reads the other files from
// its own. The environment variable MODEL replaces the path of the model. Arguments of the script
// are passed on to the compiler.
std::map<std::string, std::string> QaicPointTexts(const QaicPointFiles& files);

// Rules under which the files of a point give its scales: asymmetric activations, no calibration,
// weights with a scale for each channel or column.
GlowQuantizationRules RulesOfPoints();

// The quantisation that the compiler makes, under RulesOfPoints(), of the activation ranges in
// `calibrated`. It chooses the scales of weights and biases itself. Error kUnsupported: as
// ProfilesOf().
Quantization CompilersQuantization(const Graph& graph, const Quantization& calibrated);

// Facts about the model that the files of a point record.
struct PointModel {
  std::filesystem::path path;
  bool has_own_shapes = false;  // extents were given for free dimensions; the script repeats them
  Hash128 hash;                 // Model::hash
  std::string_view version;     // version of halftone
  // Profile that the compiler dumped; the profile of a quantized plan is this one with other
  // ranges. Null: halftone makes the whole profile.
  const DumpedProfile* dumped_profile = nullptr;
};

struct QaicPointText {
  std::map<std::string, std::string> files;  // texts by name
  std::vector<std::string> warnings;         // FilledProfile::warnings
};

// The files of a plan for the device. The scales of a plan with integers must come from
// CompilersQuantization(). If no options give the plan, the only file is a script that prints the
// reason and fails.
QaicPointText QaicPointTexts(const Graph& graph, const PrecisionPlan& plan,
                             const PointModel& model);

}  // namespace halftone
