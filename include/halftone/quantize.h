// Options of quantisation: whether operators may compute in 8 bits, and how their tensors are
// calibrated.
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
struct Quantization;        // scales of 8-bit tensors; opaque here
struct QuantizationSource;  // where they come from; opaque here

// A quantisation, or none, that options and plans share. Copies are cheap; equal contents compare
// equal.
class SharedQuantization {
 public:
  SharedQuantization() = default;
  explicit SharedQuantization(Quantization quantization);
  SharedQuantization(Quantization quantization, QuantizationSource source);

  explicit operator bool() const { return held_ != nullptr; }

  // Requires a quantisation.
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
  kLocal,       // the mean error of each product on float32 operands goes off by its bias
  kSequential,  // and in each plan that is measured, that on what its corrected predecessors make
};

// Most samples of a calibration.
inline constexpr std::size_t kMostCalibrationSamples = 64;

struct QuantizeOptions {
  // Empty: on for real samples on the host, else off.
  std::optional<QuantizeMode> mode;
  // Samples of the calibration; empty: some of those of the search, never held-out ones.
  std::optional<DatasetOptions> calibration;
  std::string method = "auto";  // of CalibrationMethodNames(), or "auto"
  BiasCorrection bias_correction = BiasCorrection::kLocal;
  bool per_channel_weights = true;
  // Scales in place of a calibration (--quantization); null: the network is calibrated.
  SharedQuantization given;
};

// A mode of --bias_correction by its name: "none", "local", "sequential". Error kUsage names them;
// `option` is the option in the message.
BiasCorrection ParseBiasCorrection(std::string_view text,
                                   std::string_view option = "--bias_correction");

// A value of --quantize, and the target that it names.
struct QuantizeRequest {
  std::optional<QuantizeMode> mode;  // empty: as QuantizeOptions::mode
  TargetOptions target;
};

// "off", "on", "only", or "for:TARGET": on for a target that computes in 8 bits, the destination of
// a QDQ file (src/target/destinations.h) or a device. `target` comes from the other options;
// `option` names this one in messages. Error kUsage also if both name a target and these differ.
QuantizeRequest ParseQuantize(std::string_view text, const TargetOptions& target,
                              std::string_view option = "--quantize");

// Destinations behind "for:", without the devices.
std::vector<std::string> QuantizeDestinations();

// The scales in a quantization.json, or in a table of ONNX Runtime, TensorRT or AIMET, whose ranges
// become scales. Errors kIo, kUsage.
SharedQuantization LoadScales(const std::filesystem::path& path);

// Names of calibration methods, for help: "minmax, mse, ...". The text of one of them, or "auto",
// is QuantizeOptions::method. Error kUsage for another text, naming them.
std::string CalibrationMethodNames();
void CheckCalibrationMethod(std::string_view text);

}  // namespace halftone
