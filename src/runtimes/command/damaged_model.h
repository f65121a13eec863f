// Model that is wrong on purpose: a command whose outputs are still right does not run the file
// that it is given.
#pragma once

#include <filesystem>
#include <optional>

#include "src/ir/graph.h"

namespace halftone {

// Writes `model`, which is that of `network`, with outputs that are negated, or inverted where they
// are bool, as damaged.onnx into `folder`; files with weights beside the model are linked into it.
// Names, opset and interface stay. Empty: there is no output of a signed number or bool that a node
// makes. Error kModel, kIo, kUnsupported: above 2 GiB.
std::optional<std::filesystem::path> WriteDamagedModel(const std::filesystem::path& model,
                                                       const Graph& network,
                                                       const std::filesystem::path& folder);

}  // namespace halftone
