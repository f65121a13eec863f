/* The C interface from C11: what it answers, and that wrong calls get a sentence.
 *   c_api_test examples/digits/model.onnx    prints "passed", or the lines that failed
 * Null, closed and unknown handles, bad names and sizes must not crash (run under a sanitizer,
 * too).
 */
#include "halftone/c_api.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void Expect(int ok, const char* what, int line) {
  if (!ok) {
    ++failures;
    fprintf(stderr, "line %d: %s; last error: %s\n", line, what, halftone_last_error());
  }
}

#define EXPECT(condition) Expect((condition) ? 1 : 0, #condition, __LINE__)
/* The call fails with this status, and its sentence has this part. */
#define EXPECT_ERROR(call, status, part) \
  EXPECT((call) == (status));            \
  EXPECT(strstr(halftone_last_error(), (part)) != NULL)

enum { kPixels = 64, kClasses = 10 };

static const int64_t kInputShape[] = {1, 1, 8, 8};
static const int64_t kOutputShape[] = {1, kClasses};

static halftone_input InputOf(const float* pixels) {
  const halftone_input input = {.data = pixels,
                                .size_bytes = kPixels * sizeof(float),
                                .shape = kInputShape,
                                .rank = 4,
                                .dtype = HALFTONE_FLOAT32};
  return input;
}

static halftone_output OutputOf(float* scores) {
  const halftone_output output = {.data = scores,
                                  .size_bytes = kClasses * sizeof(float),
                                  .shape = kOutputShape,
                                  .rank = 2,
                                  .dtype = HALFTONE_FLOAT32};
  return output;
}

/* Messages have the names of this interface. */
static void TestWords(const char* model) {
  halftone_session session = 0;
  halftone_options options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.input_shape = "pixels:1,1,9,9";
  EXPECT(halftone_session_open(model, &options, &session) != HALFTONE_OK);
  EXPECT(strstr(halftone_last_error(), "input_shape") != NULL);
  EXPECT(strstr(halftone_last_error(), "--") == NULL);
  options.input_shape = NULL;
  options.soc_version = "nope";
  EXPECT(halftone_session_open(model, &options, &session) != HALFTONE_OK);
  EXPECT(strstr(halftone_last_error(), "--") == NULL);
  options.soc_version = NULL;
  options.precision = "--precision_mode=nope";
  EXPECT(halftone_session_open(model, &options, &session) != HALFTONE_OK);
  EXPECT(strstr(halftone_last_error(), "--") == NULL);
  options.precision = NULL;
  options.point = "nowhere";
  EXPECT(halftone_session_open(model, &options, &session) != HALFTONE_OK);
  EXPECT(strstr(halftone_last_error(), "--") == NULL);
}

static void TestRun(halftone_session session) {
  float pixels[kPixels];
  float scores[kClasses];
  float again[kClasses];
  for (int i = 0; i < kPixels; ++i) {
    pixels[i] = (float)(i % 17);
  }
  const halftone_input input = InputOf(pixels);
  const halftone_output output = OutputOf(scores);
  const halftone_output second = OutputOf(again);
  EXPECT(halftone_session_run(session, &input, 1, &output, 1) == HALFTONE_OK);
  EXPECT(halftone_session_run(session, &input, 1, &second, 1) == HALFTONE_OK);
  EXPECT(memcmp(scores, again, sizeof(scores)) == 0);
  float sum = 0;
  for (int i = 0; i < kClasses; ++i) {
    sum += scores[i];
  }
  EXPECT(sum > 0.98F && sum < 1.02F); /* probabilities in float16: ten roundings of 2^-11 */

  halftone_output unwanted = second;
  unwanted.data = NULL;
  EXPECT(halftone_session_run(session, &input, 1, &unwanted, 1) == HALFTONE_OK);
}

