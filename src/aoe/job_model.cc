#include "src/aoe/job_model.h"

#include "src/api/shape_profiles.h"

namespace halftone {

std::vector<Model> LoadModelOfJob(const AoeJob& job, std::size_t model) {
  const ModelOptions options{.path = job.models[model],
                             .input_shape = {},
                             .inputs = job.data.inputs,
                             .image = job.data.image,
                             .refuse_free_dimensions = true,
                             .fusions_off = job.fusion_switches.off,
                             .fusion_switches = job.fusion_switches.file};
  std::vector<std::string> shapes = InputShapesOf(job.shapes);
  if (shapes.size() == 1 && shapes.front().empty()) {
    shapes = ShapesOfSamples(options, job.data);
  }
  return LoadSampleProfiles(options, shapes, job.data);
}

}  // namespace halftone
