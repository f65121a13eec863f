// Scales and zero points of a range of values by halftone's own rule, and by the rules of ONNX
// Runtime and AIMET to the last bit. Glow's rule is in glow_scheme.h, rules for weights are in
// weight_scales.h.
//
// All functions require a finite range with low <= high (Error kInternal); readers of files check
// this before. "Extended to 0" means: made wider if the range does not contain 0.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Scale of uint8 activations on the host, as in ONNX's DynamicQuantizeLinear. The range is extended
// to 0. scale = (high - low) / 255 is computed in double and rounded to float32. The zero point is
// -low / scale, computed in double from the rounded scale, rounded half to even and clamped to 0
// and 255. If the scale is below the least normal float32, as for {0, 0}, the result is scale 1 and
// zero point 0.
ActivationScale ActivationScaleOf(ValueRange range);

// A scale and a zero point, for any integer type.
struct ScaleAndZero {
  float scale = 1;
  std::int32_t zero_point = 0;

  friend bool operator==(const ScaleAndZero&, const ScaleAndZero&) = default;
};

struct OnnxRuntimeOptions {
  bool symmetric = false;
  bool reduce_range = false;     // 7 bits: int8 from -64 to 64, uint8 from 0 to 127
  float minimum_real_range = 0;  // least extent of a range (MinimumRealRange); 0: none
};

// Scale of ONNX Runtime's compute_scale_zp (tools/quantization/quant_utils.py). `type` is int8 or
// uint8; symmetric int8 has -127 to 127. The range is extended to 0. As in ONNX Runtime's
// calibration, `low`, `high` and their difference are float32, and the scale, the difference over
// the number of steps, is double. The zero point is computed from this double and rounded half to
// even; then the scale is rounded to float32. If the scale is below the least normal float32, the
// result is scale 1 and zero point 0.
ScaleAndZero OnnxRuntimeScale(float low, float high, DType type, const OnnxRuntimeOptions& options);

enum class AimetSymmetry : std::uint8_t {
  kAsymmetric,
  kSymmetric,          // -128 to 127 steps of magnitude / 127 (8 bits)
  kStrictSymmetric,    // -127 to 127 steps of magnitude / 127 (8 bits)
  kUnsignedSymmetric,  // kAsymmetric if no value is below 0, else kSymmetric
};

// Encoding with real = delta * (q + offset). q goes from 0 to 2^bits - 1, or to 2^bits - 2 if
// strict.
struct AimetEncoding {
  double min = 0;
  double max = 0;
  double delta = 0;
  std::int32_t offset = 0;

  friend bool operator==(const AimetEncoding&, const AimetEncoding&) = default;
};

// Encoding of AIMET's getComputedEncodings (DlQuantization/quantization_utils.cpp) in double, with
// `bits` from 2 to 16. The range is extended to 0. {0, 0}, for which AIMET would divide by 0,
// counts as -1 to 1, as in AIMET's analyzers.
AimetEncoding AimetEncodingOf(ValueRange range, int bits, AimetSymmetry symmetry);

}  // namespace halftone
