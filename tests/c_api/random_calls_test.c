/* Random sequences of calls of the C interface with wild arguments: null, closed and unknown
 * handles, sizes and ranks up to SIZE_MAX, foreign texts.
 *   random_calls_test MODEL [SEED]...    prints "passed", or the calls that broke a promise
 * Each call returns a status of the header, none of HALFTONE_INTERNAL, and one that failed leaves a
 * printable sentence. What the interface trusts stays true: memory that is named exists, as long as
 * its size is the one that the session expects.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halftone/c_api.h"

enum { kCalls = 1500, kHandles = 4, kExtents = 64, kBytes = 1 << 16 };

static uint64_t state;
static int failures = 0;

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators". */
static uint64_t Next(void) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * UINT64_C(2685821657736338717);
}

static size_t Below(size_t count) {
  return (size_t)(Next() >> 33) % count;
}

static const char* model;
static char long_text[5001];
static unsigned char memory[2][kBytes];
static int64_t shape[kExtents];
static halftone_session handles[kHandles];

static const char* Text(void) {
  static const char* const kTexts[] = {"",
                                       "pixels:1,1,8,8",
                                       "pixels:2,1,8,8",
                                       "pixels:0,1,8,8",
                                       "pixels:-1,1,8,8",
                                       "pixels:1099511627776,1,8,8",
                                       "pixels:99999999999999999999,1,8,8",
                                       "pixels:1",
                                       ";;;:,",
                                       "nope:1",
                                       "table",
                                       "json",
                                       "csv",
                                       "fastest",
                                       "0",
                                       "18446744073709551616",
                                       "host",
                                       "Ascend310P3",
                                       "--precision_mode=force_fp16",
                                       "--precision_mode=nope",
                                       "--max_trials=nan",
                                       "/dev/zero",
                                       "/",
                                       "no/such/file",
                                       "%s%n%d",
                                       "\xff\xfe\x01\n\x1b[2J"};
  const size_t count = sizeof(kTexts) / sizeof(kTexts[0]);
  const size_t i = Below(count + 4);
  return i < count ? kTexts[i] : i == count ? NULL : i == count + 1 ? long_text : model;
}

static size_t Size(void) {
  static const size_t kSizes[] = {
      0, 1, 2, 3, 4, 33, 40, 64, 65, 256, 4096, 1000000, SIZE_MAX / 2, SIZE_MAX - 1, SIZE_MAX};
  return kSizes[Below(sizeof(kSizes) / sizeof(kSizes[0]))];
}

static int32_t Whole(void) {
  static const int32_t kWhole[] = {0,  1,    2,    3,      -1,        7,        8,
                                   16, 1000, 1025, 100000, INT32_MAX, INT32_MIN};
  return kWhole[Below(sizeof(kWhole) / sizeof(kWhole[0]))];
}

static halftone_session Handle(void) {
  const size_t i = Below(kHandles + 3);
  return i < kHandles        ? handles[i]
         : i == kHandles     ? 0
         : i == kHandles + 1 ? UINT64_MAX
                             : Next() % 32;
}

static void FillShape(void) {
  static const int64_t kExtent[] = {
      1, 1, 8, 8, 0, -1, 2, 10, INT64_MAX, INT64_MIN, INT64_C(1) << 32};
  for (int i = 0; i < kExtents; ++i) {
    shape[i] = kExtent[Below(sizeof(kExtent) / sizeof(kExtent[0]))];
  }
  if (Below(3) > 0) { /* what the example network takes, so that some runs are right */
    const int64_t pixels[] = {1, 1, 8, 8};
    memcpy(shape, pixels, sizeof(pixels));
  }
}

static halftone_input Input(void) {
  halftone_input input;
  input.data = Below(8) == 0 ? NULL : memory[0] + Below(64);
  input.size_bytes = Below(2) == 0 ? 256 : Size();
  input.shape = Below(10) == 0 ? NULL : shape;
  input.rank = Below(2) == 0 ? 4 : Size();
  input.dtype = Below(2) == 0 ? (int32_t)HALFTONE_FLOAT32 : Whole();
  return input;
}

static const int64_t kScores[] = {1, 10};

static halftone_output Output(void) {
  const halftone_input other = Input();
  halftone_output output;
  const int right = Below(2) == 0;
  output.data = Below(4) == 0 ? NULL : memory[Below(2)] + 1024 + Below(64);
  output.size_bytes = right ? 40 : other.size_bytes;
  output.shape = right ? kScores : other.shape;
  output.rank = right ? 2 : other.rank;
  output.dtype = right ? (int32_t)HALFTONE_FLOAT32 : other.dtype;
  return output;
}

