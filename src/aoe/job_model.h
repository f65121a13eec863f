// The networks of a job.
#pragma once

#include <cstddef>
#include <vector>

#include "src/aoe/job.h"
#include "src/api/halftone.h"

namespace halftone {

// A model of the job at the input shapes of its options, else at those of its samples. Errors as
// LoadSampleProfiles() (src/api/shape_profiles.h).
std::vector<Model> LoadModelOfJob(const AoeJob& job, std::size_t model);

}  // namespace halftone