static void TestWrongRuns(halftone_session session) {
  float pixels[kPixels] = {0};
  float scores[kClasses];
  const halftone_output output = OutputOf(scores);
  halftone_input input = InputOf(pixels);
  EXPECT_ERROR(halftone_session_run(session, NULL, 1, &output, 1), HALFTONE_USAGE, "'inputs'");
  EXPECT_ERROR(halftone_session_run(session, &input, 1, NULL, 1), HALFTONE_USAGE, "'outputs'");
  EXPECT_ERROR(halftone_session_run(session, &input, 0, &output, 1), HALFTONE_USAGE, "1 input");
  EXPECT_ERROR(halftone_session_run(session, &input, 1, &output, 0), HALFTONE_USAGE, "1 output");
  input.dtype = HALFTONE_INT32;
  EXPECT_ERROR(halftone_session_run(session, &input, 1, &output, 1), HALFTONE_USAGE,
               "found int32 1x1x8x8; nothing is converted");
  input.dtype = 99;
  EXPECT_ERROR(halftone_session_run(session, &input, 1, &output, 1), HALFTONE_USAGE, "found 99");
  input = InputOf(pixels);
  input.size_bytes = 255;
  EXPECT_ERROR(halftone_session_run(session, &input, 1, &output, 1), HALFTONE_USAGE,
               "expected 256 bytes");
  input = InputOf(NULL);
  EXPECT_ERROR(halftone_session_run(session, &input, 1, &output, 1), HALFTONE_USAGE,
               "found no data");
  input = InputOf(pixels);
  input.shape = NULL;
  EXPECT_ERROR(halftone_session_run(session, &input, 1, &output, 1), HALFTONE_USAGE, "null");
  input.shape = kInputShape;
  input.rank = SIZE_MAX; /* is not read as a number of extents */
  EXPECT_ERROR(halftone_session_run(session, &input, 1, &output, 1), HALFTONE_USAGE,
               "input 0: expected a rank of at most 64");
  input.rank = 4;
  const int64_t negative[] = {-1, -1, 8, 8};
  input.shape = negative;
  EXPECT_ERROR(halftone_session_run(session, &input, 1, &output, 1), HALFTONE_USAGE, "'pixels'");
}

static void TestDescriptions(halftone_session session) {
  size_t inputs = 0;
  size_t outputs = 0;
  EXPECT(halftone_session_counts(session, &inputs, &outputs) == HALFTONE_OK);
  EXPECT(inputs == 1 && outputs == 1);
  halftone_tensor_info info;
  EXPECT(halftone_session_input(session, 0, 0, &info) == HALFTONE_OK);
  EXPECT(strcmp(info.name, "pixels") == 0 && info.rank == 4 && info.shape[3] == 8);
  EXPECT(info.dtype == HALFTONE_FLOAT32 && info.size_bytes == kPixels * sizeof(float));
  EXPECT(halftone_session_output(session, 0, 0, &info) == HALFTONE_OK);
  EXPECT(info.rank == 2 && info.shape[1] == kClasses);
  EXPECT_ERROR(halftone_session_input(session, 0, 1, &info), HALFTONE_USAGE, "below 1, found 1");
  EXPECT_ERROR(halftone_session_output(session, 7, 0, &info), HALFTONE_USAGE, "found 7");
  EXPECT_ERROR(halftone_session_input(session, 0, 0, NULL), HALFTONE_USAGE, "'info'");
  EXPECT_ERROR(halftone_session_counts(session, NULL, &outputs), HALFTONE_USAGE, "'inputs'");

  char digest[33] = "";
  EXPECT(halftone_session_plan_digest(session, digest) == HALFTONE_OK && strlen(digest) == 32);
  char* text = NULL;
  EXPECT(halftone_session_explain(session, "json", &text) == HALFTONE_OK);
  EXPECT(text != NULL && strstr(text, digest) != NULL);
  halftone_text_free(text);
  EXPECT_ERROR(halftone_session_explain(session, "poem", &text), HALFTONE_USAGE, "poem");
  EXPECT(text == NULL);
  halftone_text_free(text);
  EXPECT(halftone_session_notes(session, &text) == HALFTONE_OK && text != NULL);
  halftone_text_free(text);
  EXPECT_ERROR(halftone_session_add_shape(session, "pixels:1,1", NULL), HALFTONE_USAGE, "pixels");
  EXPECT_ERROR(halftone_session_add_shape(session, NULL, NULL), HALFTONE_USAGE, "'input_shape'");
  EXPECT(halftone_session_reserve(session, 3) == HALFTONE_OK);
  EXPECT_ERROR(halftone_session_reserve(session, 1000000), HALFTONE_USAGE,
               "at most 4096 concurrent runs to be asked for, found 1000000");
  EXPECT_ERROR(halftone_session_reserve(session, SIZE_MAX), HALFTONE_USAGE, "at most 4096");
}

