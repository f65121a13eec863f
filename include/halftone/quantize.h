// Options of quantisation: permission for operators to compute in 8 bits, and the calibration of
// their tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halftone/data.h"
#include "halftone/target.h"

namespace halftone {

struct Hash128;
struct Quantization;        // scales of 8-bit tensors; defined inside the library
struct QuantizationSource;  // origin of the scales; defined inside the library

// A quantisation (scales and zero points of all 8-bit tensors), or none. Copies share the content,
// which never changes; equal contents compare equal. Several threads may read one object at once.
class SharedQuantization {
 public:
  SharedQuantization() = default;
  explicit SharedQuantization(Quantization quantization);
  SharedQuantization(Quantization quantization, QuantizationSource source);

  explicit operator bool() const { return held_ != nullptr; }

  // Content, digest and origin. All four require a quantisation: operator bool() returns true.
  const Quantization& operator*() const;
  const Quantization* operator->() const;
  [[nodiscard]] const Hash128& digest() const;
  [[nodiscard]] const QuantizationSource& source() const;

  friend bool operator==(const SharedQuantization& a, const SharedQuantization& b);

 private:
  struct Held;
  std::shared_ptr<const Held> held_;
};

enum class QuantizeMode : std::uint8_t {
  kOff,   // no operator computes in 8 bits
  kOn,    // operators compute in 8 bits, in 16 bits or in float32
  kOnly,  // operators compute in 8 bits or in float32
};

enum class BiasCorrection : std::uint8_t {
  kNone,
  // The bias of each product (convolution or matrix product) subtracts the mean error of its
  // result, measured on float32 operands.
  kLocal,
  // In addition, each measured plan has its own biases: they subtract the mean error on the
  // operands that the plan computes, from the first product to the last.
  kSequential,
};

// Most samples of a calibration.
inline constexpr std::size_t kMostCalibrationSamples = 64;

struct QuantizeOptions {
  // Empty: kOn for a runtime that reads QDQ files; kOff for an Ascend device, and for a target
  // without 8-bit operators. Other targets, such as the host: kOn with real or calibration samples
  // or given scales, unless the machine is known to be slow in 8 bits; else kOff.
  std::optional<QuantizeMode> mode;
  // Samples of the calibration. Empty: up to kMostCalibrationSamples of the search's samples.
  std::optional<DatasetOptions> calibration;
  // "auto", or one of CalibrationMethodNames(); see CheckCalibrationMethod().
  std::string method = "auto";
  BiasCorrection bias_correction = BiasCorrection::kLocal;
  bool per_channel_weights = true;  // false: one scale for each weight tensor
  // Given scales (--quantization). Empty: the network is calibrated.
  SharedQuantization given;
};

// Parses "none", "local" or "sequential". Error kUsage, for another text, lists these; `option`
// names the option in the message.
BiasCorrection ParseBiasCorrection(std::string_view text,
                                   std::string_view option = "--bias_correction");

// A parsed --quantize: the mode, and the target.
struct QuantizeRequest {
  std::optional<QuantizeMode> mode;  // empty: as QuantizeOptions::mode
  TargetOptions target;
};

// Parses --quantize: "", "off", "on", "only", or "for:TARGET". The last means kOn for a device that
// computes in 8 bits, or for a runtime that reads QDQ files (QuantizeDestinations()). `target`: the
// target of the other options, returned unless the text names one. `option`: name of the option in
// messages. Error kUsage: another text, or "for:" with another target than `target` names.
QuantizeRequest ParseQuantize(std::string_view text, const TargetOptions& target,
                              std::string_view option = "--quantize");

// Returns the names of the runtimes that "for:" accepts: "ort", ...
std::vector<std::string> QuantizeDestinations();

// Reads scales from a quantization.json, or from a table of ONNX Runtime, TensorRT or AIMET, whose
// ranges become scales. Errors: kIo for the file; kUsage for its content, a profile of Glow, and a
// table without activations.
SharedQuantization LoadScales(const std::filesystem::path& path);

// Returns the names of calibration methods as one text for help: "minmax, mse, ...".
std::string CalibrationMethodNames();

// Checks a value for QuantizeOptions::method: "auto", one of the names, or a name with its setting
// ("percentile:99.999"). Error kUsage lists the names.
void CheckCalibrationMethod(std::string_view text);

}  // namespace halftone
