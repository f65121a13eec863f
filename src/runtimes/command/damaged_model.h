// Model that is wrong on purpose. A command that still gives the right outputs does not run the
// file that it is given.
#pragma once

#include <filesystem>
#include <optional>

#include "src/ir/graph.h"

namespace halftone {

// Writes `model`, the file of `network`, as damaged.onnx into `folder`. Its outputs are negated, or
// inverted if they are bool; names, opset and interface stay. Files with weights beside the model
// are linked into the folder. Empty if no node makes an output of a signed number or bool. Error
// kModel, kIo; kUnsupported: more than 2 GiB.
std::optional<std::filesystem::path> WriteDamagedModel(const std::filesystem::path& model,
                                                       const Graph& network,
                                                       const std::filesystem::path& folder);

}  // namespace halftone
