// Tunes a network as a library user would: load, tune, print, look at the points.
//   example_01_tune_model [model.onnx [inputs.npy]]
#include <cstdio>
#include <string>

#include "src/api/halftone.h"
#include "src/base/error.h"

int main(int argc, char** argv) {
  const std::string folder = "examples/digits/";
  try {
    halftone::TuneOptions options;
    options.data.inputs = argc > 2 ? argv[2] : folder + "search_inputs.npy";
    options.constraints.min_sqnr_db = 40;
    options.max_trials = 12;
    options.measure.quick_budget_s = 0.05;  // rough figures are enough for an example
    options.measure.full_budget_s = 0.1;
    const halftone::Model model = halftone::LoadModel(
        {.path = argc > 1 ? argv[1] : folder + "model.onnx", .inputs = options.data.inputs});

    const halftone::TuneSummary summary = halftone::Tune(model, options);
    std::printf("%s\n", halftone::FormatConsole(summary).c_str());
    for (const halftone::FrontPoint& point : summary.front.points) {
      std::printf("%s: %zu nodes in low precision\n",
                  halftone::Summary(point.trial.candidate, *summary.run.words).c_str(),
                  point.trial.low_precision_nodes.size());
    }
  } catch (const halftone::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