static void Check(int call, const char* name, halftone_status status) {
  if (status == HALFTONE_OK) {
    return;
  }
  const char* sentence = halftone_last_error();
  int broken = status < HALFTONE_USAGE || status >= HALFTONE_INTERNAL || sentence == NULL ||
               sentence[0] == '\0';
  for (const char* c = sentence; !broken && *c != '\0'; ++c) {
    broken = (unsigned char)*c < 0x20 || *c == 0x7f;
  }
  if (broken) {
    ++failures;
    fprintf(stderr, "call %d, %s: status %d, '%s'\n", call, name, (int)status,
            sentence == NULL ? "" : sentence);
  }
}

static halftone_status Open(void) {
  halftone_options options;
  memset(&options, 0, sizeof(options));
  options.size = Below(10) == 0 ? Size() : sizeof(options);
  options.threads = Below(2) == 0 ? 1 : Whole();
  options.allocation_free = Whole();
  options.point = Below(6) == 0 ? Text() : NULL;
  options.precision = Below(3) == 0 ? Text() : NULL;
  options.bank = Below(8) == 0 ? Text() : NULL;
  options.select = Below(8) == 0 ? Text() : NULL;
  options.soc_version = Below(8) == 0 ? Text() : NULL;
  options.input_shape = Below(4) == 0 ? Text() : NULL;
  return halftone_session_open(Below(4) == 0 ? Text() : model, Below(6) == 0 ? NULL : &options,
                               Below(20) == 0 ? NULL : &handles[Below(kHandles)]);
}

static halftone_status RunOnce(void) {
  halftone_input inputs[2];
  halftone_output outputs[2];
  FillShape();
  for (int i = 0; i < 2; ++i) {
    inputs[i] = Input();
    outputs[i] = Output();
  }
  /* Counts of arrays that exist; null may come with any. */
  const int no_inputs = Below(12) == 0;
  const int no_outputs = Below(12) == 0;
  return halftone_session_run(Handle(), no_inputs ? NULL : inputs, no_inputs ? Size() : Below(3),
                              no_outputs ? NULL : outputs, no_outputs ? Size() : Below(3));
}

static void Call(int number) {
  static const size_t kRuns[] = {0, 1, 3, 5000, 1000000, SIZE_MAX};
  size_t counts[2];
  halftone_tensor_info info;
  char digest[33];
  char* text = NULL;
  switch (Below(12)) {
    case 0:
      Check(number, "open", Open());
      break;
    case 1:
      Check(number, "close", halftone_session_close(Handle()));
      break;
    case 2:
      Check(number, "counts",
            halftone_session_counts(Handle(), Below(6) == 0 ? NULL : &counts[0],
                                    Below(6) == 0 ? NULL : &counts[1]));
      break;
    case 3:
      Check(number, "input",
            halftone_session_input(Handle(), Size(), Size(), Below(6) == 0 ? NULL : &info));
      break;
    case 4:
      Check(number, "output",
            halftone_session_output(Handle(), Size(), Size(), Below(6) == 0 ? NULL : &info));
      break;
    case 5:
      Check(number, "add_shape",
            halftone_session_add_shape(Handle(), Text(), Below(2) == 0 ? NULL : &counts[0]));
      break;
    case 6:
      Check(number, "reserve", halftone_session_reserve(Handle(), kRuns[Below(6)]));
      break;
    case 7:
      Check(number, "plan_digest",
            halftone_session_plan_digest(Handle(), Below(6) == 0 ? NULL : digest));
      break;
    case 8:
      Check(number, "explain",
            halftone_session_explain(Handle(), Text(), Below(6) == 0 ? NULL : &text));
      halftone_text_free(text);
      break;
    case 9:
      Check(number, "notes", halftone_session_notes(Handle(), Below(6) == 0 ? NULL : &text));
      halftone_text_free(text);
      break;
    default:
      Check(number, "run", RunOnce());
      break;
  }
}

int main(int argc, char** argv) {
  if (argc < 2) {
    return 2;
  }
  model = argv[1];
  memset(long_text, 'x', sizeof(long_text) - 1);
  const int seeds = argc > 2 ? argc - 2 : 1;
  for (int s = 0; s < seeds; ++s) {
    state = argc > 2 ? strtoull(argv[s + 2], NULL, 10) : 1;
    state = state * UINT64_C(0x9E3779B97F4A7C15) + 1;
    for (int i = 0; i < kHandles; ++i) {
      handles[i] = 0;
    }
    for (int call = 0; call < kCalls; ++call) {
      Call(call);
    }
    for (int i = 0; i < kHandles; ++i) {
      halftone_session_close(handles[i]);
    }
  }
  if (failures == 0) {
    printf("passed\n");
  }
  return failures == 0 ? 0 : 1;
}
