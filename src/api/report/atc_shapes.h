// Several input shapes as options of ATC.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace halftone {

// Returns the arguments with which ATC compiles a network once for all of these shapes
// ("x:1,3,8,8", the same inputs in each). One shape gives --input_shape. Several give --input_shape
// with -1 where they differ, and the sizes in --dynamic_batch_size, in --dynamic_image_size, or in
// --dynamic_dims with --input_format=ND. InputShapesOf() (src/api/dynamic_shapes.h) is the inverse.
std::vector<std::string> AtcShapeArguments(std::span<const std::string> shapes);

}  // namespace halftone
