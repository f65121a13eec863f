// Reads a network with the installed library and prints its plan in float16.
#include <cstdio>
#include <exception>

#include "src/api/halftone.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: consumer model.onnx\n", stderr);
    return 2;
  }
  try {
    const halftone::Model model = halftone::LoadModel({.path = argv[1]});
    const halftone::TargetSpec target = halftone::LoadTarget("host");
    halftone::PrecisionOptions options;
    options.precision_mode = "force_fp16";
    std::printf("halftone %s\n", halftone::Version().data());
    std::fputs(halftone::ExplainText(model, target, options).text.c_str(), stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
