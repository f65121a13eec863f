// Content of a ConfiguredNetwork, which is opaque in the public interface.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "halftone/network.h"
#include "src/api/halftone.h"
#include "src/api/options/point.h"

namespace halftone {

struct ConfiguredNetwork::Content {
  std::optional<Point> point;
  TargetOptions target_options;
  TargetSpec target;
  PrecisionOptions precision;
  std::string input_shape;
  std::string fusion_switch_file;
  // One for each input shape, and one more for each further trace at a shape.
  std::vector<Model> models;
  std::vector<std::string> warnings;
};

}  // namespace halftone
