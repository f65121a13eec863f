// The tensors of a QDQ file: names of the values of a plan, and the pairs of nodes that round them.
//
// A value x with channel factors f has two tensors: x / f, which the pair of its one scale rounds,
// as the integers of the plan do (src/exec/channel_factors.h), and that times f.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/export/exported_file.h"
#include "src/export/model_parts.h"
#include "src/export/onnx_qdq.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace halftone {

// Whether the file rounds to a format of float32 tensors.
bool IsRounding(NumericFormat format);

// Adds constants to `file` and nodes to `made`, in the order of the calls. Refers to all arguments.
class RoundedTensors {
 public:
  // `graph` has the steps of `plan`. `outputs`: names of the results of the model, which a rounded
  // value keeps for itself.
  RoundedTensors(onnx::GraphProto& file, onnx::GraphProto& made, const Graph& graph,
                 const PrecisionPlan& plan, QdqFlavour flavour,
                 const std::set<std::string>& outputs);

  // Whether the model has a value in a floating type of its own, which no format changes.
  static bool KeepsType(const Value& value);

  // The format in which a value is made; every one that a step makes or the user gives is told.
  // Error kUnsupported: no operator of ONNX rounds to it.
  void SetFormat(ValueId value, NumericFormat format);

  // The producer of a value with channel factors writes x / f; others write x.
  void SetDivided(ValueId value) { divided_.insert(value); }

  [[nodiscard]] bool HasFormat(ValueId value) const { return formats_.contains(value); }

  // Whether whoever makes a value rounds it.
  [[nodiscard]] bool Rounds(ValueId value) const;

  // What the producer of a value has to write; an input of the model keeps its name.
  std::string RawName(ValueId value);

  [[nodiscard]] bool HasName(ValueId value) const { return raw_.contains(value); }

  // Adds the pair behind the producer of a value, which wrote RawName(), where there is to be one.
  void RoundMade(ValueId value);

  // The name of a value as numbers of `format`, which a reader wants: adds a pair, or a constant,
  // where there is none yet. A format without rounding: as it was made.
  std::string NameIn(ValueId value, NumericFormat format);

  // As NameIn(), but x / f of a value with channel factors where the numbers are those of a pair
  // with one scale.
  std::string DividedIn(ValueId value, NumericFormat format);

  // A DequantizeLinear of `inputs`: integers, scale and zero point; its result.
  std::string Dequantize(const std::string& name, const std::vector<std::string>& inputs,
                         std::optional<std::int64_t> axis);

  void AddNode(onnx::NodeProto node);

  ModelParts& parts() { return parts_; }

  [[nodiscard]] std::int64_t count() const { return count_; }

  // A sentence on the tensors whose step is wider than in the plan; empty: none is.
  [[nodiscard]] std::string WiderSteps() const;
  // The same, for each of them.
  [[nodiscard]] std::vector<Loss> WiderTensors() const;

  // Values of KeepsType() whose formats are others.
  [[nodiscard]] const std::vector<Loss>& kept_types() const { return kept_types_; }

 private:
  // Null: the value has none.
  [[nodiscard]] const ChannelFactors* Factors(ValueId value) const;
  // Adds a node `op`, Mul or Div, of a tensor and the channel factors of its value.
  void ScaleChannels(std::string_view op, const ChannelFactors& factors, ValueId value,
                     const std::string& from, const std::string& to);
  // Of a value with channel factors: x of `divided`, which is its x / f.
  std::string Undivided(ValueId value, const ChannelFactors& factors, const std::string& divided);
  std::string Round(const std::string& name, const std::string& from, ValueId value,
                    NumericFormat format, std::string to);
  std::string CastPair(const std::string& name, const std::string& from, NumericFormat format,
                       std::string to);
  std::string RoundedConstant(ValueId value, NumericFormat format);
  // The scale that the file has for one of the plan: int8 data has no zero point.
  ActivationScale ScaleFor(const std::string& name, const ActivationScale& scale);
  // Names of a scale and its zero point.
  std::pair<std::string, std::string> AddScale(const std::string& name,
                                               const ActivationScale& scale);

  onnx::GraphProto& made_;
  const Graph& graph_;
  const PrecisionPlan& plan_;
  QdqFlavour flavour_;
  const std::set<std::string>& outputs_;
  ModelParts parts_;
  std::int64_t count_ = 0;
  std::map<ValueId, NumericFormat> formats_;
  std::map<ValueId, std::string> raw_;
  std::map<std::pair<ValueId, NumericFormat>, std::string> rounded_;
  std::set<ValueId> divided_;
  std::vector<Loss> kept_types_;
  std::map<ValueId, std::string> undivided_;  // names of the second tensors
  std::set<std::string> scaled_;              // tensors with a scale of their own
  std::map<std::string, double> wider_;       // step of the file / step of the plan
};

}  // namespace halftone
