// Networks: options for reading one, and its configuration.
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
  std::filesystem::path path;  // an .onnx file, or a folder with model.onnx
  // --input_shape: "name:1,3,224,224;name2:1,10". Extents of inputs that the model leaves free.
  std::string input_shape;
  // Samples as in DatasetOptions::inputs. They give the dimensions that neither the model nor
  // input_shape fixes, and the values on which shapes or branches depend.
  std::string inputs;
  std::string state;                                     // as DatasetOptions::state
  std::string image;                                     // as DatasetOptions::image
  std::shared_ptr<const SampleArrays> arrays = nullptr;  // samples in memory, in place of `inputs`
  // --max_memory: limit in bytes on the memory that a float32 run needs at least; 0: no limit.
  // Error kUnsupported, before allocation, for a model that needs more.
  std::int64_t max_memory = 0;
  // true: Error kUsage for a dimension that nothing above fixes. false: such a dimension is 1, and
  // a note says so.
  bool refuse_free_dimensions = false;
  // Names of fusions that are not made (docs/internals/passes.md). Error kUsage for an unknown
  // name.
  std::set<std::string, std::less<>> fusions_off;
  // Content of the --fusion_switch_file that names fusions_off. Empty: made from fusions_off.
  std::string fusion_switches;
};

// Content of a --fusion_switch_file, for ModelOptions.
struct FusionSwitches {
  std::set<std::string, std::less<>> off;  // for ModelOptions::fusions_off
  std::string file;                        // for ModelOptions::fusion_switches
  std::vector<std::string> warnings;       // about names that are no fusion; full sentences
};

// Reads a --fusion_switch_file; an empty path switches nothing off. If the target is a runtime that
// reads QDQ files, the result also switches off the fusions of 8-bit operators that the runtime
// does not make. Tune() for such a target demands models that were read with this result. Error
// kUsage with E10001: no such file, or a syntax error (docs/internals/passes.md).
FusionSwitches LoadFusionSwitches(const std::string& path, const TargetOptions& target = {});

// Source of a configuration: the folder of a point, a knowledge base, or precision options. If all
// three are empty, the default mode of the target applies.
struct Configuration {
  // Folder of a point that Tune() wrote. It gives the target, the precision options, the fusion
  // switches and perhaps the input shape, so the other members are empty beside it.
  std::filesystem::path point;
  TargetOptions target;
  PrecisionArguments precision;
  // Knowledge base (--op_bank_path) with a stored front of the network on the target. Its point
  // replaces `precision`.
  std::filesystem::path bank;
  // Point of that front: "fastest", "most_accurate", or a number from 1, the fastest first. Empty:
  // the point that the search chose.
  std::string select;
  std::string input_shape;         // as ModelOptions::input_shape
  std::string fusion_switch_file;  // path; empty: no fusion is switched off
};

// A network and its configuration, read at one or several input shapes. A value whose copies share
// the network. Several threads may use one object at once.
class ConfiguredNetwork {
 public:
  // Reads the network. Input shape and fusion switches of the configuration replace those of
  // `model`. If the configuration has no input shape, the samples of `data` give the shapes.
  // Errors: kUsage for options that contradict the point, and as ReadPrecisionOptions(); kModel,
  // kUnsupported and kIo for the network; kDatabase for the knowledge base.
  ConfiguredNetwork(ModelOptions model, const Configuration& configuration,
                    const DatasetOptions& data = {});

  // Returns the input shapes, each as text: "x:1,3,224,224".
  [[nodiscard]] std::vector<std::string> input_shapes() const;

  // Warnings as full sentences: about the options and the network, and about a point of another
  // version of halftone or of other weights.
  [[nodiscard]] std::span<const std::string> warnings() const;

  struct Content;  // defined inside the library

  [[nodiscard]] const Content& content() const { return *content_; }

 private:
  std::shared_ptr<const Content> content_;
};

}  // namespace halftone
