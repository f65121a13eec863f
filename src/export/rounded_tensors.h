// Tensors of a QDQ file: names of the values of a plan, and the pairs of nodes that round them.
//
// A value x with channel factors f has two tensors. The first is x / f, rounded by a pair with one
// scale, as the integers of the plan are (src/exec/channel_factors.h). The second is the first
// times f.
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

// True if the file rounds float32 tensors to the format: a scaled one, float16 or bfloat16.
bool IsRounding(NumericFormat format);

// Adds constants to `file` and nodes to `made`, in the order of the calls. Refers to all arguments
// of the constructor.
class RoundedTensors {
 public:
  // `graph` is the fused graph, `plan` that of the network. `outputs`: names of the results of the
  // model; a rounded value that is a result keeps its name.
  RoundedTensors(onnx::GraphProto& file, onnx::GraphProto& made, const Graph& graph,
                 const PrecisionPlan& plan, QdqFlavour flavour,
                 const std::set<std::string>& outputs);

  // True if the model has the value in a floating type other than float32. No format of the plan
  // changes that type.
  static bool KeepsType(const Value& value);

  // Sets the format in which a value is made. Call it for each value that a step makes or the user
  // gives. Error kUnsupported: no operator of ONNX rounds to the format.
  void SetFormat(ValueId value, NumericFormat format);

  // Says that the producer of a value with channel factors writes x / f. Without this call it
  // writes x.
  void SetDivided(ValueId value) { divided_.insert(value); }

  [[nodiscard]] bool HasFormat(ValueId value) const { return formats_.contains(value); }

  // True if the value is rounded where it is made.
  [[nodiscard]] bool Rounds(ValueId value) const;

  // The name under which the producer of a value writes it. An input of the model keeps its name.
  std::string RawName(ValueId value);

  // True if RawName() was called for the value.
  [[nodiscard]] bool HasName(ValueId value) const { return raw_.contains(value); }

  // Adds the pair behind the producer of a value, which wrote RawName(). Does nothing unless
  // Rounds().
  void RoundMade(ValueId value);

  // The name of a value as numbers of `format`, for a reader. Adds a pair, or a constant, if there
  // is none yet. For a format without rounding: the name of the value as it was made.
  std::string NameIn(ValueId value, NumericFormat format);

  // NameIn() of x / f for a value with channel factors that a pair with one scale rounds; else
  // NameIn().
  std::string DividedIn(ValueId value, NumericFormat format);

  // Adds a DequantizeLinear of `inputs` (integers, scale and zero point). Returns the name of its
  // result.
  std::string Dequantize(const std::string& name, const std::vector<std::string>& inputs,
                         std::optional<std::int64_t> axis);

  void AddNode(onnx::NodeProto node);

  ModelParts& parts() { return parts_; }

  // Number of pairs that round a tensor.
  [[nodiscard]] std::int64_t count() const { return count_; }

  // A sentence on the tensors whose step is wider than in the plan; empty if there is none.
  [[nodiscard]] std::string WiderSteps() const;
  // A loss for each of these tensors.
  [[nodiscard]] std::vector<Loss> WiderTensors() const;

  // Losses of values of KeepsType() for which the plan has another format.
  [[nodiscard]] const std::vector<Loss>& kept_types() const { return kept_types_; }

 private:
  // Null if the value has none.
  [[nodiscard]] const ChannelFactors* Factors(ValueId value) const;
  // Adds a node `op`, Mul or Div, of tensor `from` and the channel factors of its value.
  void ScaleChannels(std::string_view op, const ChannelFactors& factors, ValueId value,
                     const std::string& from, const std::string& to);
  // Returns the name of x, for a value with channel factors whose x / f is `divided`.
  std::string Undivided(ValueId value, const ChannelFactors& factors, const std::string& divided);
  std::string Round(const std::string& name, const std::string& from, ValueId value,
                    NumericFormat format, std::string to);
  std::string CastPair(const std::string& name, const std::string& from, NumericFormat format,
                       std::string to);
  std::string RoundedConstant(ValueId value, NumericFormat format);
  // The scale that the file has for a scale of the plan: int8 data has no zero point.
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
  std::map<std::string, double> wider_;       // by tensor: step of the file / step of the plan
};

}  // namespace halftone
