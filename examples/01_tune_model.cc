// Tunes a network as a library user would: load, tune, print, look at the points.
//   example_01_tune_model [model.onnx [inputs.npy]]
#include <halftone/halftone.h>

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  const std::string folder = "examples/digits/";
  try {
    halftone::TuneOptions options;
    options.data.inputs = argc > 2 ? argv[2] : folder + "search_inputs.npy";
    options.constraints.min_sqnr_db = 40;
    options.max_trials = 12;
    options.measure.quick_budget_s = 0.05;  // rough figures are enough for an example
    options.measure.full_budget_s = 0.1;
    const halftone::ModelOptions model = {.path = argc > 1 ? argv[1] : folder + "model.onnx",
                                          .inputs = options.data.inputs};

    const halftone::TuneResult tuned = halftone::Tune(model, options);
    std::printf("%s\n", tuned.text.c_str());
    for (const halftone::TunedPoint& point : tuned.points) {
      std::printf("%s: %.2fx, %zu nodes in low precision\n", point.configuration.c_str(),
                  point.speed_up, point.low_precision_nodes);
    }
  } catch (const halftone::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
