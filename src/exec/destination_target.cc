#include "src/exec/destination_target.h"

#include <string>

#include "src/exec/host_target.h"

namespace halftone {

TargetSpec DestinationTarget(const Destination& destination) {
  TargetSpec target = HostTarget(kIsaAny);  // points are of the runtime, not of a CPU here
  target.name = std::string(destination.name);
  target.destination = &destination;
  // A QDQ file can round to 16 bits, but then no runtime computes in 16 bits.
  target.formats = {DType::kFloat32, *NumericFormat::Named("qint8")};
  target.has_wide_int8 = !destination.wide.empty();
  const auto figure = [&](const char* name, double value, const char* unit) {
    target.roofline.push_back({name, value, unit, std::string(destination.source)});
  };
  figure("cube_float32", destination.float32, "TFLOP/s");
  figure("cube_float16", destination.float16, "TFLOP/s");
  figure("cube_bfloat16", destination.bfloat16, "TFLOP/s");
  figure("cube_int8", destination.int8, "TOP/s");
  figure("memory_bandwidth", destination.bandwidth, "GB/s");
  return target;
}

}  // namespace halftone
