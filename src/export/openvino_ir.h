// IR of OpenVINO, with marks on the layers that stay in float32.
#pragma once

#include <string>
#include <string_view>

#include "src/export/openvino_marks.h"

namespace halftone {

// Most bytes of a net.xml that is patched; its weights lie in net.bin.
inline constexpr std::size_t kMostIrBytes = 256U << 20U;

// Adds <rt_info><attribute name="precise" version="0"/></rt_info> to each layer of `xml` that
// `marks` cover; all other bytes are those of `xml`, an IR of version 10 or 11. A layer that has
// the mark keeps it, so that patching twice is patching once. Bodies of TensorIterator, Loop and If
// are not marked. `where`: the file's name. Losses: tensors that no layer makes.
//
// Error kUsage; the message begins with `where`, and with the line if the fault is in one:
// - the file is not XML in UTF-8, or no IR;
// - a layer stands twice;
// - an edge leads to no layer;
// - no layer makes a tensor of `marks`.
ExportedText PatchOpenVinoIr(std::string_view xml, std::string_view where, OpenVinoMarks marks);

}  // namespace halftone
