#include "src/quantization/files/compression_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kFirstLayer = "enable_first_layer_quantization";
constexpr std::string_view kCalibration = "calibration";
constexpr std::string_view kInputData = "input_data_dir";
constexpr std::string_view kInputShape = "input_shape";
constexpr std::string_view kConfigFile = "config_file";
constexpr std::string_view kInferSoc = "infer_soc";
constexpr std::string_view kFurther[] = {"infer_aicore_num", "infer_device_id", "infer_ip",
                                         "infer_port", "log"};
constexpr std::string_view kKeys =
    "input_data_dir, input_shape, config_file, infer_soc, infer_aicore_num, infer_device_id, "
    "infer_ip, infer_port, log";

bool IsShape(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || c == ',' || c == ' ';
  });
}

// A line `key: value` or `key: {`; keys without their colon.
class CompressionReader {
 public:
  explicit CompressionReader(std::string_view where) : where_(where) {}

  CompressionConfig Read(std::string_view text) {
    for (const std::string_view line : Split(text, '\n')) {
      ++line_;
      const std::string_view content = Trim(line.substr(0, line.find('#')));
      if (!content.empty()) {
        ReadLine(content);
      }
    }
    if (place_ == Place::kInside || place_ == Place::kBefore) {
      Throw("expected the block 'calibration: { ... }', found the end of the file");
    }
    RequireComplete();
    return std::move(config_);
  }

 private:
  enum class Place { kOutside, kBefore, kInside, kBehind };  // of the block; kBefore its brace

  [[noreturn]] void Throw(std::string_view what) const {
    throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", where_, line_, what));
  }

  void ReadLine(std::string_view line) {
    if (place_ == Place::kBefore) {
      if (line != "{") {
        Throw(fmt::format("expected '{{' behind 'calibration:', found '{}'", Shown(line)));
      }
      place_ = Place::kInside;
      return;
    }
    if (place_ == Place::kInside && line == "}") {
      place_ = Place::kBehind;
      return;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      Throw(fmt::format("expected 'key: value', found '{}'", Shown(line)));
    }
    const std::string key(Trim(line.substr(0, colon)));
    const std::string_view value = Trim(line.substr(colon + 1));
    if (!keys_.insert(key).second) {
      Throw(fmt::format("'{}' stands twice; keep one of them", Shown(key)));
    }
    place_ == Place::kInside ? ReadSetting(key, value) : ReadTop(key, value);
  }

  void ReadTop(const std::string& key, std::string_view value) {
    if (key == kCalibration && (value.empty() || value == "{")) {
      place_ = value.empty() ? Place::kBefore : Place::kInside;
    } else if (key == kFirstLayer && (value == "true" || value == "false")) {
      config_.first_layer = value == "true";
    } else {
      Throw(fmt::format("expected '{}: true', '{}: false' or '{}: {{', found '{}: {}'", kFirstLayer,
                        kFirstLayer, kCalibration, Shown(key), Shown(value)));
    }
  }

  void ReadSetting(const std::string& key, std::string_view value) {
    CalibrationBlock& block = config_.calibration;
    if (value.empty()) {
      Throw(fmt::format("{}: expected a value, found none", Shown(key)));
    }
    if (key == kInputData) {
      ReadFiles(value);
    } else if (key == kInputShape) {
      ReadShapes(value);
    } else if (key == kConfigFile) {
      block.config_file = value;
    } else if (key == kInferSoc) {
      block.infer_soc = value;
    } else if (std::find(std::begin(kFurther), std::end(kFurther), key) != std::end(kFurther)) {
      block.further.emplace_back(key, value);
    } else {
      Throw(fmt::format("expected the keys {}; found '{}'", kKeys, Shown(key)));
    }
  }

  void ReadFiles(std::string_view value) {
    for (const std::string_view file : Split(value, ',')) {
      if (Trim(file).empty()) {
        Throw(fmt::format("{}: expected a file for each input, separated by commas; found '{}'",
                          kInputData, Shown(value)));
      }
      config_.calibration.input_data.emplace_back(Trim(file));
    }
  }

  void ReadShapes(std::string_view value) {
    for (const std::string_view part : Split(value, ';')) {
      const std::size_t colon = part.rfind(':');
      const std::string_view name = Trim(part.substr(0, std::min(colon, part.size())));
      const std::string_view shape =
          colon == std::string_view::npos ? "" : Trim(part.substr(colon + 1));
      if (name.empty() || !IsShape(shape)) {
        Throw(
            fmt::format("{}: expected 'name:1,3,224,224' for each input, separated by semicolons; "
                        "found '{}'",
                        kInputShape, Shown(part)));
      }
      config_.calibration.input_shapes.emplace_back(name, shape);
    }
  }

