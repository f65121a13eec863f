// Scales and zero points of a range of values: our own rule, and those of ONNX Runtime and AIMET to
// the last bit. Glow's rule and its schemas: glow_scheme.h. Rules for weights: weight_scales.h.
//
// Ranges are finite, low <= high (Error{kInternal} otherwise: readers of files check before).
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Scale of uint8 activations on the host, as in ONNX's DynamicQuantizeLinear: 0 is added to the
// range; scale = (high - low) / 255 in double, rounded to float32; zero point = -low / scale (that
// float32, divided in double), half to even, 0 to 255. A scale below the least normal float32, as
// of {0, 0}, is replaced: scale 1, zero point 0.
ActivationScale ActivationScaleOf(ValueRange range);

// A scale with a zero point of whatever integer type.
struct ScaleAndZero {
  float scale = 1;
  std::int32_t zero_point = 0;

  friend bool operator==(const ScaleAndZero&, const ScaleAndZero&) = default;
};

struct OnnxRuntimeOptions {
  bool symmetric = false;
  bool reduce_range = false;     // 7 bits: -64 to 64, 0 to 127
  float minimum_real_range = 0;  // MinimumRealRange; 0: none
};

// ONNX Runtime's compute_scale_zp (tools/quantization/quant_utils.py) for int8 and uint8; symmetric
// int8 has -127 to 127. `low`, `high` and their difference are float32, as in its calibration. The
// quotient is double; the zero point is rounded half to even from it, the scale to float32 last. A
// scale below the least normal float32: scale 1, zero point 0.
ScaleAndZero OnnxRuntimeScale(float low, float high, DType type, const OnnxRuntimeOptions& options);

enum class AimetSymmetry : std::uint8_t {
  kAsymmetric,
  kSymmetric,          // -128 to 127 steps of max / 127
  kStrictSymmetric,    // -127 to 127 steps
  kUnsignedSymmetric,  // as asymmetric where no value is below 0, else as symmetric
};

// real = delta * (q + offset), q from 0 to 2^bits - 1 (one less where strict).
struct AimetEncoding {
  double min = 0;
  double max = 0;
  double delta = 0;
  std::int32_t offset = 0;

  friend bool operator==(const AimetEncoding&, const AimetEncoding&) = default;
};

// AIMET's getComputedEncodings (DlQuantization/quantization_utils.cpp) in double, `bits` from 2 to
// 16. 0 is added to the range; a range of {0, 0}, which AIMET divides by, gives -1 to 1 as its
// analyzers do.
AimetEncoding AimetEncodingOf(ValueRange range, int bits, AimetSymmetry symmetry);

}  // namespace halftone
