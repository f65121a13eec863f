// Parser of FLEET.yaml, the user's description of a fleet (docs/guide/fleets.md):
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
  std::filesystem::path folder;  // absolute path of the fleet's folder
  FleetPlan plan;
};

// Parses the text of a file. `where`: absolute path of the file; patterns and relative paths are
// resolved against its folder. Networks that a pattern finds are sorted by name. Error kUsage, with
// file and line: as ParseStrictYaml(); an unknown key; a name that is no file name or occurs twice;
// a pattern without a match; a missing model; an option that the fleet sets itself. Does not check
// that `halftone tune` has the other options.
FleetFile ParseFleetFile(std::string_view text, const std::filesystem::path& where);

}  // namespace halftone
