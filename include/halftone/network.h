// Networks: how one is read, and with which configuration it runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "halftone/data.h"
#include "halftone/precision.h"
#include "halftone/target.h"

namespace halftone {

struct ModelOptions {
  std::filesystem::path path;  // an .onnx file, or a folder that holds model.onnx
  std::string input_shape;     // --input_shape: "name:1,3,224,224;name2:1,10"
  // Source of dimensions that neither the model nor input_shape fixes (see DatasetOptions::inputs),
  // other than "1", and of values that shapes or branches depend on.
  std::string inputs;
  std::string state;  // DatasetOptions::state, for the first sample
  std::string image;  // DatasetOptions::image, for the first sample
  std::shared_ptr<const SampleArrays> arrays = nullptr;  // the same source in memory
  // --max_memory: limit in bytes on the least memory for weights and activations of float32 runs;
  // 0: none. Error kUnsupported for a model that needs more, before allocation.
  std::int64_t max_memory = 0;
  // true: Error kUsage for a dimension that none of these fixes; false: it is 1, with a note.
  bool refuse_free_dimensions = false;
  // Names of disabled fusions (docs/internals/passes.md). Error kUsage for others.
  std::set<std::string, std::less<>> fusions_off;
  // Their --fusion_switch_file (FusionSwitches::file); empty: one that lists fusions_off.
  std::string fusion_switches;
};

// A --fusion_switch_file, for ModelOptions.
struct FusionSwitches {
  std::set<std::string, std::less<>> off;
  std::string file;                   // unchanged content
  std::vector<std::string> warnings;  // about names of no fusion
};

// Empty for an empty path. For the destination of a QDQ file, adds the fusions that it
// does not make; Tune() refuses models that were read with them. Error kUsage with E10001: no such
// file, or not the syntax of docs/internals/passes.md.
FusionSwitches LoadFusionSwitches(const std::string& path, const TargetOptions& target = {});

// What runs: a point of a front, a configuration of a knowledge base, or precision options. Without
// any of them: the default mode of the target.
struct Configuration {
  std::filesystem::path point;  // folder that Tune() wrote: all members but these three are its own
  TargetOptions target;
  PrecisionArguments precision;  // for the target
  std::filesystem::path bank;    // --op_bank_path, with the front of the target
  std::string select;            // of the bank: "", "fastest", "most_accurate", or a number from 1
  std::string input_shape;       // as ModelOptions::input_shape
  std::string fusion_switch_file;
};

// A network that was read, with its configuration, at each input shape that its samples have. A
// value; any number of threads may read it.
class ConfiguredNetwork {
 public:
  // `model.input_shape` and its fusions are those of the configuration. `data`: its samples decide
  // the input shapes where the configuration names none. Errors: kUsage for options beside a point
  // that contradict it, and as ReadPrecisionOptions(); kModel, kUnsupported and kIo for the
  // network; kDatabase.
  ConfiguredNetwork(ModelOptions model, const Configuration& configuration,
                    const DatasetOptions& data = {});

  // "x:1,3,224,224" of each shape.
  [[nodiscard]] std::vector<std::string> input_shapes() const;

  // Full sentences: of the options, of the network, and where the point is of another version or of
  // other weights.
  [[nodiscard]] std::span<const std::string> warnings() const;

  struct Content;  // opaque here

  [[nodiscard]] const Content& content() const { return *content_; }

 private:
  std::shared_ptr<const Content> content_;
};

}  // namespace halftone
