#include "src/api/tune/network_at_shapes.h"

#include <utility>

#include "src/api/load/memory_limit.h"
#include "src/api/load/plan_sources.h"
#include "src/api/tune/destination.h"

namespace halftone {

NetworkAtShapes ReadNetwork(std::span<const Model> profiles, const TuneOptions& options) {
  TargetSpec target = LoadTarget(options.target);
  for (const Model& profile : profiles) {
    RequireMachineMemory(profile.graph);
    RequireFusionsOff(profile.graph, target);
  }
  OptionFiles sources = PlanSourcesOf(options.target, target, profiles);
  std::optional<DumpedProfile> dumped;
  if (!options.load_profile.empty()) {
    dumped = ReadVendorProfile(profiles.front().graph, options.load_profile, "--load_profile");
  }
  return {.profiles = profiles,
          .target = std::move(target),
          .sources = std::move(sources),
          .dumped_profile = std::move(dumped),
          .shared = std::make_unique<SharedConstants>()};
}

}  // namespace halftone
