// Scales of a quantized network, by the rules of Glow, which the Cloud AI compiler inherits. Plans
// of the host compute with them.
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

// Rules that choose ranges and scales: the members of QaicCompileOptions with the same names.
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

// Scale and zero point of an integer tensor with this profile. The calibration narrows the range,
// and the schema turns the range into a scale and an offset. The zero point is the offset + 128
// (Int16: + 32768), because the host's integers are unsigned.
ActivationScale GlowActivationScale(const GlowHistogram& profile,
                                    const GlowQuantizationRules& rules);

// Results of fused activations. A Relu or Clip is fused with the producer of its operand if both
// are in integers and nothing else reads that operand. The operand then takes the scale of the
// activation's result, so that it is rounded once. This is inferred from the backends of Glow that
// fuse the two.
class FusedActivations {
 public:
  FusedActivations(const Graph& graph, const NodeChoices& choices);

  // The result of the activation that is fused behind `value`. kNoValue if there is none.
  [[nodiscard]] ValueId ResultBehind(ValueId value) const;

 private:
  std::vector<ValueId> behind_;  // by value
};

// Scales that another tool chose. They replace the scales that the rules give.
struct GivenScales {
  std::map<std::string, ActivationScale, std::less<>> activations;
  std::map<std::string, WeightScales, std::less<>> weights;
};

// Scales for the tensors of the nodes that `choices` has in integers:
// - Operands and results have GlowActivationScale(). A tensor of one element is not calibrated.
// - A constant operand has a scale by the schema of constants, without calibration.
// - A result of a kind with QuantizedRule::kSameParameters has the scale of its first operand.
// - A result in front of a fused Relu or Clip has the scale of that node's result.
// - Constant weights of Conv, ConvTranspose, Gemm and MatMul have scales by the schema of
//   constants, except that -enable-channelwise makes asymmetric symmetric for Conv: once as they
//   are in the network, and once with the BatchNormalization and the constant factors behind the
//   product folded in.
// - -enable-channelwise gives each output channel of a Conv its own scale, and -enable-rowwise each
//   column of a Gemm or MatMul. The scales of weights grow where an Int32 bias would need more than
//   30 bits.
// - An Int8 bias has no scale. Quantization::bias_shifts has the change that its rounding makes.
//
// Error kUsage: tensors have no profile. The message counts them and names the first five.
Quantization GlowQuantization(const Graph& graph, const NodeChoices& choices,
                              const ValueProfiles& profiles, const GlowQuantizationRules& rules,
                              const GivenScales& given = {});

}  // namespace halftone
