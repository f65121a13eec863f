// Several input shapes as ATC options: --input_shape with ranges, or with -1 and the sizes that
// replace it.
#pragma once

#include <string>
#include <vector>

namespace halftone {

// The texts of the options; empty: not given.
struct DynamicShapes {
  // "x:1,3,224,224", "x:1~8,3,224,224": one for each time the option stands.
  std::vector<std::string> input_shape;
  std::string dynamic_batch_size;  // "1,2,8": the -1 that every such input has in front
  std::string dynamic_image_size;  // "224,224;448,448": the two -1 of an input, in order
  std::string dynamic_dims;        // "1,20;8,40": all -1, in the order of --input_shape
};

// The input shapes, as texts of ModelOptions::input_shape without -1: each --input_shape unchanged;
// for one with ranges, all least extents and all greatest; for a dynamic option, one for each
// profile. One empty text where nothing is given. Error kUsage: two dynamic options; a dynamic
// option without -1 to replace, with several --input_shape, or with ranges; -1 without a dynamic
// option; texts that do not fit.
std::vector<std::string> InputShapesOf(const DynamicShapes& shapes);

}  // namespace halftone
