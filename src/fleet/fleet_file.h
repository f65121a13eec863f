// FLEET.yaml: what a user writes of a fleet (docs/guide/fleets.md).
//
//   fleet: november                 # the folder, shared by all machines
//   engine: slurm
//   kinds: {zen5: {constraint: zen5}}
//   defaults: {budget: 5min}
//   networks:
//     - each: models/*
//     - {model: kws.onnx, inputs: data/kws, min_sqnr_db: 40}
#pragma once

#include <filesystem>
#include <string_view>

#include "src/fleet/fleet_plan.h"

namespace halftone {

struct FleetFile {
  std::filesystem::path folder;  // of the fleet, absolute
  FleetPlan plan;
};

// `where` is the file's path, absolute: patterns and relative paths start in its folder. Networks
// that patterns find come by name. Error kUsage with file and line: what ParseStrictYaml() says, an
// unknown key, a name that is no file name or stands twice, a pattern that finds nothing, a model
// that is not there, an option that the fleet sets itself. Whether `halftone tune` knows the other
// options is not checked.
FleetFile ParseFleetFile(std::string_view text, const std::filesystem::path& where);

}  // namespace halftone
