// Networks of a job.
#pragma once

#include <cstddef>
#include <vector>

#include "src/aoe/job.h"
#include "src/api/halftone.h"

namespace halftone {

// Reads job.models[model] at the input shapes of the options or, without these, of the samples.
// Errors as LoadSampleProfiles() (src/api/shape_profiles.h).
std::vector<Model> LoadModelOfJob(const AoeJob& job, std::size_t model);

}  // namespace halftone
