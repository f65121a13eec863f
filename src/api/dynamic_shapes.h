// Input shapes in the options of ATC: --input_shape, with ranges of extents or with -1, and the
// dynamic options, whose sizes replace the -1.
#pragma once

#include <string>
#include <vector>

namespace halftone {

// Values of the options; empty: not given. A dynamic option lists profiles; each profile has the
// sizes that replace the -1 of --input_shape.
struct DynamicShapes {
  // One text for each occurrence of the option: "x:1,3,224,224", "x:1~8,3,224,224".
  std::vector<std::string> input_shape;
  // "1,2,8": three profiles. An input may have one -1, its first extent.
  std::string dynamic_batch_size;
  // "224,224;448,448": two profiles. An input may have two -1, its height and its width.
  std::string dynamic_image_size;
  // "1,20;8,40": two profiles. A profile has one size for each -1, in the order of --input_shape.
  std::string dynamic_dims;
};

// Converts the options to input shapes in the format of ModelOptions::input_shape, without -1 and
// ranges. Without a dynamic option, each --input_shape gives one shape; one with ranges gives two,
// with all least extents and with all greatest. A dynamic option gives one shape for each profile.
// Without any option the result is one empty text. Error kUsage: two dynamic options; a dynamic
// option beside several --input_shape, without a -1, or beside ranges; a -1 without a dynamic
// option; sizes that do not fit.
std::vector<std::string> InputShapesOf(const DynamicShapes& shapes);

}  // namespace halftone
