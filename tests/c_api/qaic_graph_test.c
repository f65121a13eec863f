/* The graph API's precision, from C and from C++ (the same text, compiled as both).
 *   qaic_graph_test halftone model.onnx folder    prints "passed", or the lines that failed
 * Plans are those of `halftone qaic-compile` with the same lists; null, wild sizes and closed
 * graphs get a sentence and must not crash (run under a sanitizer, too).
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* popen() */
#endif
#include <halftone/qaic_graph.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void Expect(int ok, const char* what, int line) {
  if (!ok) {
    ++failures;
    fprintf(stderr, "line %d: %s; last error: %s\n", line, what, halftone_last_error());
  }
}

#define EXPECT(condition) Expect((condition) ? 1 : 0, #condition, __LINE__)
/* The call fails with this status, and its sentence, of one line, has this part. */
#define EXPECT_ERROR(call, status, part)                 \
  EXPECT((call) == (status));                            \
  EXPECT(strstr(halftone_last_error(), (part)) != NULL); \
  EXPECT(strchr(halftone_last_error(), '\n') == NULL)

enum { kDigits = 33, kPath = 4096, kLine = 1024 };

static const char* program;
static const char* model;
static const char* folder;

static const char* Written(const char* name, const char* text) {
  static char paths[8][kPath];
  static int next = 0;
  char* path = paths[next++ % 8];
  FILE* file;
  snprintf(path, kPath, "%s/%s", folder, name);
  file = fopen(path, "w");
  EXPECT(file != NULL);
  if (file != NULL) {
    fputs(text, file);
    fclose(file);
  }
  return path;
}

/* The plan that `halftone qaic-compile` prints. */
static void PlanOfProgram(const char* options, const char* lists, char plan[kDigits]) {
  static char command[4 * kPath];
  char line[kLine];
  FILE* output;
  snprintf(command, sizeof(command), "'%s' qaic-compile '-m=%s' %s '-node-precision-info=%s' 2>&1",
           program, model, options, lists);
  plan[0] = '\0';
  output = popen(command, "r");
  EXPECT(output != NULL);
  while (output != NULL && fgets(line, sizeof(line), output) != NULL) {
    if (strncmp(line, "plan ", 5) == 0) {
      line[5 + kDigits - 1] = '\0';
      memcpy(plan, line + 5, kDigits);
    }
  }
  if (output != NULL) {
    EXPECT(pclose(output) == 0);
  }
}

static void TestPlans(void) {
  static const char* const kOptions[] = {"-batchsize=1", "-batchsize=1 -convert-to-fp16",
                                         "-batchsize=1 -convert-to-quantize",
                                         ("-batchsize=1 -convert-to-quantize -enable-channelwise "
                                          "-quantization-precision=Int16")};
  const char* lists[2];
  size_t i;
  size_t j;
  lists[0] = Written("fp16.yaml", "FP16NodeInstanceNames: [probabilities]\n");
  lists[1] = Written("fp32.yaml", "FP32NodeInstanceNames:\n  - probabilities\n");
  for (i = 0; i < sizeof(kOptions) / sizeof(kOptions[0]); ++i) {
    for (j = 0; j < 2; ++j) {
      char wanted[kDigits];
      char plan[kDigits];
      char* text = NULL;
      halftone_qaic_graph graph = 0;
      QAicGraphConfig config;
      memset(&config, 0, sizeof(config));
      config.quantizationConfig.nodePrecisionInfo = lists[j];
      config.halftoneOptions = kOptions[i];
      EXPECT(halftone_qaic_graph_open(&config, sizeof(config), &graph) == HALFTONE_OK);
      EXPECT(qaicAddNodesToGraphFromModel(graph, model) == HALFTONE_OK);
      EXPECT(halftone_qaic_graph_plan_digest(graph, plan) == HALFTONE_OK);
      PlanOfProgram(kOptions[i], lists[j], wanted);
      EXPECT(strlen(plan) == kDigits - 1 && strcmp(plan, wanted) == 0);
      EXPECT(halftone_qaic_graph_explain(graph, &text) == HALFTONE_OK);
      EXPECT(text != NULL && strstr(text, "probabilities") != NULL);
      EXPECT(text != NULL && strstr(text, j == 0 ? "in FP16NodeInstanceNames"
                                                 : "in FP32NodeInstanceNames") != NULL);
      halftone_text_free(text);
      EXPECT(halftone_qaic_graph_notes(graph, &text) == HALFTONE_OK);
      halftone_text_free(text);
      EXPECT(halftone_qaic_graph_close(graph) == HALFTONE_OK);
    }
  }
}

/* The model has a free dimension. */
static halftone_status Resolve(const char* lists, const char* options) {
  static char all[kLine];
  halftone_qaic_graph graph = 0;
  halftone_status status;
  QAicGraphConfig config;
  memset(&config, 0, sizeof(config));
  snprintf(all, sizeof(all), "-batchsize=1 %s", options);
  config.quantizationConfig.nodePrecisionInfo = lists;
  config.halftoneOptions = all;
  EXPECT(halftone_qaic_graph_open(&config, sizeof(config), &graph) == HALFTONE_OK);
  status = qaicAddNodesToGraphFromModel(graph, model);
  EXPECT(halftone_qaic_graph_close(graph) == HALFTONE_OK);
  return status;
}