  void RequireComplete() const {
    if (place_ != Place::kBehind) {
      return;  // no calibration
    }
    for (const std::string_view key : {kInputData, kInputShape, kInferSoc}) {
      if (!keys_.contains(std::string(key))) {
        Throw(fmt::format("expected the key '{}' in the block, found none of this name", key));
      }
    }
    const CalibrationBlock& block = config_.calibration;
    if (block.input_data.size() != block.input_shapes.size()) {
      Throw(fmt::format("expected as many files as inputs, found {} and {}",
                        Counted(std::ssize(block.input_data), "file"),
                        Counted(std::ssize(block.input_shapes), "input")));
    }
  }

  std::string_view where_;
  int line_ = 0;
  Place place_ = Place::kOutside;
  std::set<std::string> keys_;
  CompressionConfig config_;
};

// A text of one line, without what separates it from others.
std::string Plain(const std::string& text, std::string_view what, std::string_view separators) {
  const bool fits = !text.empty() && Trim(text) == text &&
                    text.find_first_of(separators) == std::string::npos &&
                    text.find_first_of("\r\n#") == std::string::npos;
  if (!fits) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("expected {} without line breaks, '#', blanks at the ends and the "
                    "characters '{}', which compression_optimize.cfg cannot hold; found '{}'",
                    what, separators, Shown(text)));
  }
  return text;
}

std::string BlockText(const CalibrationBlock& block) {
  std::vector<std::string> files;
  for (const std::string& file : block.input_data) {
    files.push_back(Plain(file, "a file", ","));
  }
  std::vector<std::string> shapes;
  for (const auto& [name, shape] : block.input_shapes) {
    Check(IsShape(shape), "a shape is numbers with commas between them");
    shapes.push_back(Plain(name, "an input", ";") + ":" + Plain(shape, "a shape", ";:"));
  }
  std::string text = fmt::format("  {}: {}\n  {}: {}\n", kInputData, Join(files, ","), kInputShape,
                                 Join(shapes, ";"));
  if (!block.config_file.empty()) {
    text += fmt::format("  {}: {}\n", kConfigFile, Plain(block.config_file, "a file", ""));
  }
  text += fmt::format("  {}: {}\n", kInferSoc, Plain(block.infer_soc, "a SoC", ""));
  for (const auto& [key, value] : block.further) {
    text += fmt::format("  {}: {}\n", key, Plain(value, "a setting", ""));
  }
  return text;
}

// Whether a line of --op_precision_mode asks for high precision.
bool AsksForHighPrecision(std::string_view text) {
  for (const std::string_view line : Split(text, '\n')) {
    const std::size_t sign = line.find('=');
    if (!line.starts_with('#') && sign != std::string_view::npos &&
        Trim(line.substr(sign + 1)) == "high_precision") {
      return true;
    }
  }
  return false;
}

}  // namespace

CompressionConfig ParseCompressionConfig(std::string_view text, std::string_view where) {
  if (text.size() > kMostCompressionBytes) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}:1: expected at most {} bytes of settings, found {}", where,
                            kMostCompressionBytes, text.size()));
  }
  return CompressionReader(where).Read(text);
}

std::string WriteCompressionConfig(const CompressionConfig& config) {
  std::string text;
  if (config.first_layer) {
    text += fmt::format("{}: true\n", kFirstLayer);
  }
  if (config.calibration != CalibrationBlock{}) {
    text += fmt::format("{}: {{\n{}}}\n", kCalibration, BlockText(config.calibration));
  }
  return text;
}

std::string RefusesCalibration(const OptionsBesideCalibration& options) {
  constexpr std::string_view kRule = "ATC does not calibrate in high precision";
  if (options.precision_mode == "force_fp32" ||
      (options.precision_mode == "must_keep_origin_dtype" && options.has_float32)) {
    return fmt::format("{}: --precision_mode={}", kRule, options.precision_mode);
  }
  if (options.precision_mode_v2 == "origin" && options.has_float32) {
    return fmt::format("{}: --precision_mode_v2=origin", kRule);
  }
  if (AsksForHighPrecision(options.op_precision_mode)) {
    return fmt::format("{}: high_precision in --op_precision_mode", kRule);
  }
  return {};
}

}  // namespace halftone
