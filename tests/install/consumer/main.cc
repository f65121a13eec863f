// Reads a network with the installed library and prints its plan in float16.
#include <halftone/halftone.h>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: consumer model.onnx\n", stderr);
    return 2;
  }
  try {
    halftone::Configuration configuration;
    configuration.precision.precision_mode = "force_fp16";
    const halftone::ConfiguredNetwork network({.path = argv[1]}, configuration);
    std::printf("halftone %s\n", halftone::Version().data());
    std::fputs(halftone::Explain(network).text.c_str(), stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