static void TestWrongOpens(const char* model) {
  halftone_session session = 5;
  EXPECT_ERROR(halftone_session_open(NULL, NULL, &session), HALFTONE_USAGE, "'model'");
  EXPECT(session == 0);
  EXPECT_ERROR(halftone_session_open(model, NULL, NULL), HALFTONE_USAGE, "'session'");
  EXPECT_ERROR(halftone_session_open("no/such.onnx", NULL, &session), HALFTONE_IO, "no/such.onnx");
  halftone_options options;
  memset(&options, 0, sizeof(options));
  EXPECT_ERROR(halftone_session_open(model, &options, &session), HALFTONE_USAGE,
               "halftone_options: expected size");
  options.size = sizeof(options);
  options.precision = "--precision_mode=no_such_mode";
  EXPECT_ERROR(halftone_session_open(model, &options, &session), HALFTONE_USAGE, "no_such_mode");
  options.precision = NULL;
  options.threads = 100000;
  EXPECT_ERROR(halftone_session_open(model, &options, &session), HALFTONE_USAGE,
               "threads=100000: expected a whole number from 0 to 1024");
  options.threads = 0;
  options.point = "no/such/point";
  EXPECT_ERROR(halftone_session_open(model, &options, &session), HALFTONE_USAGE, "no/such/point");
  EXPECT(session == 0);
}

static void TestHandles(halftone_session closed) {
  size_t inputs = 0;
  size_t outputs = 0;
  EXPECT_ERROR(halftone_session_close(closed), HALFTONE_USAGE, "is closed");
  EXPECT_ERROR(halftone_session_counts(closed, &inputs, &outputs), HALFTONE_USAGE, "is closed");
  EXPECT_ERROR(halftone_session_run(closed, NULL, 0, NULL, 0), HALFTONE_USAGE, "is closed");
  EXPECT_ERROR(halftone_session_close(closed + 1000), HALFTONE_USAGE, "was never opened");
  EXPECT_ERROR(halftone_session_counts(0, &inputs, &outputs), HALFTONE_USAGE, "never opened");
  EXPECT(halftone_session_close(0) == HALFTONE_OK);
}

static void* OtherThread(void* session) {
  (void)session;
  EXPECT(strcmp(halftone_last_error(), "") == 0); /* the failures were of another thread */
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fputs("usage: c_api_test model.onnx\n", stderr);
    return 2;
  }
  EXPECT(halftone_c_version() == HALFTONE_C_VERSION);
  EXPECT(strlen(halftone_version()) > 0);
  EXPECT(strcmp(halftone_last_error(), "") == 0);
  TestWrongOpens(argv[1]);
  TestWords(argv[1]);

  halftone_options options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.precision = "--precision_mode=force_fp16";
  options.threads = 1;
  halftone_session session = 0;
  EXPECT(halftone_session_open(argv[1], &options, &session) == HALFTONE_OK && session != 0);
  TestRun(session);
  TestWrongRuns(session);
  TestDescriptions(session);
  TestRun(session); /* errors leave nothing behind */
  EXPECT(halftone_session_close(session) == HALFTONE_OK);
  TestHandles(session);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, OtherThread, NULL) == 0);
  pthread_join(thread, NULL);
  puts(failures == 0 ? "passed" : "failed");
  return failures == 0 ? 0 : 1;
}
