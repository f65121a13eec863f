// The network that is tuned, at each input shape, its target, and the files that its plans are
// made of.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "src/api/halftone.h"
#include "src/exec/shared_constants.h"
#include "src/precision/files/write_files.h"
#include "src/qaic/profile_file.h"
#include "src/target/target_spec.h"

namespace halftone {

// Const once ReadNetwork() returns it. Refers to the profiles, which must outlive it.
struct NetworkAtShapes {
  std::span<const Model> profiles;  // the network at each input shape; plans are of the first
  TargetSpec target;
  OptionFiles sources;                          // of the target and the network, as they were read
  std::optional<DumpedProfile> dumped_profile;  // of --load_profile, likewise
  std::unique_ptr<SharedConstants> shared;      // of all executables of the run; never null

  [[nodiscard]] const Model& model() const { return profiles.front(); }

  [[nodiscard]] const Graph& graph() const { return model().graph; }
};

// Files are read before the search, so that points have what was searched with, whatever becomes of
// them meanwhile. `profiles`: one at least. Errors: as LoadTarget() and ReadVendorProfile();
// kUnsupported for a network that the machine has no memory for; kUsage for fusions that the target
// does not make.
NetworkAtShapes ReadNetwork(std::span<const Model> profiles, const TuneOptions& options);

}  // namespace halftone
