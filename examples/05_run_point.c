/* Runs a point from C: what any language that can load libhalftone.so does.
 *   example_05_run_point examples/digits/model.onnx out/point_1
 */
#include <halftone/c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kSeven[] =
    "  ####  "
    " ###### "
    "     ## "
    "    ##  "
    "  ##### "
    "   ##   "
    "  ##    "
    "  ##    ";

static void Require(halftone_status status) {
  if (status != HALFTONE_OK) {
    fprintf(stderr, "error: %s\n", halftone_last_error());
    exit(1);
  }
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fputs("usage: example_05_run_point MODEL POINT\n", stderr);
    return 2;
  }
  halftone_options options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.point = argv[2];
  options.threads = 1;
  halftone_session session;
  Require(halftone_session_open(argv[1], &options, &session));

  halftone_tensor_info in;
  halftone_tensor_info out;
  Require(halftone_session_input(session, 0, 0, &in));
  Require(halftone_session_output(session, 0, 0, &out));
  float pixels[64];
  for (size_t i = 0; i < 64; ++i) {
    pixels[i] = kSeven[i] == '#' ? 1.0F : 0.0F;
  }
  float scores[10];
  const halftone_input from = {pixels, sizeof(pixels), in.shape, in.rank, HALFTONE_FLOAT32};
  const halftone_output to = {scores, sizeof(scores), out.shape, out.rank, HALFTONE_FLOAT32};
  Require(halftone_session_run(session, &from, 1, &to, 1));

  size_t best = 0;
  for (size_t c = 0; c < 10; ++c) {
    printf("%zu %.4f\n", c, scores[c]);
    best = scores[c] > scores[best] ? c : best;
  }
  printf("the digit is a %zu\n", best);
  Require(halftone_session_close(session));
  return 0;
}
