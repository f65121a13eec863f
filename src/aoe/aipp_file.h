// Parser of the files of --insert_op_conf: pre-processing of images by AIPP.
#pragma once

#include <string>
#include <string_view>

namespace halftone {

// Converts a static aipp_op to a text for --image (src/accuracy/image_transform.h): a resize to
// src_image_size, channels in RGB, BGR or gray, and (pixel - mean_chn - min_chn) * var_reci_chn.
//
// `content` is protobuf text, "aipp_op { key : value ... }", with # comments. Error kUsage, naming
// the file, for another structure (with the line) and for a value that its key does not take. If
// the file asks for pre-processing that halftone does not have, one Error kUsage lists all such
// keys with their lines and what to do instead.
std::string ParseAipp(std::string_view content, std::string_view file_name);

}  // namespace halftone
