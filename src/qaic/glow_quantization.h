// Scales of a quantized network by Glow's rules, which the Cloud AI compiler inherits, as the
// quantisation that plans of the host compute with.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/qaic/compile_options.h"
#include "src/qaic/node_choice.h"
#include "src/qaic/profile_file.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Rules by which ranges and scales are chosen; the members of QaicCompileOptions of the same names.
struct GlowQuantizationRules {
  std::string activation_schema;
  std::string constant_schema;
  std::string bias_precision;
  std::string calibration;
  double percentile = 100;
  bool channelwise = false;
  bool rowwise = false;
  QaicPrecision integers = QaicPrecision::kInt8;
};

GlowQuantizationRules RulesOf(const QaicCompileOptions& options);

// Scale and offset of an integer tensor by its profile. The calibration narrows the range, and the
// schema gives scale and offset. The zero point of the host's unsigned integers is the offset + 128
// (Int16: 32768).
ActivationScale GlowActivationScale(const GlowHistogram& profile,
                                    const GlowQuantizationRules& rules);

// Results of fused activations. If a Relu or Clip alone reads a value and is fused with its
// producer, both in integers, the value has the scale of the activation's result, so that it is
// rounded once. ResultBehind() gives that result; kNoValue: there is none. Inferred: backends of
// Glow that fuse the two do so.
class FusedActivations {
 public:
  FusedActivations(const Graph& graph, const NodeChoices& choices);

  [[nodiscard]] ValueId ResultBehind(ValueId value) const;

 private:
  std::vector<ValueId> behind_;  // by value
};

// Scales that another tool chose: they replace those of the rules below.
struct GivenScales {
  std::map<std::string, ActivationScale, std::less<>> activations;
  std::map<std::string, WeightScales, std::less<>> weights;
};

// For the nodes that `choices` has in the integers of `rules`:
// - operands and results: GlowActivationScale(); constants by the schema of constants, without
//   calibration; a result of a kind that reuses the parameters of its operand: the operand's;
//   a result in front of a fused Relu or Clip: those of its result
// - weights of Conv, ConvTranspose, Gemm and MatMul, as products multiply them (with the
//   BatchNormalization and the constant factors that go into them, and the bias behind them): the
//   schema of constants; with -enable-channelwise a scale for each output channel of Conv, with
//   -enable-rowwise for each column of a product. A scale grows where the int32 bias would need
//   more than 30 bits.
// - a bias of Int8: what its rounding to 8 bits changes, as bias shifts
// Error kUsage: tensors without a profile, listed.
Quantization GlowQuantization(const Graph& graph, const NodeChoices& choices,
                              const ValueProfiles& profiles, const GlowQuantizationRules& rules,
                              const GivenScales& given = {});

}  // namespace halftone
