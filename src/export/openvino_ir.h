// The IR of OpenVINO with marks on the layers that stay in float32.
#pragma once

#include <string>
#include <string_view>

#include "src/export/openvino_marks.h"

namespace halftone {

// Most bytes of a net.xml that is patched; its weights lie in net.bin.
inline constexpr std::size_t kMostIrBytes = 256U << 20U;

// `xml`, an IR of version 10 or 11, with <rt_info><attribute name="precise" version="0"/></rt_info>
// in each layer that `marks` mean; all other bytes are those of `xml`. A layer that has the mark
// keeps it, so that patching twice is patching once. Bodies of TensorIterator, Loop and If are not
// marked. `where`: the file's name. Losses: tensors that no layer makes. Errors kUsage, "<where>:
// ...", with the line: not XML in UTF-8, no IR, a layer twice, an edge to no layer, no tensor of
// `marks` in it.
ExportedText PatchOpenVinoIr(std::string_view xml, std::string_view where, OpenVinoMarks marks);

}  // namespace halftone
