// Options of quantisation: whether operators may compute in 8 bits, and how their tensors are
// calibrated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "src/accuracy/dataset.h"
#include "src/base/enum_table.h"
#include "src/quantization/quantization.h"

namespace halftone {

enum class QuantizeMode : std::uint8_t { kOff, kOn, kOnly };

inline constexpr EnumRow<QuantizeMode> kQuantizeModes[] = {
    {QuantizeMode::kOff, "off", "no operator computes in 8 bits"},
    {QuantizeMode::kOn, "on", "operators compute in 8 bits, in 16 bits or in float32"},
    {QuantizeMode::kOnly, "only", "operators compute in 8 bits or in float32"},
};

constexpr std::string_view NameOf(QuantizeMode mode) {
  return NameIn(kQuantizeModes, mode);
}

enum class BiasCorrection : std::uint8_t { kNone, kLocal, kSequential };

inline constexpr EnumRow<BiasCorrection> kBiasCorrections[] = {
    {BiasCorrection::kNone, "none", "biases stay as they are"},
    {BiasCorrection::kLocal, "local",
     "the mean error of each product on float32 operands goes off by its bias"},
    {BiasCorrection::kSequential, "sequential",
     "and in each plan that is measured, that on what its corrected predecessors make"},
};

constexpr std::string_view NameOf(BiasCorrection correction) {
  return NameIn(kBiasCorrections, correction);
}

// Most samples of a calibration.
inline constexpr std::size_t kMostCalibrationSamples = 64;

struct QuantizeOptions {
  // Empty: on for real samples on the host, else off.
  std::optional<QuantizeMode> mode;
  // Samples of the calibration; empty: some of those of the search, never held-out ones.
  std::optional<DatasetOptions> calibration;
  std::string method = "auto";  // for CalibrationCandidates()
  BiasCorrection bias_correction = BiasCorrection::kLocal;
  bool per_channel_weights = true;
  // Scales in place of a calibration (--quantization); none: the network is calibrated.
  SharedQuantization given;
};

}  // namespace halftone
