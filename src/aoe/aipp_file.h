// --insert_op_conf: pre-processing of images (AIPP), as far as it is done here.
#pragma once

#include <string>
#include <string_view>

namespace halftone {

// Converts a static aipp_op to words of --image (src/accuracy/image_transform.h): images of
// src_image_size, channels in RGB, BGR or gray, (pixel - mean_chn - min_chn) * var_reci_chn.
//
// Content: protobuf text, "aipp_op { key : value ... }", # comments. Error kUsage naming the file:
// another structure, with the line; a value that its key does not take. One error lists all parts
// that are not done here, with their lines and the options that replace them.
std::string ParseAipp(std::string_view content, std::string_view file_name);

}  // namespace halftone
