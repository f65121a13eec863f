// Part of a machine profile: the time that each kernel of one operator takes on this machine, over
// a grid of shapes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/exec/call_shape.h"

namespace halftone {

struct ProfiledCall {
  CallShape shape;
  std::map<std::string, double> seconds;  // by kernel: median seconds of one call

  friend bool operator==(const ProfiledCall&, const ProfiledCall&) = default;
};

struct OperatorProfile {
  std::string op;   // "Conv"
  int threads = 0;  // threads that the calls ran on
  std::vector<ProfiledCall> calls;

  friend bool operator==(const OperatorProfile&, const OperatorProfile&) = default;
};

}  // namespace halftone