static void TestWrongInput(void) {
  EXPECT(Resolve(NULL, "") == HALFTONE_OK);
  EXPECT(Resolve("", "") == HALFTONE_OK);
  EXPECT_ERROR(Resolve("nowhere.yaml", ""), HALFTONE_IO, "nowhere.yaml");
  EXPECT_ERROR(Resolve(Written("key.yaml", "FP8NodeInstanceNames: [a]\n"), ""), HALFTONE_USAGE,
               "expected the keys FP16NodeInstanceNames");
  EXPECT_ERROR(Resolve(Written("name.yaml", "FP16NodeInstanceNames: [probabilites]\n"), ""),
               HALFTONE_USAGE, "did you mean 'probabilities'?");
  EXPECT_ERROR(Resolve(NULL, "-convert-to-fp61"), HALFTONE_USAGE, "unknown option");
  EXPECT_ERROR(Resolve(NULL, "'open"), HALFTONE_USAGE, "halftoneOptions");
  EXPECT_ERROR(Resolve(NULL, "-m=other.onnx"), HALFTONE_USAGE,
               "the model is the argument of qaicAddNodesToGraphFromModel");
  EXPECT_ERROR(Resolve(NULL, "-node-precision-info=x"), HALFTONE_USAGE,
               "quantizationConfig.nodePrecisionInfo");
  EXPECT_ERROR(Resolve(NULL, "-dump-profile=p.yaml"), HALFTONE_USAGE, "no file is written");
  EXPECT_ERROR(Resolve(NULL, "-point=p"), HALFTONE_USAGE, "no file is written");
  EXPECT_ERROR(Resolve(NULL, "-h"), HALFTONE_USAGE, "a help is asked for");
}

static void TestWildCalls(void) {
  static const size_t kSizes[] = {0, 1, sizeof(QAicGraphConfig) - 1, sizeof(QAicGraphConfig) + 1,
                                  SIZE_MAX};
  char plan[kDigits];
  char* text = NULL;
  size_t i;
  halftone_qaic_graph graph = 7;
  QAicGraphConfig config;
  memset(&config, 0, sizeof(config));
  for (i = 0; i < sizeof(kSizes) / sizeof(kSizes[0]); ++i) {
    EXPECT_ERROR(halftone_qaic_graph_open(&config, kSizes[i], &graph), HALFTONE_USAGE,
                 "QAicGraphConfig: expected size");
    EXPECT(graph == 0);
  }
  EXPECT_ERROR(halftone_qaic_graph_open(&config, sizeof(config), NULL), HALFTONE_USAGE, "'graph'");
  EXPECT_ERROR(qaicAddNodesToGraphFromModel(0, model), HALFTONE_USAGE, "was never opened");
  EXPECT_ERROR(qaicAddNodesToGraphFromModel(UINT64_MAX, model), HALFTONE_USAGE, "was never opened");
  EXPECT(halftone_qaic_graph_open(NULL, SIZE_MAX, &graph) == HALFTONE_OK);
  EXPECT_ERROR(qaicAddNodesToGraphFromModel(graph, model), HALFTONE_USAGE, "-onnx-define-symbol");
  EXPECT(halftone_qaic_graph_close(graph) == HALFTONE_OK);
  config.halftoneOptions = "-batchsize=1";
  EXPECT(halftone_qaic_graph_open(&config, sizeof(config), &graph) == HALFTONE_OK);
  EXPECT_ERROR(halftone_qaic_graph_plan_digest(graph, plan), HALFTONE_USAGE,
               "call qaicAddNodesToGraphFromModel first");
  EXPECT_ERROR(halftone_qaic_graph_plan_digest(graph, NULL), HALFTONE_USAGE, "'digest'");
  EXPECT_ERROR(halftone_qaic_graph_explain(graph, NULL), HALFTONE_USAGE, "'text'");
  EXPECT_ERROR(halftone_qaic_graph_notes(graph, &text), HALFTONE_USAGE, "without");
  EXPECT(text == NULL);
  EXPECT_ERROR(qaicAddNodesToGraphFromModel(graph, NULL), HALFTONE_USAGE, "'model'");
  EXPECT_ERROR(qaicAddNodesToGraphFromModel(graph, ""), HALFTONE_USAGE, "found an empty text");
  EXPECT(qaicAddNodesToGraphFromModel(graph, "nowhere.onnx") != HALFTONE_OK);
  EXPECT(qaicAddNodesToGraphFromModel(graph, Written("empty.onnx", "")) != HALFTONE_OK);
  EXPECT(qaicAddNodesToGraphFromModel(graph, model) == HALFTONE_OK);
  EXPECT_ERROR(qaicAddNodesToGraphFromModel(graph, model), HALFTONE_USAGE,
               "open another graph for another model");
  EXPECT(halftone_qaic_graph_plan_digest(graph, plan) == HALFTONE_OK);
  EXPECT(halftone_qaic_graph_close(graph) == HALFTONE_OK);
  EXPECT_ERROR(halftone_qaic_graph_close(graph), HALFTONE_USAGE, "is closed");
  EXPECT_ERROR(halftone_qaic_graph_plan_digest(graph, plan), HALFTONE_USAGE, "is closed");
  EXPECT(halftone_qaic_graph_close(0) == HALFTONE_OK);
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: qaic_graph_test halftone model.onnx folder\n");
    return 2;
  }
  program = argv[1];
  model = argv[2];
  folder = argv[3];
  TestPlans();
  TestWrongInput();
  TestWildCalls();
  if (failures == 0) {
    printf("passed\n");
  }
  return failures == 0 ? 0 : 1;
}
