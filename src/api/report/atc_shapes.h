// Several input shapes in the options of ATC.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace halftone {

// Arguments of ATC for a model that is compiled once for all of these shapes, texts as "x:1,3,8,8"
// of the same inputs: --input_shape with -1 where they differ and --dynamic_batch_size,
// --dynamic_image_size or, with --input_format=ND, --dynamic_dims (InputShapesOf() in
// src/api/dynamic_shapes.h reads them). --input_shape alone for one shape.
std::vector<std::string> AtcShapeArguments(std::span<const std::string> shapes);

}  // namespace halftone
